// One person's way to one answer: every click, key and pointed-at thing is a step, and the clock runs from the first of
// them until the answer stands on the screen. Nobody thinks in between: what is measured is the program.
export class Walk {
  constructor(page) { Object.assign(this, { page, steps: 0, begun: 0, seconds: 0 }); }
  begin() { this.begun ||= performance.now(); }
  step() { this.begin(); this.steps += 1; }

  async click(what, how) { await this.reach(what); this.step(); await what.click(how); }
  async point(what) { await this.reach(what); this.step(); await what.hover(); }
  /** What is below the edge costs a step: somebody has to scroll. */
  async reach(what) {
    this.begin();
    await what.waitFor({ state: 'visible' });
    if (await this.comes(what)) return;
    this.step();
    await what.scrollIntoViewIfNeeded();
  }
  /** Whether it is in sight, or soon is: a page may scroll by itself. What has to be scrolled to is not waited for on the clock. */
  async comes(what) {
    const start = performance.now();
    while (performance.now() - start < 300) {
      if (await what.evaluate(onScreen)) return true;
      await this.page.waitForTimeout(20);
    }
    this.begun += performance.now() - start;
    return false;
  }
  /** A key, or keys held together. */
  async press(keys) { this.step(); await this.page.keyboard.press(keys); }
  /** Words are one step, however many: they are the same words in both programs. */
  async type(words) {
    await this.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    this.step();
    await this.page.keyboard.insertText(words);
  }
  /** A list is opened, and then something of it is chosen. */
  async choose(what, value) { await this.reach(what); this.step(); this.step(); await what.selectOption(value); }

  /** Waits until it stands on the screen. */
  async see(what, timeout = 20_000) {
    await what.waitFor({ state: 'visible', timeout });
    await this.reach(what);
    this.seconds = (performance.now() - this.begun) / 1000;
    return (await what.innerText()).replace(/\s+/g, ' ').trim();
  }

  /** Waits until what stands there is what is true, and says what stood there last. */
  async until(look, timeout = 10_000) {
    let seen;
    for (const end = performance.now() + timeout; performance.now() < end; ) {
      seen = await look();
      if (seen.right) break;
      await this.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    this.seconds = (performance.now() - this.begun) / 1000;
    return seen;
  }
}

/** Whether any of it can be seen, inside everything that scrolls. */
function onScreen(element) {
  return new Promise((done) => {
    const eye = new IntersectionObserver(([it]) => { eye.disconnect(); done(it.intersectionRatio > 0); });
    eye.observe(element);
  });
}

export const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];
