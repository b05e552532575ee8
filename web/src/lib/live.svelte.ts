// What the daemon tells: one websocket for the whole page.
import { api, unwrap } from '../api/client';
import { isEvent } from './transcript';
import type { Approval, EventLine, Finding, Group, Session } from './types';

type Listener = (line: EventLine, cursor: string) => void;
type Verdict = { decision: string; by: string };
type Message = {
  type: string; sessionId?: string; session?: Session; sessions?: Session[]; cursor?: string; event?: EventLine;
  approval?: Approval; decision?: Verdict | null; change?: 'appeared' | 'withdrawn'; finding?: Finding;
};
export type State = 'connecting' | 'open' | 'lost' | 'stranger';

/** So long a request that was settled stays where it was, with its result. */
export const LINGERS = 1500;

const sessions = new Map<string, Session>();
const approvals = new Map<string, Approval>();
const verdicts = new Map<string, Verdict>();
const lingering = new Set<string>();
const doing = new Map<string, string>();
const listeners = new Set<Listener>();
const starts = new Set<() => void>();
/** What was told while something is asked for. */
let heard: Message[] | undefined;

let version = $state(0);
let connection = $state<State>('connecting');
let known = $state(false);
let findings = $state.raw<Finding[]>([]);
let drawing = false;

/** Many messages are one change of the page. */
function changed() {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    version += 1;
  });
}

export const live = {
  /** Recent sessions, by id. Reading it follows every change. */
  get sessions(): ReadonlyMap<string, Session> { void version; return sessions; },
  /** Requests for approval, by id. */
  get approvals(): ReadonlyMap<string, Approval> { void version; return approvals; },
  get findings() { return findings; },
  get connection() { return connection; },
  /** The first answer has come. */
  get known() { return known; },
  /** What a session was last seen to begin. */
  doing(id: string): string | undefined { void version; return doing.get(id); },
  /** What was decided about a request, as far as this page heard of it. */
  verdict(id: string): Verdict | undefined { void version; return verdicts.get(id); },
};

/** Requests that are shown: those that are open, and those just settled. The oldest comes first and stays first. */
export function shownRequests(approvals: Iterable<Approval>): Approval[] {
  return [...approvals]
    .filter((it) => it.state === 'pending' || it.state === 'dialog_only' || lingering.has(it.id))
    .sort((a, b) => a.asked_at.localeCompare(b.asked_at) || a.id.localeCompare(b.id));
}

/** Where a session belongs: a request that is held needs somebody, whatever else is known of it. */
export function group(session: Session, requests: readonly Approval[]): Group {
  return requests.some((it) => it.state === 'pending' || lingering.has(it.id)) ? 'needs_you' : session.group;
}

/** The requests of each session, by its id. */
export function asked(approvals: Iterable<Approval>): Map<string, Approval[]> {
  const of = new Map<string, Approval[]>();
  for (const it of shownRequests(approvals)) of.set(it.session_id, [...(of.get(it.session_id) ?? []), it]);
  return of;
}

/** Hears every event of every session. */
export function hear(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Is called whenever what was missed must be asked for again. */
export function reconnected(start: () => void): () => void {
  starts.add(start);
  return () => starts.delete(start);
}

/** A request is so now. What was asked does not change, so what was shown of it is kept. */
export function decided(row: Approval, verdict?: Verdict | null) {
  heard?.push({ type: 'approval-decision', approval: row, decision: verdict });
  const before = approvals.get(row.id);
  approvals.set(row.id, { ...row, input: row.input ?? before?.input });
  if (verdict) verdicts.set(row.id, verdict);
  if (before?.state === 'pending' && row.state !== 'pending' && row.state !== 'dialog_only') linger(row.id);
  changed();
}

function linger(id: string) {
  lingering.add(id);
  setTimeout(() => {
    lingering.delete(id);
    changed();
  }, LINGERS);
}

function take(message: Message) {
  switch (message.type) {
    case 'stream-init':
      if (message.sessions) begin(message.sessions);
      break;
    case 'stream-status':
      if (message.session) sessions.set(message.session.id, message.session);
      changed();
      break;
    case 'approval-decision':
      if (message.approval) decided(message.approval, message.decision);
      break;
    case 'finding':
      remark(message);
      break;
    case 'stream-event':
    case 'capture-event':
      if (message.event) publish(message.event, message.cursor ?? '');
      break;
  }
}

function begin(all: Session[]) {
  sessions.clear();
  for (const session of all) sessions.set(session.id, session);
  known = true;
  changed();
  void remind();
  for (const start of starts) start();
}

function publish(line: EventLine, cursor: string) {
  if (isEvent(line) && line.kind === 'tool.call') {
    doing.set(line.sessionId, [line.data.tool, line.text].filter(Boolean).join(' '));
    changed();
  }
  for (const listener of listeners) listener(line, cursor);
}

function remark(message: Message) {
  heard?.push(message);
  const { change, finding } = message;
  if (!finding) return;
  const others = findings.filter((it) => it.kind !== finding.kind || it.session_id !== finding.session_id);
  findings = change === 'withdrawn' ? others : [finding, ...others];
}

/** What no message repeats. What was told while it was asked for is newer, and counts. */
async function remind() {
  const told: Message[] = (heard = []);
  const again = (type: string) => {
    for (const message of told.filter((it) => it.type === type)) take(message);
    changed();
  };
  await Promise.allSettled([
    unwrap(api.GET('/api/approvals')).then((it) => {
      approvals.clear();
      for (const row of it.approvals) approvals.set(row.id, row);
      again('approval-decision');
    }),
    unwrap(api.GET('/api/findings')).then((it) => {
      findings = it.findings;
      again('finding');
    }),
  ]);
  if (heard === told) heard = undefined;
}

/** Opens the websocket and keeps it open; gives a way to end it. */
export function connect(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = 250;
  const open = () => {
    socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);
    socket.onopen = () => {
      wait = 250;
      connection = 'open';
      socket?.send('{"type":"subscribe-stream"}');
    };
    socket.onmessage = (it) => take(JSON.parse(String(it.data)) as Message);
    socket.onclose = () => {
      void lost();
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, 10_000);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    if (socket) socket.onclose = null;
    socket?.close();
  };
}

/** Whether nobody answers, or we are not let in. */
async function lost() {
  const stranger = await api.GET('/api/health').then((it) => it.response.status === 401, () => false);
  connection = stranger ? 'stranger' : 'lost';
}
