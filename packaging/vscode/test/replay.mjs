// A mock of the daemon, so that these tests need no program: it answers with replies that `record.mjs` took from a real one, and lets
// in whom the daemon lets in. `real.sh` runs against the daemon itself.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const replies = JSON.parse(readFileSync(new URL('replies.json', import.meta.url), 'utf8'));
const NAME = '0123456789abcdef0123456789abcdef.localhost';
export const CODE = 'ab'.repeat(32);

export class Replay {
  state = { ...replies }; seen = []; streams = new Set(); acts = false; codes = new Set([CODE]);

  static async open() {
    const it = new Replay();
    it.folder = mkdtempSync(join(tmpdir(), 'taffrail-editor-'));
    mkdirSync(join(it.folder, 'taffrail'), { mode: 0o700 });
    process.env.XDG_STATE_HOME = it.folder;
    it.socket = createServer((request, reply) => it.read(request, reply)).listen(join(it.folder, 'taffrail/taffrail.sock'));
    it.port = createServer((request, reply) => it.act(request, reply)).listen(0, '127.0.0.1');
    await Promise.all([it.socket, it.port].map((server) => new Promise((done) => server.on('listening', done))));
    it.host = `${NAME}:${it.port.address().port}`;
    it.file = join(it.folder, 'taffrail/daemon.json');
    it.announce(`http://127.0.0.1:${it.port.address().port}`);
    return it;
  }
  announce(http) {
    writeFileSync(this.file, JSON.stringify({ pid: process.pid, version: '0', socket: join(this.folder, 'taffrail/taffrail.sock'), http }), { mode: 0o600 });
  }
  get address() { return `http://${this.host}/enter?code=${CODE}`; }
  /** Over the socket: what any program of the user may read. */
  read(request, reply) {
    if (request.url === '/api/stream') {
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(replies.snapshot);
      this.streams.add(reply);
    } else {
      const body = { '/api/health': replies.health, '/api/stream/status': this.state.status, '/api/approvals': this.state.approvals }[request.url];
      reply.writeHead(body ? 200 : 404).end(JSON.stringify(body ?? {}));
    }
  }
  change(state) {
    Object.assign(this.state, state);
    for (const it of this.streams) it.write('event: approval\ndata: {}\n\n');
  }
  /** At the port: who acts must be a page of ours, signed in, and confirmed. */
  async act(request, reply) {
    const body = Buffer.concat(await request.toArray()).toString();
    const { host, origin, cookie, 'x-taffrail-page': page } = request.headers;
    this.seen.push([request.method, request.url.replace(CODE, 'CODE'), host === this.host, origin === `http://${this.host}`, page, cookie ?? '', body]);
    const say = ({ status, body: text }) => reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text));
    const [path, code] = request.url.split('?code=');
    if (path === '/enter') {
      const set = this.codes.delete(code) ? { 'set-cookie': 'taffrail-1=secret; Path=/; HttpOnly; SameSite=Strict', location: '/' } : {};
      return void reply.writeHead(set.location ? 303 : 401, set).end();
    }
    if (cookie !== 'taffrail-1=secret') return say(replies.stranger);
    if (request.url === '/api/web/confirm') return (this.acts = true), say({ status: 200, body: {} });
    if (!this.acts) return say(replies.unconfirmed);
    const id = request.url.split('/').pop();
    return say(this.decided?.has(id) ? replies.taken : ((this.decided ??= new Set()).add(id), { status: 200, body: replies.decided }));
  }
  /** The methods and paths that arrived at the port. */
  get paths() { return this.seen.map(([method, path]) => `${method} ${path}`); }
  /** Ends the socket, or everything. */
  closeSocket() {
    this.socket.closeAllConnections();
    return new Promise((done) => this.socket.close(done));
  }
  async close() {
    this.port.closeAllConnections();
    await Promise.all([this.closeSocket(), new Promise((done) => this.port.close(done))]);
    rmSync(this.folder, { recursive: true });
  }
}
