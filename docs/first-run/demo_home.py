#!/usr/bin/env python3
"""demo_home.py OUT_HOME

Writes a made-up home with a small history of four agents: 14 sessions of the last days in the
projects of somebody called Sam. Ages are counted back from now, so that a list made of it looks the
same whenever it is made; ids depend on nothing but this file. Standard library only; how Claude Code
and Codex write is taken from bench/questions/corpus.py."""
import datetime, json, os, random, re, sqlite3, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'bench', 'questions'))
from corpus import Claude, Codex, Ids, J, iso  # noqa: E402

# ---------------------------------------------------------------- the history
def run(command, *output):
    return dict(tool='bash', arg=command, out=list(output), err=False)

def fails(command, *output):
    return dict(tool='bash', arg=command, out=list(output), err=True, desc='See how often it fails')

def read(path, *output):
    return dict(tool='read', arg=path, out=list(output), err=False)

def edit(path, old, new):
    return dict(tool='edit', arg=path, out=[], err=False, old=[old], new=[new])

def turn(prompt, *steps_and_answer):
    *steps, answer = steps_and_answer
    return dict(prompt=prompt, steps=steps, answer=answer)

SESSIONS = [  # age, agent, project, branch, the title the agent gave it, turns
    ('4m', 'claude', 'api', 'main', 'Answer 429 with Retry-After', [
        turn('send Retry-After whenever we answer 429',
             edit('src/limit.ts', 'return reply.code(429)', 'return reply.code(429).header("Retry-After", wait)'),
             run('npm run check', 'src/limit.ts ok', '41 passed'),
             'Done. `limit.ts` now says how long to wait, in whole seconds and rounded up,\n'
             'so that a client never comes back too early.'),
        turn('and the mobile app? does it honour that?',
             run('rg -n "429" ../mobile/src', '../mobile/src/http.ts:58: if (status === 429) await sleep(1000);'),
             'Not yet: `http.ts` always waits one second. I left it alone, it is another repository.')]),
    ('26m', 'codex', 'web', 'settings-tabs', '', [
        turn('remember the open tab of the settings page',
             run('rg -n "useState\\(" src/settings', 'src/settings/Page.tsx:12:  const [tab, setTab] = useState("profile");'),
             edit('src/settings/Page.tsx', 'useState("profile")', 'useQueryState("tab", "profile")'),
             'The tab is part of the address now (`?tab=billing`), so reload and back work, too.'),
        turn('keyboard?', 'Left and right move between tabs, Home and End go to the first and the last.'),
        turn('open a PR', run('gh pr create --fill', 'created 412'), 'It is open, number 412.')]),
    ('1h', 'gemini', 'docs-site', 'main', 'Base path of the docs on the new host', [
        turn('which base path should the docs use on the new host',
             run('cat astro.config.mjs', 'site: "https://tidepool.example",'),
             '`/docs/`, with the slash. Relative links in the guides resolve wrongly without it.'),
        turn('set it and check the links', run('npm run links', '312 links, 0 dead'), 'Set. All 312 links resolve.')]),
    ('3h', 'claude', 'worker', 'main', 'Dead letter queue grows', [
        turn('dead letter queue grows, who is supposed to read it?',
             run('nats consumer ls JOBS', 'retry', 'thumbnail'),
             'Nobody. The consumer was renamed in March and its old name is still in the policy.'),
        turn('bring it back, slowly', edit('deploy/consumers.yaml', 'name: dead', 'name: dead-letters'),
             'It is back with ten messages a second; 18,000 wait, so it needs half an hour.')]),
    ('5h', 'codex', 'api', 'main', '', [
        turn('invoices by customer takes 4 seconds, add an index',
             run('psql -c "explain analyze select ..."', 'Seq Scan on invoices (actual time=4112.03 ms)'),
             edit('migrations/0042_invoices.sql', '', 'create index concurrently on invoices (customer_id, issued_at desc);'),
             'With the index on customer and date it takes 3 ms. It is built concurrently, without a lock.')]),
    ('9h', 'goose', 'notes', '', '', [
        turn('write the weekly report from the closed issues',
             run('gh issue list --state closed --search "closed:>2026-11-07"', '14 issues'),
             'Fourteen issues, grouped by team, are in `reports/week-46.md`. Two have no owner.'),
        turn('shorter, five lines', 'Five lines now; the table went to the end.')]),
    ('1d', 'claude', 'web', 'main', 'Login test fails every fifth run', [
        turn('the login test is flaky on CI, it fails about every fifth run',
             fails('npx playwright test auth.spec.ts --repeat-each 50',
                   '9 failed, 41 passed', 'Timeout 5000ms exceeded waiting for getByText("Welcome back")'),
             read('e2e/auth.spec.ts', '14  await page.getByLabel("Password").fill(secret);', '15  await page.getByRole("button").click();'),
             edit('e2e/auth.spec.ts', 'await page.getByRole("button").click();', 'await form.and(page.locator("[data-ready]")).submit();'),
             run('npm run e2e -- auth --repeat-each 200', '200 passed'),
             'The fix for the flaky login test: wait for `data-ready` on the form, not for the button. '
             'The page had not hydrated yet, so the first click went nowhere. 200 runs pass.'),
        turn('does signup have the same race?', 'Yes, the same form. It waits for `data-ready` now, too.')]),
    ('1d', 'gemini', 'infra', 'main', 'Why terraform replaces the database', [
        turn('terraform plan wants to replace the database, why?',
             run('terraform plan | rg forces', '~ kms_key_id = "alias/a" -> "arn:aws:kms:..." # forces replacement'),
             'Only the spelling of the key changed: an alias, not its ARN. The fix is one line, and the plan is empty.')]),
    ('2d', 'codex', 'web', 'main', '', [
        turn('login form: show the error under the field, not in an alert',
             edit('src/session/Form.tsx', 'alert(error)', '<FieldError of="password">{error}</FieldError>'),
             'Errors stand under their field and are read aloud by screen readers.'),
        turn('and clear it while typing', 'It goes away with the next key.')]),
    ('2d', 'claude', 'api', 'uploads', 'Uploads end with 401 after an hour', [
        turn('uploads above 2 GB end with 401 after an hour',
             run('rg -n "expiresIn" src', 'src/token.ts:9: expiresIn: "1h",'),
             'The token runs out during the upload. Parts are signed one by one now, each for ten minutes.'),
        turn('resume after a dropped connection?', 'Yes: the client asks which parts are there and sends the others.'),
        turn('write that down in the handbook', 'Added to `handbook/uploads.md`.')]),
    ('3d', 'goose', 'ops', '', '', [
        turn('rotate the staging certificates',
             run('cmctl renew --namespace staging --all', '6 certificates renewed'),
             'All six are new and valid until February. The old ones were revoked.')]),
    ('4d', 'claude', 'tide', 'dates', 'Take 7d in --since', [
        turn('--since should take 7d as well as a date',
             edit('src/args.rs', 'NaiveDate::parse', 'When::parse'),
             run('cargo nextest run', '118 passed'),
             'It takes `7d`, `12h`, `30m`, a date, or a time.')]),
    ('5d', 'codex', 'worker', 'main', '', [
        turn('the timer test in the scheduler is flaky since the upgrade',
             fails('make stress PKG=scheduler', '--- FAIL: TestTimer (0.11s)'),
             'It measured real time. It has a clock of its own now, and 10,000 runs agree.')]),
    ('6d', 'gemini', 'mobile', 'main', 'Push notifications arrive twice', [
        turn('push notifications arrive twice on android',
             run('adb logcat -d | rg FCM', 'onNewToken', 'onNewToken'),
             'The app registered twice, at start and after sign-in. The server keeps one token for each device now.'),
        turn('old tokens?', 'They are dropped the first time a message to them is refused.')]),
]

