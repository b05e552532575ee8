// The right to decide. It is a browser's: an address that works once, which the user fetches at a terminal, is exchanged for a
// cookie; the user then confirms that this editor may act. The cookie is kept in the editor's secret storage and nowhere else.
import type { RequestOptions } from 'node:http';
import { hostname } from 'node:os';
import { window, type SecretStorage } from 'vscode';
import { bodyOf, place, read, Refusal, send } from './daemon';
import { inTerminal } from './terminal';

type Ticket = { host: string; cookie: string };

const ADDRESS = /^http:\/\/([0-9a-f]{32}\.localhost:\d+)(\/enter\?code=[0-9a-f]{64})$/;
const [NOT_SIGNED_IN, UNCONFIRMED] = [401, 428];
/** Editors on several machines share one secret storage. */
export const KEY = `cookie for ${hostname()}`;

/** Asks the user for an address that works once, and whether this editor may act. */
export async function signIn(secrets: SecretStorage): Promise<void> {
  const terminal = inTerminal('taffrail web --print-url');
  const prompt = 'Copy the address that `taffrail web --print-url` prints in a terminal, and paste it here within a minute.';
  const typed = await window.showInputBox({ title: 'Taffrail: sign in', prompt, password: true, ignoreFocusOut: true });
  terminal?.dispose();
  if (!typed) return;
  await enter(secrets, typed.trim());
  await confirm(secrets);
}

export const signOut = async (secrets: SecretStorage) => secrets.delete(KEY);

async function enter(secrets: SecretStorage, typed: string): Promise<void> {
  const [, host, path] = ADDRESS.exec(typed) ?? [];
  if (!host || !path) throw new Error('This is not an address that `taffrail web --print-url` prints.');
  const reply = await send({ ...(await daemonAt(host)), path });
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0];
  if (!cookie) throw new Error('This address no longer works: it works once, for a minute. Sign in again.');
  await secrets.store(KEY, JSON.stringify({ host, cookie } satisfies Ticket));
}

/** The user says once for each sign-in that this editor may act, as in a browser. */
async function confirm(secrets: SecretStorage): Promise<void> {
  const detail = 'Requests that you allow or deny in messages of this editor are then decided as yours, until the daemon ends and for a day at most.';
  const said = await window.showWarningMessage('May this editor answer requests as you?', { modal: true, detail }, 'It may');
  if (said === 'It may') await post(secrets, '/api/web/confirm', {});
}

/** Does something as the user. Asks for what is missing: then nothing was done, and the answer is false. */
export async function act(secrets: SecretStorage, path: string, body: object): Promise<boolean> {
  try {
    await post(secrets, path, body);
    return true;
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 0;
    if (status === UNCONFIRMED) await confirm(secrets);
    else if (status !== NOT_SIGNED_IN) throw error;
    else if ((await window.showInformationMessage('Sign in to answer requests from here.', 'Sign in')) === 'Sign in') await signIn(secrets);
    return false;
  }
}

async function post(secrets: SecretStorage, path: string, body: object): Promise<void> {
  const ticket = await ticketOf(secrets);
  if (!ticket) throw new Refusal('not signed in', NOT_SIGNED_IN);
  const at = await daemonAt(ticket.host);
  // What pages of the daemon send.
  const page = { origin: `http://${ticket.host}`, cookie: ticket.cookie, 'content-type': 'application/json', 'x-taffrail-page': '1' };
  bodyOf(await send({ ...at, method: 'POST', path, headers: { ...at.headers, ...page } }, body));
}

/** The cookie, and the name of the pages, which only who signed in knows. */
export const ticketOf = async (secrets: SecretStorage) => JSON.parse((await secrets.get(KEY)) ?? 'null') as Ticket | null;

/** Where the daemon's pages are. The daemon answers on its socket first, so no other program at that port gets a code or a cookie. */
async function daemonAt(host: string): Promise<RequestOptions & { headers: { host: string } }> {
  await read('/api/health');
  const http = new URL(place()?.http ?? 'http://closed');
  if (!http.port || http.port !== host.split(':')[1]) throw new Refusal('the address for browsers is closed or has changed', NOT_SIGNED_IN);
  return { host: http.hostname.replace(/[[\]]/g, ''), port: http.port, headers: { host } };
}
