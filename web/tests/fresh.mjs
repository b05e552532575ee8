// Pages that were built but are not in the program yet: PAGES=../crates/server/web-dist puts them in place of its own, so that
// a change of the pages is looked at and tested without building the program. Everything else, its headers too, is the program's.
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { extname, join } from 'node:path';

const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json' };

/** A page that was put in place is from nowhere for the browser, and may not talk to this machine unless it is told so. */
export const ARGS = ['--no-sandbox', ...(process.env.PAGES ? ['--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights'] : [])];

export async function fresh(context, folder = process.env.PAGES) {
  if (!folder) return;
  await context.route((url) => Boolean(TYPES[extname(url.pathname)]), async (route) => {
    const file = join(folder, new URL(route.request().url()).pathname);
    if (!existsSync(file)) return route.continue();
    return route.fulfill({ body: readFileSync(file), contentType: TYPES[extname(file)] });
  });
  await context.route((url) => !extname(url.pathname) && !/^\/(api|ws)\b/.test(url.pathname), async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue();
    const response = await asked(route.request());
    const isPage = response.status === 200 && response.headers['content-type']?.startsWith('text/html');
    return route.fulfill(isPage ? { ...response, body: readFileSync(join(folder, 'index.html')) } : response);
  });
}

/** Asks the program itself: only browsers resolve every name below localhost. */
async function asked(page) {
  const { host, port, pathname, search } = new URL(page.url());
  const headers = { ...(await page.allHeaders()), host, 'accept-encoding': 'identity' };
  const reply = await new Promise((done, failed) => {
    request({ host: '127.0.0.1', port, path: pathname + search, headers }, done).on('error', failed).end();
  });
  const body = Buffer.concat(await reply.toArray());
  const { 'content-length': _, ...rest } = reply.headers;
  const named = Object.entries(rest).map(([name, value]) => [name, [value].flat().join('\n')]);
  return { status: reply.statusCode, headers: Object.fromEntries(named), body };
}