# ---------------------------------------------------------------- how the others write
class Gemini:
    def __init__(self, ids, sid, cwd, t, R):
        self.ids, self.sid, self.t, self.R, self.lines = ids, sid, t, R, []
        self.put(dict(sessionId=sid, projectHash=ids.hex(16), startTime=iso(t), lastUpdated=iso(t), kind='main'))
    def put(self, record):
        self.lines.append((J(record) + '\n').encode())
    def say(self, kind, **more):
        self.t += self.R.uniform(1, 20)
        self.put(dict(id=self.ids.uuid(), timestamp=iso(self.t), type=kind, **more))
    def answer(self, text, **more):
        n = self.R.randint(4000, 30000)
        tokens = dict(input=n, output=n // 40, cached=n // 2, thoughts=n // 80, tool=0, total=n + n // 40 + n // 80)
        self.say('gemini', content=text, thoughts=[], tokens=tokens, model='gemini-3-pro', **more)
    def turn(self, _, turn):
        self.t += self.R.uniform(20, 300)
        self.say('user', content=[dict(text=turn['prompt'])])
        for step in turn['steps']:
            call, out = 'call_' + self.ids.hex(8), '\n'.join(step['out'])
            response = dict(functionResponse=dict(id=call, name='run_shell_command', response=dict(output=out)))
            self.answer('', toolCalls=[dict(id=call, name='run_shell_command', args=dict(command=step['arg']), result=[response],
                                            status='success', timestamp=iso(self.t), resultDisplay=out)])
        self.answer(turn['answer'])

class Goose:
    """rows of `messages`, and the times a row of `sessions` needs"""
    def __init__(self, ids, sid, cwd, t, R):
        self.ids, self.sid, self.cwd, self.t, self.R, self.rows, self.began = ids, sid, cwd, t, R, [], t
    def say(self, role, *blocks):
        self.t += self.R.uniform(2, 20)
        meta = dict(userVisible=True, agentVisible=True)
        if role == 'assistant':
            n = self.R.randint(2000, 9000)
            meta.update(inference=dict(provider='anthropic', requestedModel='claude-sonnet-4-5'),
                        usage=dict(inputTokens=n, outputTokens=n // 30, totalTokens=n + n // 30, cacheReadTokens=n // 2, cacheWriteTokens=0))
        self.rows.append(('msg_' + self.ids.hex(12), self.sid, role, J(list(blocks)), int(self.t), J(meta)))
    def turn(self, _, turn):
        text = lambda it: dict(type='text', text=it)
        self.t += self.R.uniform(20, 200)
        self.say('user', text(turn['prompt']))
        for step in turn['steps']:
            call = 'call_' + self.ids.hex(8)
            self.say('assistant', dict(type='toolRequest', id=call, toolCall=dict(status='success', value=dict(name='shell', arguments=dict(command=step['arg'])))))
            self.say('user', dict(type='toolResponse', id=call, toolResult=dict(status='success', value=dict(content=[text('\n'.join(step['out']))], isError=step['err']))))
        self.say('assistant', text(turn['answer']))

GOOSE_TABLES = '''
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', user_set_name BOOLEAN DEFAULT FALSE,
  session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, extension_data TEXT DEFAULT '{}',
  total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, accumulated_total_tokens INTEGER,
  accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER, accumulated_cache_write_tokens INTEGER,
  accumulated_cost REAL, schedule_id TEXT, recipe_json TEXT, user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT,
  goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP, project_id TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT);'''

# ---------------------------------------------------------------- writing it all
SECONDS = dict(m=60, h=3600, d=86400)

def seconds(age):
    return int(age[:-1]) * SECONDS[age[-1]]

def written(number, session, start, person='/home/sam'):
    _, agent, project, branch, title, turns = session
    cwd, ids, R = f'{person}/src/{project}', Ids('first-run', number), random.Random(number)
    if agent == 'claude':
        it = Claude(ids, ids.uuid(), cwd, branch, start, R)
    elif agent == 'codex':
        it = Codex(ids, ids.uuid('7'), cwd, branch, start, R)
    elif agent == 'gemini':
        it = Gemini(ids, ids.uuid(), cwd, start, R)
    else:
        it = Goose(ids, f'{iso(start)[:10].replace("-", "")}_{number}', cwd, start, R)
    for n, one in enumerate(turns, 1):
        it.turn(n, one)
    if agent == 'goose':
        return it, it.t
    if agent == 'gemini':
        it.put({'$set': dict(summary=title)})
        return it, it.t
    if agent == 'claude':
        it.put(dict(type='ai-title', aiTitle=title, sessionId=it.sid))
    it.close(turns[-1]['prompt'])
    stamps = re.findall(rb'"timestamp":"([^"]+)Z"', b''.join(it.lines))
    return it, max(datetime.datetime.fromisoformat(at.decode() + '+00:00').timestamp() for at in stamps)

def place(home, agent, project, it, start, person='/home/sam'):
    stamp, dashed = iso(start), re.sub(r'[^A-Za-z0-9]', '-', f'{person}/src/{project}')
    if agent == 'claude':
        return f'{home}/.claude/projects/{dashed}/{it.sid}.jsonl'
    if agent == 'codex':
        return f'{home}/.codex/sessions/{stamp[:10].replace("-", "/")}/rollout-{stamp[:19].replace(":", "-")}-{it.sid}.jsonl'
    return f'{home}/.gemini/tmp/{project}/chats/session-{stamp[:16].replace(":", "-")}-{it.sid[:8]}.jsonl'

def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)

def make(home, now, person='/home/sam', sessions=SESSIONS):
    """Writes everything; each session's last event is as old as it says, and a few seconds. Projects are
    in the folder src of `person`."""
    goose = []
    for number, session in enumerate(sessions, 1):
        age, agent, project = session[:3]
        wanted = now - seconds(age) - 3 - number / 100
        _, ends = written(number, session, wanted, person)          # once to see how long it takes
        start = wanted - (ends - wanted)
        it, ends = written(number, session, start, person)
        if agent == 'goose':
            goose.append(it)
            continue
        path = place(home, agent, project, it, start, person)
        put(path, b''.join(it.lines))
        os.utime(path, (ends, ends))
        if agent == 'gemini':
            put(f'{home}/.gemini/tmp/{project}/.project_root', f'{person}/src/{project}'.encode())
    path = home + '/.local/share/goose/sessions/sessions.db'
    put(path, b'')
    with sqlite3.connect(path) as db:
        db.executescript(GOOSE_TABLES)
        moment = lambda t: time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(t))
        for it in sorted(goose, key=lambda it: it.began):
            db.execute('INSERT INTO sessions (id, working_dir, created_at, updated_at, provider_name, model_config_json) VALUES (?, ?, ?, ?, ?, ?)',
                       (it.sid, it.cwd, moment(it.began), moment(it.t), 'anthropic', json.dumps(dict(model_name='claude-sonnet-4-5'))))
            db.executemany('INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?, ?)', it.rows)

if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(sys.argv[1], time.time())
