// Takes the replies that `replay.mjs` gives from a real daemon: TAFFRAIL=PROGRAM node test/record.mjs
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Claude, Stage, uuid } from '../../../web/tests/stage.mjs';

const START = Date.parse('2026-11-18T14:00:00Z');
const stage = await Stage.open();
const session = (number, name, title) => new Claude(stage, { id: uuid(number), cwd: `/home/ana/src/${name}`, title, start: Date.now() - 60_000 }).asks(title);
const [auth, billing, docs] = [session(1, 'api-auth', 'Make the refresh test pass'), session(2, 'billing', 'Publish the invoice fix'), session(3, 'docs-site', 'Move the site')];
await stage.start();
void stage.hook(auth, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'npm test -- --runInBand', description: 'Run the tests' } });
void stage.hook(billing, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'git push --force origin feat/x' } });
await stage.hook(docs, 'PreToolUse', { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which base path should the site use?' }] }, tool_use_id: 'toolu_x' });

const { socket } = JSON.parse(stage.run('daemon', 'status', '--json'));
const ask = (options, body) => new Promise((done, failed) => {
  const asked = request(options, async (reply) => done({ status: reply.statusCode, headers: reply.headers, text: Buffer.concat(await reply.toArray()).toString() }));
  asked.on('error', failed).end(body && JSON.stringify(body));
});
const read = async (path) => JSON.parse((await ask({ socketPath: socket, path, headers: { host: 'localhost' } })).text);
let found;
do found = [await read('/api/stream/status'), await read('/api/approvals')];
while (found[0].sessions.filter((it) => it.group === 'needs_you').length < 3 || found[1].approvals.length < 2);

const entrance = new URL(stage.entrance());
const { host } = entrance;
const at = { host: '127.0.0.1', port: entrance.port, headers: { host } };
const cookie = (await ask({ ...at, path: entrance.pathname + entrance.search })).headers['set-cookie'][0].split(';')[0];
const page = { host, origin: `http://${host}`, 'content-type': 'application/json', 'x-taffrail-page': '1' };
const post = async (path, body, more) => {
  const { status, text } = await ask({ ...at, method: 'POST', path, headers: { ...page, ...more } }, body);
  return { status, body: JSON.parse(text) };
};
const decision = `/api/approvals/${found[1].approvals[0].id}`;
const stranger = await post(decision, { decision: 'deny' }, {});
const unconfirmed = await post(decision, { decision: 'deny' }, { cookie });
await post('/api/web/confirm', {}, { cookie });
const decided = await post(decision, { decision: 'deny' }, { cookie });
const taken = await post(decision, { decision: 'allow' }, { cookie });
const snapshot = await new Promise((done) => {
  const stream = request({ socketPath: socket, path: '/api/stream', headers: { host: 'localhost', accept: 'text/event-stream' } }, (reply) => {
    let text = '';
    reply.setEncoding('utf8').on('error', () => {}).on('data', (it) => { text += it; if (text.includes('\n\n')) { stream.destroy(); done(text.slice(0, text.indexOf('\n\n') + 2)); } });
  });
  stream.on('error', () => {}).end();
});
const { places: _, ...health } = await read('/api/health');
const all = { status: found[0], approvals: found[1], health, stranger, unconfirmed, decided: decided.body, taken, snapshot };
const text = JSON.stringify(all, null, 1).replaceAll(stage.folder, '/home/ana');
// Times and processes of this run say nothing.
const quiet = text.replace(/"20\d\d-[\d-]+T[\d:.]+Z?"/g, `"${new Date(START).toISOString()}"`);
writeFileSync(new URL('replies.json', import.meta.url), `${quiet}\n`);
await stage.close();
