// The service worker: shows what the daemon sends while no page is open. It handles no request of a page, keeps
// nothing, and opens only pages of its own origin. What it gets was sealed for this browser.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const text = (value) => (typeof value === 'string' ? value : '');

/** A page of ours, whatever was sent. */
function page(path) {
  const url = new URL(text(path) || '/', self.location.origin);
  return url.origin === self.location.origin ? url.href : `${self.location.origin}/`;
}

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

/** A newer notification about the same session replaces the older one, and rings again. */
function show(it) {
  const tag = text(it.tag) || 'taffrail';
  return self.registration.showNotification(text(it.title) || 'Taffrail', {
    body: text(it.body), tag, renotify: true, requireInteraction: it.urgent === true,
    icon: '/icon-192.png', data: { id: text(it.id), page: text(it.page) },
  });
}

/** Closes a notification that is over, unless a newer one took its place. */
async function withdraw(it) {
  const shown = await self.registration.getNotifications({ tag: text(it.tag) });
  for (const one of shown) if (one.data?.id === text(it.id)) one.close();
}

self.addEventListener('push', (event) => {
  const it = read(event.data);
  event.waitUntil(it.event === 'withdrawn' ? withdraw(it) : show(it));
});

/** Goes to the page in a window that is open, or else in a new one. */
async function open(url) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const one of windows) {
    // A window that may not have the focus goes there all the same.
    await one.focus().catch(() => undefined);
    one.postMessage({ taffrail: 'open', path: url.slice(self.location.origin.length) });
    return;
  }
  await self.clients.openWindow(url);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(page(event.notification.data?.page)));
});
