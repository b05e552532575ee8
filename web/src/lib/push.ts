// Notifications in this browser: its service worker, its permission and its address at a push service.
import { api, unwrap } from '../api/client';

const WORKER = '/push.js';
/** The word by which the daemon knows this browser again, so that it has one address. */
const DEVICE = 'push-device';

type State = 'unsupported' | 'off' | 'denied' | 'on';

/** The policy of these pages lets one script run as a worker, and no other. */
let policy: { createScriptURL(url: string): unknown } | undefined;
function script(): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): typeof policy } }).trustedTypes;
  policy ??= types?.createPolicy('taffrail-worker', { createScriptURL: () => WORKER });
  return (policy?.createScriptURL(WORKER) ?? WORKER) as string;
}

export const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Whether this browser is notified. */
export async function state(): Promise<State> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return localStorage.getItem(DEVICE) && (await subscription()) ? 'on' : 'off';
}

function device(): string {
  const known = localStorage.getItem(DEVICE);
  const word = known ?? [...crypto.getRandomValues(new Uint8Array(16))].map((it) => it.toString(16).padStart(2, '0')).join('');
  localStorage.setItem(DEVICE, word);
  return word;
}

/** A name for people, from the little that browsers say of themselves. */
function name(): string {
  const agent = navigator.userAgent;
  const first = (all: [RegExp, string][]) => all.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = first([[/Firefox/, 'Firefox'], [/Edg/, 'Edge'], [/Chrom/, 'Chromium'], [/Safari/, 'Safari']]) ?? 'A browser';
  const system = first([[/Android/, 'Android'], [/iPhone|iPad/, 'iOS'], [/Mac OS/, 'macOS'], [/Windows/, 'Windows'], [/Linux/, 'Linux']]);
  return system ? `${browser} on ${system}` : browser;
}

function bytes(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (it) => it.charCodeAt(0));
}

const isSame = (one: ArrayBuffer | null | undefined, other: Uint8Array) => Boolean(one) && String(new Uint8Array(one!)) === String(other);

/** Asks for the permission, subscribes and tells the daemon. A press of the person begins it. */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('This browser does not allow notifications for these pages.');
  const key = bytes((await unwrap(api.GET('/api/push/key'))).public_key);
  await navigator.serviceWorker.register(script());
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  // Another key than ours: it was made again since.
  if (before && !isSame(before.options.applicationServerKey, key)) await before.unsubscribe();
  const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) throw new Error('This browser gave no address for notifications.');
  const body = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, device: device(), name: name() };
  const { id } = await unwrap(api.POST('/api/push/subscriptions', { body }));
  localStorage.setItem(`${DEVICE}-id`, id);
}

/** Forgets the address, here and in the daemon. */
export async function turnOff(): Promise<void> {
  await (await subscription())?.unsubscribe();
  const id = localStorage.getItem(`${DEVICE}-id`);
  localStorage.removeItem(DEVICE);
  localStorage.removeItem(`${DEVICE}-id`);
  if (id) await unwrap(api.DELETE('/api/push/subscriptions/{id}', { params: { path: { id } } })).catch(() => undefined);
}
