// A machine for the browser's tests and pictures: a home with sessions of several agents that look like real work,
// a daemon over it, and hooks as agents call them. Nothing outside a folder of its own is touched.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, appendFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const BIN = process.env.TAFFRAIL ? resolve(process.env.TAFFRAIL) : ['release', 'debug'].map((it) => join(ROOT, 'target', it, 'taffrail')).find(existsSync);

const iso = (ms) => new Date(ms).toISOString();
export const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** One session of the first agent, written line by line as that agent does. */
export class Claude {
  constructor(stage, { id, cwd, branch = 'main', start, model = 'claude-opus-4-5-20251101', title }) {
    Object.assign(this, { stage, id, cwd, branch, model, now: start, last: null, count: 0 });
    this.path = join(stage.home, '.claude/projects', cwd.replace(/[^\w]/g, '-'), `${id}.jsonl`);
    mkdirSync(dirname(this.path), { recursive: true });
    if (title) this.titled(title);
  }
  titled(title) { appendFileSync(this.path, `${JSON.stringify({ type: 'ai-title', aiTitle: title, sessionId: this.id })}\n`); }
  line(more) {
    this.count += 1;
    const own = `${this.id.slice(-8)}-0000-4000-8000-${String(this.count).padStart(12, '0')}`;
    const record = {
      parentUuid: this.last, isSidechain: false, userType: 'external', cwd: this.cwd, sessionId: this.id, version: '2.1.240',
      gitBranch: this.branch, uuid: own, timestamp: iso(this.now), ...more,
    };
    appendFileSync(this.path, `${JSON.stringify(record)}\n`);
    this.last = own;
    return this;
  }
  wait(seconds) { this.now += seconds * 1000; return this; }
  asks(text) { return this.line({ type: 'user', message: { role: 'user', content: text } }); }
  block(content, stop, spent = 4000) {
    const usage = { input_tokens: 12, output_tokens: 180 + (spent % 700), cache_read_input_tokens: spent * 9, cache_creation_input_tokens: spent };
    const message = { id: `msg_${this.id.slice(-4)}_${this.count}`, type: 'message', role: 'assistant', model: this.model, content: [content], stop_reason: stop, usage };
    return this.line({ type: 'assistant', message, requestId: `req_${this.id.slice(-4)}_${this.count}` });
  }
  thinks(text) { return this.block({ type: 'thinking', thinking: text, signature: 'x' }, null); }
  says(text, stop = 'end_turn') { return this.block({ type: 'text', text }, stop, 2400); }
  calls(name, input) { this.call = `toolu_${this.id.slice(-4)}_${this.count}`; return this.block({ type: 'tool_use', id: this.call, name, input }, 'tool_use'); }
  result(content, failed = false, more = {}) {
    const block = { type: 'tool_result', tool_use_id: this.call, content, ...(failed ? { is_error: true } : {}) };
    return this.line({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult: content, ...more });
  }
}

export class Stage {
  static async open({ http = '127.0.0.1:0' } = {}) {
    const stage = new Stage();
    stage.folder = mkdtempSync(join(tmpdir(), 'taffrail-web-'));
    stage.home = join(stage.folder, 'home');
    mkdirSync(stage.home, { recursive: true });
    stage.env = { HOME: stage.home, PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', NO_COLOR: '1' };
    for (const [name, folder] of [['CONFIG_HOME', 'c'], ['DATA_HOME', 'd'], ['STATE_HOME', 's'], ['CACHE_HOME', 'k'], ['RUNTIME_DIR', 'r']]) {
      stage.env[`XDG_${name}`] = join(stage.folder, folder);
      mkdirSync(stage.env[`XDG_${name}`], { mode: 0o700 });
    }
    // A test has no terminal: it does what a script may that the user lets decide.
    mkdirSync(join(stage.env.XDG_CONFIG_HOME, 'taffrail'), { mode: 0o700 });
    writeFileSync(join(stage.env.XDG_CONFIG_HOME, 'taffrail/config.toml'), '[control]\nscripts = true\n', { mode: 0o600 });
    // Whatever ends the test, nothing of it is left running.
    process.on('exit', () => stage.children.forEach((child) => child.kill('SIGKILL')));
    stage.http = http;
    stage.children = [];
    return stage;
  }
  run(...words) { return execFileSync(BIN, words, { env: this.env, cwd: this.home, encoding: 'utf8' }); }
  async start() {
    const child = spawn(BIN, ['daemon', 'run', '--http', this.http], { env: this.env, cwd: this.home, stdio: 'ignore' });
    this.children.push(child);
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      try {
        const status = JSON.parse(this.run('daemon', 'status', '--json'));
        if (status.running && status.http) { this.api = status.http; this.url = new URL(this.entrance()).origin; return this; }
      } catch { /* It is not there yet. */ }
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('the daemon did not come up');
  }
  /** What the daemon answers a program with the token; only browsers know where a name below localhost leads. */
  async answer(url) {
    const asked = new URL(url);
    const authorization = `Bearer ${this.run('token', '--show').trim()}`;
    const answer = await fetch(this.api + asked.pathname + asked.search, { headers: { authorization } });
    return { status: answer.status, contentType: answer.headers.get('content-type') ?? undefined, body: await answer.text() };
  }
  /** Ends every cookie; the pages have another name from then on. */
  renew() {
    this.run('token', '--renew');
    this.url = new URL(this.entrance()).origin;
  }
  /** An address that lets one browser in. */
  entrance() { return this.run('web', '--print-url').trim(); }
  /** A hook as an agent calls it; what it answered is promised. */
  hook(session, event, more = {}) {
    const payload = { session_id: session.id, transcript_path: session.path, cwd: session.cwd, permission_mode: 'default', hook_event_name: event, ...more };
    const child = spawn(BIN, ['hook', 'claude-code'], { env: this.env, cwd: this.home, stdio: ['pipe', 'pipe', 'ignore'] });
    this.children.push(child);
    child.stdin.end(JSON.stringify(payload));
    let out = '';
    child.stdout.on('data', (it) => { out += it; });
    return new Promise((done) => child.on('exit', () => done(out)));
  }
  async close() {
    for (const child of this.children) if (child.exitCode === null) child.kill('SIGKILL');
    await new Promise((done) => setTimeout(done, 100));
    await this.clear();
  }
  /** Removes the folder, also while somebody who was ended writes his last lines. */
  async clear(tries = 50) {
    try { rmSync(this.folder, { recursive: true, force: true }); } catch (error) {
      if (tries === 0) throw error;
      await new Promise((done) => setTimeout(done, 100));
      await this.clear(tries - 1);
    }
  }
}
