// What keys are called where the page is open.

type Browser = { userAgentData?: { platform?: string }; platform?: string };

/** What the browser says it runs on. */
export function platform(browser: Browser = navigator): string {
  return browser.userAgentData?.platform || browser.platform || '';
}

/** The keys that go to a session or a page. */
export function goKeys(on: string = platform()): string {
  return /^(mac|iphone|ipad|ipod)/i.test(on) ? '⌘K' : 'Ctrl K';
}
