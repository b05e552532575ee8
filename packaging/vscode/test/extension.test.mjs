// What the extension shows and does, in a stub of the editor, with replies of a real daemon.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { spawn } from 'node:child_process';
import test from 'node:test';
import { Editor } from './editor.mjs';
import { Replay, replies } from './replay.mjs';

const [plain, risky] = replies.approvals.approvals;
const titled = (title) => replies.status.sessions.find((it) => it.title === title);
const first = titled('Make the refresh test pass');
const ticket = (replay) => JSON.stringify({ host: replay.host, cookie: 'taffrail-1=secret' });
const acted = (path, body, replay) => ['POST', path, true, true, '1', 'taffrail-1=secret', JSON.stringify(body)];

/** A test with a daemon, an editor in which the extension runs, and a clock. */
function staged(name, run) {
  test(name, { timeout: 10_000 }, async ({ signal }) => {
    const [replay, editor] = [await Replay.open(), new Editor()];
    const subscriptions = [];
    const it = {
      replay, editor, clock: 0,
      start() { return editor.load('extension').activate({ secrets: editor.secretStorage, subscriptions }); },
      signedIn(acts = true) { editor.secrets.set(editor.load('sign-in').KEY, ticket(replay)); replay.acts = acts; },
      /** A message about a request, at this clock's time. */
      ask(approval) {
        const { Asker, report } = editor.load('ask');
        return new Asker(editor.secretStorage, () => it.clock).ask(approval).catch(report);
      },
      async message(number) { return editor.until(() => editor.messages[number]); },
    };
    try {
      // What waits in vain still ends its servers.
      await Promise.race([run(it), new Promise((_, failed) => signal.addEventListener('abort', () => failed(new Error('timed out'))))]);
    } finally {
      subscriptions.forEach((each) => each.dispose());
      await replay.close();
    }
  });
}

staged('the view, the badge and the status bar show who needs the user', async ({ editor, start }) => {
  assert.equal(start(), undefined, 'other extensions get nothing from this one');
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'on');
  const rows = [
    ['shield', 'Make the refresh test pass', `api-auth · ${first.waiting_for.text}`],
    ['shield', 'Publish the invoice fix', `billing · ${titled('Publish the invoice fix').waiting_for.text}`],
    ['question', 'Move the site', 'docs-site · Which base path should the site use?'],
  ];
  const { badge, item, rows: shown } = editor.shown();
  assert.deepEqual({ badge, item, rows: shown.sort() }, { badge: 3, item: '$(bell) 3 need you', rows: rows.sort() });
  assert.deepEqual(editor.messages, [], 'requests from before are in the view only');
});

staged('who waits longest is first, and a new one moves none', async ({ editor, replay, start }) => {
  const at = (title, hour) => ({ ...titled(title), status_since: `2026-11-18T${hour}:00:00Z` });
  start();
  replay.change({ status: { sessions: [at('Move the site', 12), { ...at('Publish the invoice fix', 9), group: 'working' }, at('Make the refresh test pass', 10)] } });
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'on');
  assert.deepEqual(editor.shown().rows.map(([, label]) => label), ['Make the refresh test pass', 'Move the site']);
  assert.equal(editor.shown().item, '$(bell) 2 need you');
});

staged('without a daemon the view says so', async ({ editor, replay, start }) => {
  start();
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'on');
  await replay.closeSocket();
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'off');
  assert.deepEqual(editor.shown(), { badge: undefined, item: '', rows: [] });
});

staged('a file that others can write names no daemon', async ({ editor, replay, start }) => {
  chmodSync(replay.file, 0o622);
  start();
  assert.equal(editor.contexts['taffrail.daemon'], 'off');
});

staged('each new request is one message, in the window of its folder or the one that has the focus', async ({ editor, replay, start }) => {
  const more = (id, project_path) => ({ ...plain, id, project_path });
  start();
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'on');
  Object.assign(editor, { focused: false, folders: ['/home/ana/src/here'] });
  replay.change({ approvals: { approvals: [plain, more('n1', '/home/ana/src/here/below'), more('n2', '/home/ana/src/elsewhere')] } });
  await editor.until(() => editor.messages.length === 1);
  assert.match(editor.messages[0].text, /^claude-code in below asks to run: /);
  editor.focused = true;
  editor.windowState.fire({ focused: true });
  await editor.until(() => editor.messages.length === 2);
  assert.match(editor.messages[1].text, /^claude-code in elsewhere asks to run: /);
});

