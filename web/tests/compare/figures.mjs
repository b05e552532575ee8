// What both programs can be measured by without a question: how much is loaded first, and how soon a line is on the screen.
import { gzipSync } from 'node:zlib';

/** JavaScript of the first load, and what is asked of other hosts. */
export async function load({ program, url }, context) {
  const page = await context.newPage();
  const bodies = [];
  const elsewhere = new Set();
  page.on('request', (it) => { const { hostname } = new URL(it.url()); if (hostname && !['127.0.0.1', new URL(url).hostname].includes(hostname)) elsewhere.add(hostname); });
  page.on('response', (it) => { if (/\.js$/.test(new URL(it.url()).pathname)) bodies.push(it.body().catch(() => Buffer.alloc(0))); });
  await program.start(page, url);
  await program.ready(page);
  await page.waitForTimeout(3000);
  const size = (await Promise.all(bodies)).reduce((all, it) => all + gzipSync(it).length, 0);
  await page.close();
  return { kilobytes: Math.round(size / 1000), files: bodies.length, elsewhere: [...elsewhere] };
}

/** Milliseconds from writing a line to seeing it in the open transcript; what is not there after half a minute is not a number. */
export async function lines({ program, url }, context, session, rounds) {
  const page = await context.newPage();
  await program.start(page, url);
  await program.ready(page);
  await program.opened(page, 'Backfill the October orders');
  await page.getByText('would write 18,204 rows').first().waitFor();
  await page.waitForTimeout(2000);
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    const words = `It wrote row ${Date.now()}.`;
    session.now = Date.now();
    const start = performance.now();
    session.says(words);
    const seen = await page.getByText(words).first().waitFor({ timeout: 30_000 }).then(() => true, () => false);
    took.push(seen ? Math.round(performance.now() - start) : Number.NaN);
    await page.waitForTimeout(500);
  }
  await page.close();
  return took;
}
