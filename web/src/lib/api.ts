// Asking the daemon. Everything goes to where the page came from, and nowhere else.

/** What the daemon said instead of an answer. */
export class Refusal extends Error {
  constructor(message: string, readonly hint: string | null, readonly status: number) {
    super(message);
  }
}

type Query = Record<string, string | number | boolean | undefined>;

export function address(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') words.set(name, String(value));
  }
  const text = words.toString();
  return text ? `${path}?${text}` : path;
}

export async function ask<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return answer<T>(await fetch(address(path, query), { headers: { accept: 'application/json' }, signal }));
}

export async function tell<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-taffrail-page': '1' };
  return answer<T>(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  const error = (body as { error?: { message?: string; hint?: string } } | null)?.error;
  throw new Refusal(error?.message ?? `the daemon answered ${response.status}`, error?.hint ?? null, response.status);
}

/** A failure in words. */
export function said(error: unknown): string {
  if (error instanceof Refusal) return error.hint ? `${error.message} (${error.hint})` : error.message;
  if (error instanceof TypeError) return 'The daemon does not answer. Start it with taffrail daemon start.';
  return error instanceof Error ? error.message : String(error);
}
