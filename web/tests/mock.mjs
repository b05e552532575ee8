// A daemon made of fixed answers, at a fixed time: for pictures that are compared, and for lists that are too long to write.
// The pages are those that were built: PAGES, or what the program has.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = resolve(process.env.PAGES ?? join(dirname(fileURLToPath(import.meta.url)), '../../crates/server/web-dist'));
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.html': 'text/html; charset=utf-8', '.webmanifest': 'application/manifest+json' };
/** What the daemon allows its pages. */
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; manifest-src 'self'; require-trusted-types-for 'script'; trusted-types taffrail-worker";
export const ORIGIN = 'http://taffrail.localhost:7799';
export const NOW = Date.parse('2026-11-18T14:30:00Z');
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const iso = (ms) => new Date(ms).toISOString();

const PROJECTS = ['api-auth', 'billing', 'parser', 'docs-site', 'etl', 'infra', 'mobile'].map((it) => `/home/ana/src/${it}`);
const TITLES = ['Make the refresh test pass on CI', 'Publish the invoice fix', 'Speed up the lexer', 'Move the site to its own path', 'Backfill the October orders', 'Rotate the staging certificates', 'Fix the flaky upload test', 'Explain the retry logic', 'Add pagination to the orders list', 'Upgrade the HTTP client', 'Write the changelog', 'Remove the dead feature flag'];
const MODELS = ['claude-opus-5', 'claude-haiku-5', 'gpt-5.2-codex'];
const BRANCHES = ['main', 'feat/x', 'fix/refresh'];

/** One session of many; every number leads to the same one. */
export function session(number) {
  const at = NOW - number * 47 * MINUTE;
  const lasted = (3 + ((number * 7) % 90)) * MINUTE;
  const tokens = 4000 + ((number * 7919) % 900) * 1000;
  const groups = ['needs_you', 'needs_you', 'working', 'needs_you', 'your_turn', 'done'];
  const group = groups[number] ?? (number % 9 === 8 ? 'failed' : 'done');
  const status = { needs_you: number === 3 ? 'waiting' : 'waiting_approval', working: 'running', your_turn: 'waiting' }[group] ?? 'exited';
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, runtime_session_id: `r${number}`, agent: number % 3 === 2 ? 'codex' : 'claude-code', title: TITLES[number % TITLES.length], title_derived: false,
    project_path: PROJECTS[number % PROJECTS.length], git_branch: BRANCHES[number % 3], model: MODELS[number % 3], device: null, captured: true, confidence: 'high', failed: group === 'failed', group: group === 'failed' ? 'done' : group,
    lifecycle: group === 'done' || group === 'failed' ? 'exited' : 'live', status, status_since: iso(at), started_at: iso(at - lasted), last_event_at: iso(at), prompts: 1 + (number % 6), turns: 1 + (number % 6), tool_calls: (number * 3) % 40,
    usage: { input_tokens: tokens, output_tokens: Math.round(tokens / 9), cache_read_tokens: tokens * 4, cache_write_tokens: 2000 }, cost_microdollars: number % 5 === 4 ? null : tokens * 3, cost: { reported_microdollars: number % 2 ? tokens * 3 : null, unknown_answers: 0 },
    failures: number % 4 === 1 ? number % 13 : 0, starred: number % 10 === 1, tags: number % 6 === 0 ? ['release'] : number % 6 === 3 ? ['to-review', 'q4'] : [], source_uri: `file:///home/ana/.x/${number}.jsonl`, parent_id: null, findings: number === 2 ? ['loop'] : [],
    waiting_for: number === 3 ? { kind: 'question', text: 'Which base path should the site use?', options: ['/docs', '/'] } : null,
  };
}