staged('Allow and Deny are sent as a page of the daemon sends them, once', async (it) => {
  it.signedIn();
  const check = async (word, approval, body) => {
    const [number, asked] = [it.editor.messages.length, it.ask(approval)];
    const { text, buttons, press } = await it.message(number);
    assert.deepEqual([text, buttons], ['claude-code in api-auth asks to run: npm test -- --runInBand', ['Open', 'Deny', 'Allow']]);
    it.clock += 601;
    press(word);
    await asked;
    assert.deepEqual(it.replay.seen.pop(), acted(`/api/approvals/${approval.id}`, body));
  };
  await check('Allow', plain, { decision: 'allow' });
  await check('Deny', { ...plain, id: 'other' }, { decision: 'deny' });
  assert.deepEqual(it.editor.texts, ['Taffrail: allowed', 'Taffrail: denied']);
});

staged('a request that somebody else decided says so', async (it) => {
  it.signedIn();
  it.replay.decided = new Set([plain.id]);
  const asked = it.ask(plain);
  const { press } = await it.message(0);
  it.clock += 601;
  press('Allow');
  await asked;
  const { message, hint } = replies.taken.body.error;
  assert.deepEqual([it.editor.messages[1].kind, it.editor.messages[1].text], ['error', `Taffrail: ${hint ? `${message} (${hint})` : message}`]);
});

staged('a button that is new, or that moved, does nothing', async (it) => {
  it.signedIn();
  const asked = it.ask(plain);
  const { press } = await it.message(0);
  it.clock += 599;
  press('Allow');
  const { press: again } = await it.message(1);
  assert.deepEqual(it.replay.seen, []);
  it.clock += 601;
  again(undefined);
  await asked;
  assert.deepEqual(it.replay.seen, [], 'a closed message decides nothing');
});

staged('a request that cannot be shown whole, or looks risky, has only Open', async (it) => {
  it.signedIn();
  const check = async (approval, text) => {
    const [number, asked] = [it.editor.messages.length, it.ask(approval)];
    const message = await it.message(number);
    assert.deepEqual([message.text, message.buttons], [`claude-code in ${text}`, ['Open']]);
    message.press('Open');
    await asked;
    assert.equal(it.editor.opened.at(-1), `http://${it.replay.host}/session/${approval.session_id}`);
  };
  await check(risky, 'billing asks for approval (Bash). It looks risky: open to read.');
  await check({ ...plain, truncated: true }, 'api-auth asks for approval (Bash). Open to read.');
  assert.deepEqual(it.replay.seen, []);
});

staged('without a sign-in the user fetches an address, confirms, and is asked again', async (it) => {
  const asked = it.ask(plain);
  it.clock += 601;
  (await it.message(0)).press('Allow');
  const offer = await it.message(1);
  assert.deepEqual([offer.text, offer.buttons], ['Sign in to answer requests from here.', ['Sign in']]);
  offer.press('Sign in');
  await it.editor.until(() => it.editor.inputs.length);
  const [terminal, input] = [it.editor.terminals[0], it.editor.inputs[0]];
  assert.deepEqual([terminal.text, input.password], [['taffrail web --print-url'], true]);
  input.type(`${it.replay.address}\n`);
  const question = await it.message(2);
  assert.deepEqual([question.text, question.modal, terminal.isOpen], ['May this editor answer requests as you?', true, false]);
  question.press('It may');
  const again = await it.message(3);
  assert.deepEqual(it.replay.paths, ['GET /enter?code=CODE', 'POST /api/web/confirm'], 'nothing was decided');
  it.clock += 601;
  again.press('Allow');
  await asked;
  assert.deepEqual(it.replay.paths.slice(2), [`POST /api/approvals/${plain.id}`]);
  assert.deepEqual([...it.editor.secrets.values()], [ticket(it.replay)]);
});

staged('after a restart of the daemon the user confirms again', async (it) => {
  it.signedIn(false);
  const asked = it.ask(plain);
  it.clock += 601;
  (await it.message(0)).press('Allow');
  (await it.message(1)).press(undefined);
  (await it.message(2)).press(undefined);
  await asked;
  assert.deepEqual(it.replay.paths, [`POST /api/approvals/${plain.id}`], 'it was not confirmed, and nothing was decided');
});

