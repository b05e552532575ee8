// Notifications in the browser: from a hook that asks, through a push service of this machine, to what the browser shows.
//
// What cannot run here is stood in for, and nothing else: this Chromium knows no push service, so `subscribe` gives the
// address of a local one (web-push-testing, which opens the message as a browser would), and the message it opened is
// handed to the real service worker by the browser's own protocol.
import { createServer } from 'node:net';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// @ts-expect-error It has no types.
import WebPushTestingServer from 'web-push-testing/src/server.js';
// @ts-expect-error As above.
import model from 'web-push-testing/src/PushApiModel.js';
import { test as base } from '@playwright/test';
import { enter, expect, live, Stage, watch, write } from './kit';

type Service = { url: string; messages(hash: string): Promise<any[]>; expire(hash: string): Promise<void> };

const free = () => new Promise<number>((done) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => done(port));
  });
});

const test = base.extend<object, { service: Service; staged: any }>({
  service: [async ({}, use) => {
    const port = await free();
    const server = new WebPushTestingServer(new model.PushApiModel(), port);
    server.startServer();
    const url = `http://localhost:${port}`;
    const post = async (path: string, body: object = {}) => {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      return answer.headers.get('content-type')?.includes('json') ? answer.json() : undefined;
    };
    await use({
      url,
      messages: async (clientHash) => ((await post('/get-notifications', { clientHash })).data.messages as string[]).map((it) => JSON.parse(it)),
      expire: (hash) => post(`/expire-subscription/${hash}`),
    });
    server._server.close();
  }, { scope: 'worker' }],
  staged: [async ({}, use) => {
    const stage = await Stage.open();
    const config = join(stage.env.XDG_CONFIG_HOME, 'taffrail/config.toml');
    writeFileSync(config, '[control]\nscripts = true\n[notifications]\npush = true\ndesktop = false\n', { mode: 0o600 });
    const all = write(stage);
    await stage.start();
    await live(stage, all);
    await use({ stage, all });
    await stage.close();
  }, { scope: 'worker' }],
});

/** The browser's address is that of the local service; everything else of the browser is its own. */
async function served(context: any, service: Service): Promise<void> {
  await context.addInitScript((url: string) => {
    if (!('PushManager' in window)) return;
    const known = () => JSON.parse(localStorage.getItem('stub') ?? 'null');
    const of = (data: any) => data && {
      endpoint: data.endpoint, options: { applicationServerKey: null }, unsubscribe: async () => { localStorage.removeItem('stub'); return true; },
      toJSON: () => ({ endpoint: data.endpoint, keys: data.keys }),
    };
    PushManager.prototype.getSubscription = async () => of(known());
    PushManager.prototype.subscribe = async (options: any) => {
      const key = btoa(String.fromCharCode(...options.applicationServerKey)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      const answer = await (window as any).subscribeAt(url, key);
      localStorage.setItem('stub', JSON.stringify(answer.data));
      return of(answer.data);
    };
  }, service.url);
  // The pages may talk to nobody but the daemon, so the test asks for them.
  await context.exposeFunction('subscribeAt', async (url: string, applicationServerKey: string) => {
    const body = JSON.stringify({ userVisibleOnly: 'true', applicationServerKey });
    return (await fetch(`${url}/subscribe`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
  });
}

const hash = (page: any) => page.evaluate(() => JSON.parse(localStorage.getItem('stub')!).clientHash);
const titles = (page: any) => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((it) => `${it.title}: ${it.body}`));

/** Hands a message to the service worker, as the browser does with one that came. */
async function deliver(context: any, page: any, message: object): Promise<void> {
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((done) => session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }: any) => {
    const one = registrations.find((it: any) => !it.isDeleted && page.url().startsWith(it.scopeURL));
    if (one) done(one.registrationId);
  }));
  await session.send('ServiceWorker.enable');
  const [origin, registrationId] = [new URL(page.url()).origin, await registered];
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
  await session.detach();
}

