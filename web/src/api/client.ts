// Requests to the daemon, typed by its OpenAPI document. Everything goes to the page's own origin, and nowhere else.
import createClient, { type Middleware } from 'openapi-fetch';
import { onDestroy } from 'svelte';
import { acting } from '../lib/acting.svelte';
import type { components, paths } from './schema';

type Envelope = components['schemas']['Envelope'];
type Reply<T> = Promise<{ data?: T; error?: Envelope; response: Response }>;

/** What the daemon answers instead of a reply. */
export class ApiError extends Error {
  constructor(message: string, readonly kind: components['schemas']['ErrorKind'], readonly hint: string | null, readonly status: number) {
    super(message);
  }
}

/** The daemon acts for this browser only after the person at it has agreed. */
const UNCONFIRMED = 428;

/** Only our pages can set this header; a form of another site cannot send JSON either. */
const page: Middleware = {
  onRequest({ request }) {
    if (request.method === 'GET') return;
    request.headers.set('content-type', 'application/json');
    request.headers.set('x-taffrail-page', '1');
  },
};

const unconfirmed = createClient<paths>();
unconfirmed.use(page);

export const api = createClient<paths>({ headers: { accept: 'application/json' }, fetch: send });
api.use(page);

/** Sends a request, and once more after the person has agreed that this browser may act. */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request);
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== UNCONFIRMED || !(await acting.ask())) return response;
  await unwrap(unconfirmed.POST('/api/web/confirm'));
  return fetch(again);
}

/** The data of a reply, or an `ApiError`. A request that was aborted never settles: whoever asked is gone. */
export async function unwrap<T>(reply: Reply<T>): Promise<T> {
  const { data, error, response } = await reply.catch((why: unknown) => (isAbort(why) ? new Promise<never>(() => {}) : Promise.reject(why)));
  if (response.ok && data !== undefined) return data;
  // What is not the daemon's own JSON, such as a proxy's page, has no envelope.
  const { message = `the daemon answered ${response.status}`, kind = 'failure', hint = null } = error?.error ?? {};
  throw new ApiError(message, kind, hint, response.status);
}

/** Aborted by us, or by Svelte because the effect that asked has ended. */
function isAbort(why: unknown): boolean {
  return why instanceof Error && (why.name === 'AbortError' || why.name === 'StaleReactionError');
}

/** Aborts when the component that is being set up is left. */
export function lifetime(): AbortSignal {
  const controller = new AbortController();
  onDestroy(() => controller.abort());
  return controller.signal;
}

/** A failure in words. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return error.hint ? `${error.message} (${error.hint})` : error.message;
  if (error instanceof TypeError) return 'The daemon does not answer. Start it with taffrail daemon start.';
  return error instanceof Error ? error.message : String(error);
}