const COUNT = 48;
const some = (count = COUNT) => Array.from({ length: count }, (_, at) => session(at));
const tally = (count, scale = 1) => ({ sessions: count, sub_agents: 2, turns: count * 3, prompts: count * 3, tool_calls: count * 14, duration_ms: count * HOUR, cost_microdollars: 1_900_000 * count * scale, reported_microdollars: 800_000 * count, usage: { input_tokens: 210_000 * count * scale, output_tokens: 31_000 * count, cache_read_tokens: 900_000 * count, cache_write_tokens: 40_000 * count } });
const keyed = (keys) => keys.map((key, at) => ({ key, ...tally(keys.length - at + (at % 3)) }));
const counts = (value) => {
  const of = new Map();
  for (const it of some()) for (const key of [value(it)].flat()) if (key) of.set(key, (of.get(key) ?? 0) + 1);
  return [...of].map(([key, sessions]) => ({ key, sessions })).sort((a, b) => b.sessions - a.sessions);
};
const day = (ago) => iso(NOW - ago * DAY).slice(0, 10);
const stats = {
  schema_version: 1, totals: tally(48), previous: tally(41, 0.9), by_agent: keyed(['claude-code', 'codex']), by_model: keyed(MODELS), by_project: keyed(PROJECTS),
  by_day: Array.from({ length: 300 }, (_, ago) => ({ key: day(ago), ...tally(1 + ((ago * 7) % 5), ago % 7 < 2 ? 0.2 : 1) })),
};
const approval = (number, tool, command, more = {}) => ({
  id: `a${number}`, session_id: session(number).id, agent: session(number).agent, tool, command, state: 'pending', asked_at: iso(NOW - (number + 2) * MINUTE), expires_at: iso(NOW + 9 * MINUTE), risk: 'low', input_hash: `h${number}`, sources: ['hook'], project_path: session(number).project_path, ...more,
});
const approvals = [
  approval(0, 'Bash', 'npm test -- --runInBand && cargo test --workspace', { risk: 'medium', input: { cut: false, fields: { command: 'npm test -- --runInBand && cargo test --workspace', description: 'Run everything as CI does' } } }),
  approval(1, 'Bash', 'git push --force origin feat/x', { risk: 'high', input: { cut: false, fields: { command: 'git push --force origin feat/x' } } }),
  approval(2, 'Edit', 'Edit src/lexer.rs', { input: { cut: false, fields: { file_path: '/home/ana/src/parser/src/lexer.rs', old_string: 'let step = 1;\nlet end = 9;', new_string: 'let step = 2;\nlet end = 9;\nlet wide = true;' } } }),
];
const finding = (number, kind, says, more = {}) => ({ session_id: session(number).id, kind, says, confidence: 'high', since: iso(NOW - (number + 1) * 20 * MINUTE), evidence: ['e1', 'e2'], proposes: null, ...more });
const findings = [
  finding(1, 'risky_approval', 'It asks to run git push --force origin feat/x.'),
  finding(2, 'loop', 'cargo bench lexer failed the same way 4 times with nothing done in between.', { proposes: 'The benchmark fails the same way each time. Read its output before you run it again.' }),
  finding(6, 'repeated_test_failure', 'upload_retries failed the same way 4 times.', { confidence: 'medium', proposes: 'Stop changing the code. Explain why upload_retries fails.' }),
  finding(5, 'finished', 'Done after 12 minutes; the last check passed.', { evidence: ['e1'] }),
];
const lane = (number) => {
  const it = session(number);
  const start = Date.parse(it.started_at);
  const step = (Date.parse(it.last_event_at) - start) / 12;
  return { session: it, spans: Array.from({ length: 12 }, (_, at) => ({ from: Math.round(start + at * step), to: Math.round(start + (at + 0.9) * step), doing: at % 5 === 4 ? 'human' : at % 2 ? 'tool' : 'model' })) };
};
const events = (number) => [['user.prompt', 'Find out why it fails, and make it pass.'], ['assistant.message', 'Two callers renewed the same token.'], ['tool.result', 'test result: FAILED. 13 passed; 1 failed']].map(([kind, text], at) => ({
  id: `e${number}-${at}`, sessionId: session(number).id, provider: session(number).agent, kind, text, sequence: at, createdAt: iso(NOW - number * 47 * MINUTE - at * MINUTE), data: kind === 'tool.result' ? { failed: true } : {},
}));

