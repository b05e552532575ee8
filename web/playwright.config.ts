import { defineConfig } from '@playwright/test';
// @ts-expect-error A plain module, used by scripts too.
import { ARGS } from './tests/fresh.mjs';

// The real daemon, and the browser of the system: nothing is downloaded.
export default defineConfig({
  testDir: 'tests',
  timeout: 180_000,
  // A machine that also compiles takes longer than five seconds to answer: what is expected is waited for, and what fails fails later.
  expect: { timeout: 20_000 },
  workers: 1,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS },
  },
});
