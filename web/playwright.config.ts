import { defineConfig } from '@playwright/test';
// @ts-expect-error A plain module, used by scripts too.
import { ARGS } from './tests/fresh.mjs';

// The real daemon, and the browser of the system: nothing is downloaded.
export default defineConfig({
  testDir: 'tests',
  timeout: 120_000,
  workers: 1,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS },
  },
});