/** What is answered, by path. */
const ANSWERS = {
  '/api/sessions': (query) => list(query, COUNT),
  '/api/projects': () => ({ schema_version: 1, projects: PROJECTS.map((path, at) => ({ path, sessions: 9 - at, sub_agents: at, last_event_at: iso(NOW - at * 5 * HOUR), prompts: 40 - at, failures: (at * 3) % 7, tokens: 900_000 - at * 91_000, cost_microdollars: at === 4 ? null : 4_200_000 - at * 400_000 })) }),
  '/api/projects/files': (query) => ({ schema_version: 1, total: 3, files: ['src/token.rs', 'src/lib.rs', 'tests/refresh.rs'].map((path, at) => ({ path, edits: 19 - at * 6, sessions: 5 - at, ...(query.get('sort') === 'cost' ? { cost_microdollars: 1_900_000 - at * 700_000 } : {}), last_edit_at: iso(NOW - at * DAY), last_session_id: session(at).id, last_session_title: session(at).title,
    changes: [0, 1].slice(at % 2).map((by) => ({ session_id: session(at + by).id, title: session(at + by).title, agent: session(at + by).agent, edits: 4 - by, at: iso(NOW - (at + by) * DAY), event_id: `e${at}`, prompt_event: `p${at}`, prompt: by ? 'Read the file first, and say what is wrong with it.' : 'Make the refresh test pass on CI.' })) })) }),
  '/api/tools': () => ({ schema_version: 1, tools: [['Bash', 181, 22, 1400, 71_000], ['Edit', 96, 3, 40, 180], ['Read', 240, 1, 9, 60], ['Grep', 61, 0, 70, 900]].map(([tool, calls, failed, p50_ms, p95_ms], at) => ({ tool, calls, failed, denied: at ? 0 : 4, p50_ms, p95_ms })) }),
  '/api/stats': () => stats,
  '/api/activity': () => ({ schema_version: 1, since: iso(NOW - DAY), until: iso(NOW), more: false, lanes: Array.from({ length: 24 }, (_, at) => lane(at)), hours: Array.from({ length: 168 }, (_, at) => ((at % 24 > 8 && at % 24 < 19 ? 1 : 0) * (at * 7919)) % 90_000) }),
  '/api/approvals': () => ({ schema_version: 1, approvals }),
  '/api/approvals/log': () => ({ schema_version: 1, decisions: [['cargo test refresh', 'allow', 'web', null], ['rm -rf target', 'deny', 'web', 'Not now'], ['git push origin main', 'allow', 'rule', null]].map(([command, decision, by, why], at) => ({ approval_id: `d${at}`, session_id: session(at).id, command, decision, by, why, at: iso(NOW - (3 - at) * HOUR), outcome: 'taken' })) }),
  '/api/denials': () => ({ schema_version: 1, since: iso(NOW - 7 * DAY), more: false, denials: [['Bash', 'git push --force origin main', 'dialog', 'not on main', null], ['Bash', 'rm -rf target', 'web', 'Not now', null], ['Edit', '/home/ana/src/infra/prod.tf', 'rule', null, 'deny Edit **/prod.tf']].map(([tool, command, by, why, rule], at) => ({ at: iso(NOW - (at * 7 + 1) * HOUR), session_id: session(at).id, title: session(at).title, agent: session(at).agent, project_path: session(at).project_path, tool, command, by, why, rule, event_id: at ? null : 'e0', approval_id: at ? `d${at}` : null })) }),
  '/api/findings': () => ({ schema_version: 1, findings }),
  '/api/quota': () => ({ schema_version: 1, quotas: [{ agent: 'claude-code', limit: 'five_hour', window_minutes: 300, used_percent: 64, resets_at: iso(NOW + 2 * HOUR), stale: false, age_seconds: 60, full_at: iso(NOW + HOUR) }, { agent: 'codex', limit: 'weekly', window_minutes: 10_080, used_percent: 91, resets_at: iso(NOW + 2 * DAY), stale: false, age_seconds: 600, full_at: null }] }),
  '/api/health': () => ({ schema_version: 1, version: '0.1.0', pid: 417, started_at: iso(NOW - 3 * HOUR), sources: 61, sessions: 248, live_sessions: 6, streams: 1, problems: [], reading: null, adapters: [{ agent: 'claude-code', sessions: 171, last_event_at: iso(NOW - MINUTE), unknown_records: 0, unknown_types: [] }, { agent: 'codex', sessions: 77, last_event_at: iso(NOW - HOUR), unknown_records: 2, unknown_types: ['turn_aborted'] }], places: [{ root: '/home/ana/.claude', agents: ['claude-code'], sources: 42, lag_ms: 12, read_at: iso(NOW - MINUTE), told: 841, coalesced: 12, dropped: 0, problems: [] }] }),
  '/api/doctor': () => ({ schema_version: 1, checks: [{ id: 'hooks', status: 'warning', evidence: 'codex has no hook', fix: 'taffrail hooks install codex' }, { id: 'index', status: 'ok', evidence: '248 sessions', fix: null }] }),
  '/api/rules': () => ({ schema_version: 1, file: '/home/ana/.config/taffrail/rules.toml', holds_back: false, rules: [{ number: 1, text: 'allow Bash cargo test *', origin: 'user', fault: null }, { number: 2, text: 'deny Bash terraform destroy *', origin: 'user', fault: null }] }),
  '/api/hooks': () => ({ schema_version: 1, agents: [{ agent: 'claude-code', label: 'Claude Code', home: '/home/ana/.claude', file: '/home/ana/.claude/settings.json', state: 'installed', notes: [] }, { agent: 'codex', label: 'Codex', home: '/home/ana/.codex', file: '/home/ana/.codex/hooks.json', state: 'absent', notes: [] }] }),
  '/api/search': () => ({ schema_version: 1, total: 2, total_is_at_least: false, partial: false, hits: [0, 6].map((it) => ({ session_id: session(it).id, event_id: `e${it}`, agent: session(it).agent, title: session(it).title, project_path: session(it).project_path, kind: 'assistant.message', created_at: iso(NOW - it * HOUR), snippet: 'Two callers renewed the same token: the check and the request were not one step.', matches: [[26, 31]], stale: false })) }),
};