staged('a foreign or used address lets nobody in', async (it) => {
  const { signIn } = it.editor.load('sign-in');
  const check = async (typed, expected, paths) => {
    it.replay.seen = [];
    const entered = signIn(it.editor.secretStorage).then(() => '', (error) => error.message);
    it.editor.inputs.at(-1).type(typed);
    assert.match(await entered, expected);
    assert.deepEqual([it.replay.paths, it.editor.secrets.size], [paths, 0], typed);
  };
  const foreign = /^This is not an address that `taffrail web --print-url` prints\.$/;
  await check(it.replay.address.replace('.localhost', '.example'), foreign, []);
  await check(it.replay.address.replace(/^http/, 'https'), foreign, []);
  await check(it.replay.address.replace(/:\d+/, ':1'), /^the address for browsers is closed or has changed$/, []);
  it.replay.codes.clear();
  await check(it.replay.address, /^This address no longer works/, ['GET /enter?code=CODE']);
});

staged('another program at the port never gets the cookie', async (it) => {
  it.signedIn();
  const press = async () => {
    const [number, asked] = [it.editor.messages.length, it.ask(plain)];
    it.clock += 601;
    (await it.message(number)).press('Allow');
    const offer = await it.message(number + 1);
    offer.press(undefined);
    // After an offer the request is asked again, and closed here.
    if (offer.kind === 'information') (await it.message(number + 2)).press(undefined);
    await asked;
    return offer.text;
  };
  it.replay.announce('http://127.0.0.1:1');
  assert.equal(await press(), 'Sign in to answer requests from here.');
  it.replay.announce(null);
  assert.equal(await press(), 'Sign in to answer requests from here.');
  it.replay.announce(`http://127.0.0.1:${it.replay.port.address().port}`);
  await it.replay.closeSocket();
  assert.match(await press(), /^Taffrail: No Taffrail daemon runs on this machine/);
  assert.deepEqual(it.replay.seen, []);
});

staged('no command decides, whoever calls it and with whatever', async ({ editor, replay, signedIn, start }) => {
  signedIn();
  start();
  await editor.until(() => editor.contexts['taffrail.daemon'] === 'on');
  const names = ['taffrail.jump', 'taffrail.open', 'taffrail.review', 'taffrail.signIn', 'taffrail.signOut'];
  assert.deepEqual([...editor.commands.keys()].sort(), names);
  const forged = { ...first, id: 'x; touch /tmp/x', session_id: first.id, pending_approval_id: plain.id, executor: null, pid: null };
  for (const name of names.slice(0, 3)) assert.equal(editor.commands.get(name)(forged), undefined);
  editor.commands.get('taffrail.review')({ ...forged, id: first.id });
  editor.commands.get('taffrail.open')({ ...forged, id: first.id });
  await editor.until(() => editor.opened.length && editor.messages.length);
  assert.deepEqual([editor.messages.map((it) => it.text), editor.opened], [['claude-code in api-auth asks to run: npm test -- --runInBand'], [`http://${replay.host}/session/${first.id}`]]);
  assert.deepEqual([replay.seen, editor.terminals], [[], []]);
});

staged('a session leads to its terminal of this window, to tmux, or says that it is elsewhere', async ({ editor }) => {
  const { jump } = editor.load('terminal');
  const child = spawn('sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    const terminal = editor.terminal({ name: 'zsh' });
    terminal.processId = Promise.resolve(process.pid);
    await jump({ id: 'a', executor: `process:${child.pid}`, pid: child.pid });
    assert.deepEqual([terminal.shown, editor.terminals.length, editor.messages], [1, 1, []]);
    await jump({ id: 'b', executor: 'tmux:/nowhere/socket:%7', pid: child.pid });
    assert.deepEqual(editor.terminals[1].text, ['taffrail attach b']);
    void jump({ id: 'c', executor: null, pid: null });
    assert.equal((await editor.until(() => editor.messages[0])).text, 'It does not run in a terminal of this window, nor in tmux.');
  } finally {
    child.stdin.end();
  }
});

staged('in a folder that is not trusted commands are named and not run', async ({ ask, editor, message }) => {
  editor.isTrusted = false;
  const asked = ask(risky);
  (await message(0)).press('Open');
  await asked;
  const { signIn } = editor.load('sign-in');
  void signIn(editor.secretStorage);
  await editor.until(() => editor.inputs.length);
  assert.deepEqual([editor.messages.slice(1).map((it) => it.text), editor.terminals], [['Run this in a terminal: taffrail web', 'Run this in a terminal: taffrail web --print-url'], []]);
});

staged('before a sign-in Open opens the board, which signs the browser in', async ({ ask, editor, message }) => {
  const asked = ask(risky);
  (await message(0)).press('Open');
  await asked;
  assert.deepEqual([editor.terminals[0].text, editor.opened], [['taffrail web'], []]);
});
