// Pages that were built but are not in the program yet: PAGES=../crates/daemon/web-dist puts them in place of its own, so that
// a change of the pages is looked at and tested without building the program. Everything else, its headers too, is the program's.
import { existsSync, readFileSync } from 'node:fs';
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
    const response = await route.fetch({ maxRedirects: 0 });
    const isPage = response.status() === 200 && response.headers()['content-type']?.startsWith('text/html');
    return route.fulfill(isPage ? { response, body: readFileSync(join(folder, 'index.html')) } : { response });
  });
}