/** A page of the list of sessions; the cursor is a number. */
function list(query, total) {
  const [limit, after] = [Number(query.get('limit') ?? 100), Number(query.get('after') ?? 0)];
  const words = query.get('words')?.toLowerCase();
  const chosen = words ? some(total).filter((it) => it.title.toLowerCase().includes(words)) : undefined;
  const all = chosen?.length ?? total;
  const until = Math.min(all, after + limit);
  const facets = { project: counts((it) => it.project_path), agent: counts((it) => it.agent), model: counts((it) => it.model), branch: counts((it) => it.git_branch), tag: counts((it) => it.tags), device: [], status: counts((it) => it.status) };
  return { schema_version: 1, total: all, next: until < all ? String(until) : null, sessions: chosen?.slice(after, until) ?? Array.from({ length: until - after }, (_, at) => session(after + at)), ...(query.get('facets') === 'true' ? { facets } : {}) };
}

/** Serves the pages and the answers in a browser's context. `sessions` says how many there are, `marks` hears what is written on one. */
export async function mock(context, { sessions = COUNT, marks = () => ({}), answers = {}, live = 8 } = {}) {
  await context.route(`${ORIGIN}/**`, async (route) => {
    const url = new URL(route.request().url());
    const path = decodeURIComponent(url.pathname);
    const json = (body, status = 200) => route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
    if (answers[path]) return json(answers[path](url.searchParams));
    if (path === '/api/sessions') return json(list(url.searchParams, sessions));
    if (ANSWERS[path]) return json(ANSWERS[path](url.searchParams));
    const [, id, what] = /^\/api\/sessions\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (what === 'marks') return json({ schema_version: 1, session_id: id, tags: [], starred: false, title: null, renamed: false, notes: [], ...marks(id, route.request().postDataJSON()) });
    if (what === 'stream') return json({ schema_version: 1, cursor: '', more: false, events: events(Number(id.slice(-12))) });
    if (what === 'summary') return json({ schema_version: 1, session_id: id, current: 'running cargo bench lexer', recent: 'The check and the request were not one step.', last_prompt: 'Make the refresh test pass on CI' });
    if (path.startsWith('/api/')) return json({ error: { kind: 'not_found', code: 3, retryable: false, message: `nothing at ${path}`, hint: null } }, 404);
    const file = join(BUILT, extname(path) ? path : 'index.html');
    if (!existsSync(file)) return route.fulfill({ status: 404, body: '' });
    return route.fulfill({ body: readFileSync(file), contentType: TYPES[extname(file)], headers: extname(file) === '.html' ? { 'content-security-policy': CSP } : {} });
  });
  await context.routeWebSocket(`${ORIGIN.replace('http', 'ws')}/ws`, (socket) => {
    socket.onMessage((text) => {
      if (String(text).includes('subscribe-stream')) socket.send(JSON.stringify({ type: 'stream-init', sessions: some(live) }));
    });
  });
}
