// The daemon of this user on this machine: found by the file that it writes, and read over its socket.
import { lstatSync, readFileSync } from 'node:fs';
import { request, type ClientRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export type Session = {
  id: string; title: string | null; auto_title?: string; agent: string; project_path: string | null; group: string;
  waiting_for: { text: string } | null; pid: number | null; executor: string | null; status_since: string | null; pending_approval_id?: string;
};
export type Approval = {
  id: string; session_id: string; project_path: string | null; agent: string; tool: string; command: string; risk: string; state: string;
  truncated: boolean; redacted: boolean; input?: { fields: Record<string, unknown>; cut: boolean };
};
type Reply = { status: number; headers: IncomingHttpHeaders; text: string };

/** The daemon refused, in its own words. */
export class Refusal extends Error {
  constructor(message: string, readonly status: number) { super(message); }
}

const PATIENCE = 10_000;
/** The daemon sends something every 15 seconds. */
const [SILENCE, AGAIN] = [60_000, 5_000];
const CHANGES = /^event: (snapshot|status|approval|lagged)$/;

/** Where the daemon is. Only what no other user of this machine can have written is believed. */
export function place() {
  const set = process.env.XDG_STATE_HOME ?? '';
  const file = join(isAbsolute(set) ? set : join(homedir(), '.local/state'), 'taffrail/daemon.json');
  try {
    if (!isOurs(dirname(file)) || !isOurs(file)) return undefined;
    const found = JSON.parse(readFileSync(file, 'utf8')) as { socket: string; http: string | null };
    return isOurs(dirname(found.socket)) && isOurs(found.socket) ? found : undefined;
  } catch {
    return undefined; // There is no daemon, or it is just starting: the next look finds it.
  }
}

function isOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

/** One request, and the whole reply. */
export function send(options: RequestOptions, body?: object): Promise<Reply> {
  return new Promise((done, failed) => {
    const asked = request({ timeout: PATIENCE, ...options }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (it: string) => (text += it)).on('error', failed);
      reply.on('end', () => done({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    asked.on('timeout', () => asked.destroy(new Error('The Taffrail daemon does not answer.'))).on('error', failed);
    asked.end(body && JSON.stringify(body));
  });
}

/** What a reply says, or the daemon's refusal. */
export function bodyOf<T>({ status, text }: Reply): T {
  const body = JSON.parse(text || '{}') as { error?: { message: string; hint?: string | null } };
  if (status === 200) return body as T;
  const { message = `the daemon answered ${status}`, hint } = body.error ?? {};
  throw new Refusal(hint ? `${message} (${hint})` : message, status);
}

/** Reads over the socket, as any program of this user may. */
export async function read<T>(path: string): Promise<T> {
  const at = place();
  if (!at) throw new Error('No Taffrail daemon runs on this machine. Start it: taffrail daemon start');
  return bodyOf<T>(await send({ socketPath: at.socket, path, headers: { host: 'localhost' } }));
}

/** Calls `changed` whenever something may have changed, and `off` while there is no daemon, for as long as the editor runs. */
export function follow(changed: () => void, off: () => void): { dispose(): void } {
  let asked: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  const again = () => (off(), void (timer = setTimeout(begin, AGAIN)));
  const begin = () => {
    const at = place();
    if (!at) return again();
    const headers = { host: 'localhost', accept: 'text/event-stream' };
    asked = request({ socketPath: at.socket, path: '/api/stream', timeout: SILENCE, headers }, (reply) => {
      let rest = '';
      reply.setEncoding('utf8').on('error', () => {}).on('data', (it: string) => {
        const lines = (rest + it).split('\n');
        rest = lines.pop() ?? '';
        if (lines.some((line) => CHANGES.test(line))) changed();
      });
    });
    // However it ends, `close` follows.
    asked.on('timeout', () => asked?.destroy()).on('error', () => {}).on('close', again).end();
  };
  begin();
  return { dispose: () => (clearTimeout(timer), asked?.off('close', again).destroy()) };
}