test('a request rings in a browser that subscribed, leads to its page and goes away with it', async ({ browser, service, staged }) => {
  const { stage, all } = staged;
  const context = await browser.newContext();
  await served(context, service);
  await enter(context, stage);
  await context.grantPermissions(['notifications'], { origin: stage.url });
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  await page.goto(`${stage.url}/settings`);
  const choice = page.getByRole('switch', { name: 'Notifications in this browser' });
  await expect(choice).toHaveAttribute('aria-checked', 'false');
  await choice.click();
  await expect(choice).toHaveAttribute('aria-checked', 'true');
  const section = page.locator('section', { hasText: 'Notifications in this browser' });
  await expect(section.getByText(/Chromium on Linux/)).toHaveCount(1);
  // Our key is where only its user reads it, and its private half is in no answer.
  const file = join(stage.env.XDG_STATE_HOME, 'taffrail/push-key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = await (await fetch(`${stage.api}/api/push/key`, { headers: { authorization: `Bearer ${stage.run('token', '--show').trim()}` } })).json();
  expect(key.public_key).toMatch(/^[\w-]{87}$/);
  expect(JSON.stringify(key)).not.toContain(readFileSync(file, 'utf8').slice(0, 40));

  // What waits already rings first: two that come together are one message.
  const rung = join(stage.env.XDG_STATE_HOME, 'taffrail/told.json');
  await expect.poll(() => (existsSync(rung) ? readFileSync(rung, 'utf8') : ''), { timeout: 40_000 }).toContain('"question:');
  const client = await hash(page);
  const answered = stage.hook(all.parser, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'make ring' } });
  await expect.poll(async () => (await service.messages(client)).find((it) => it.body.includes('make ring')), { timeout: 40_000 }).toBeTruthy();
  const told = (await service.messages(client)).find((it) => it.body.includes('make ring'));
  const id = JSON.parse(stage.run('approvals', '--json')).approvals.find((it: any) => it.command === 'make ring').id;
  expect(told).toMatchObject({ event: 'told', page: `/approvals?request=${id}`, urgent: false });

  // The debugging command that delivers promises nothing: now and then nothing is shown. The same message again replaces itself.
  await expect(async () => {
    await deliver(context, page, told);
    await expect.poll(() => titles(page)).toEqual([`${told.title}: ${told.body}`]);
  }).toPass({ timeout: 30_000 });
  // A newer message about the same session replaces the older one.
  await deliver(context, page, { ...told, id: 'newer', body: 'Asks for: make newer' });
  await expect.poll(() => titles(page)).toEqual([`${told.title}: Asks for: make newer`]);
  await deliver(context, page, told);
  await expect.poll(() => titles(page)).toEqual([`${told.title}: ${told.body}`]);

  // A press leads to the request, in the window that is open.
  const [worker] = context.serviceWorkers();
  await worker!.evaluate(async () => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(it: Event): void };
    const [notification] = await scope.registration.getNotifications();
    const Press = (globalThis as any).NotificationEvent;
    scope.dispatchEvent(new Press('notificationclick', { notification }));
  });
  await expect(page).toHaveURL(`${stage.url}/approvals?request=${id}`);
  await expect(page.locator('article').first()).toContainText('make ring');

  await deliver(context, page, told);
  await expect.poll(() => titles(page)).toHaveLength(1);
  stage.run('deny', id);
  await answered;
  await expect.poll(async () => (await service.messages(client)).find((it) => it.event === 'withdrawn' && it.id === told.id), { timeout: 40_000 }).toBeTruthy();
  // Another notification's withdrawal closes nothing.
  await deliver(context, page, { ...told, event: 'withdrawn', id: 'another' });
  expect(await titles(page)).toHaveLength(1);
  await deliver(context, page, (await service.messages(client)).find((it) => it.event === 'withdrawn' && it.id === told.id)!);
  await expect.poll(() => titles(page)).toEqual([]);

  await page.goto(`${stage.url}/settings`);
  await choice.click();
  await expect(choice).toHaveAttribute('aria-checked', 'false');
  await expect(section.getByText(/Chromium on Linux/)).toHaveCount(0);
  expect(faults).toEqual([]);
  await context.close();
});

test('whatever is sent, the service worker shows text and opens only pages of its own', async ({ browser, service, staged }) => {
  const { stage } = staged;
  const context = await browser.newContext();
  await served(context, service);
  await enter(context, stage);
  await context.grantPermissions(['notifications'], { origin: stage.url });
  const page = await context.newPage();
  const faults = watch(page, stage.url);
  await page.goto(`${stage.url}/settings`);
  await page.getByRole('switch', { name: 'Notifications in this browser' }).click();
  await expect(page.getByRole('switch', { name: 'Notifications in this browser' })).toHaveAttribute('aria-checked', 'true');
  for (const to of ['https://evil.example/', '//evil.example/', 'javascript:alert(1)', 'data:text/html,x', '\\\\evil.example', 7, null]) {
    // The browser knows a notification by its tag: one that is still being closed may take the next one with it.
    await expect(async () => {
      await deliver(context, page, { event: 'told', id: String(to), tag: 'one', title: '<b>x</b>', body: '<img src=x onerror=alert(1)>', page: to });
      await expect.poll(() => titles(page), { timeout: 3000 }).toEqual(['<b>x</b>: <img src=x onerror=alert(1)>']);
    }).toPass();
    await context.serviceWorkers()[0]!.evaluate(async () => {
      const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(it: Event): void };
      const [notification] = await scope.registration.getNotifications();
      scope.dispatchEvent(new (globalThis as any).NotificationEvent('notificationclick', { notification }));
    });
    await expect.poll(() => titles(page)).toEqual([]);
    expect(context.pages().map((it) => new URL(it.url()).origin)).toEqual(context.pages().map(() => stage.url));
  }
  expect(faults).toEqual([]);
  await context.close();
});

test('an address that expired is forgotten, and a new token signs every browser out of notifications', async ({ browser, service, staged }) => {
  const { stage, all } = staged;
  const context = await browser.newContext();
  await served(context, service);
  await enter(context, stage);
  await context.grantPermissions(['notifications'], { origin: stage.url });
  const page = await context.newPage();
  await page.goto(`${stage.url}/settings`);
  const choice = page.getByRole('switch', { name: 'Notifications in this browser' });
  await choice.click();
  await expect(choice).toHaveAttribute('aria-checked', 'true');
  const list = () => JSON.parse(readFileSync(join(stage.env.XDG_STATE_HOME, 'taffrail/push.json'), 'utf8')).subscriptions.length;
  const before = list();
  await service.expire(await hash(page));
  const answered = stage.hook(all.etl, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'make gone' } });
  await expect.poll(list, { timeout: 40_000 }).toBe(before - 1);
  stage.run('deny', JSON.parse(stage.run('approvals', '--json')).approvals.find((it: any) => it.command === 'make gone').id);
  await answered;
  await page.evaluate(() => localStorage.removeItem('stub'));
  await page.reload();
  await choice.click();
  await expect(choice).toHaveAttribute('aria-checked', 'true');
  stage.renew();
  expect(list()).toBe(0);
  await context.close();
});
