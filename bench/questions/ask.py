#!/usr/bin/env python3
"""ask.py --engine grep|taffrail|agentsview [--engine ...] [--bin PATH] [--home HOME] [--questions FILE] [--json OUT]

Asks every question in questions.json, or in another file, and reports at which place of the engine's list the turn that answers it stands.
Without --home a fresh corpus is written to a temporary folder (seed 1, 600 noise sessions) and removed afterwards.
rank = position in the list as the engine prints it (hits, not sessions), best of the acceptable turns; 50 are looked at.
Everything runs in a temporary folder, talks to 127.0.0.1 only, and every process started here is ended by its id."""
import argparse, bisect, collections, datetime, json, os, re, shutil, signal, socket, sqlite3, statistics, subprocess, sys, tempfile, time, urllib.parse, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 50
STOP = set('''about after again although because been before being could didn does doesn done down each ever every from have here into just like made make many more
most much must only other over same should some such than that their them then there these they thing things this those through under until very want wants
was were what when where whenever which while with without would your yours still'''.split())

def keywords(q):
    """words of 4 letters or more that are not stop words, and anything with a digit in it"""
    out = []
    for w in re.findall(r"[\w./'-]+", q.lower()):
        w = w.strip("./'-")
        if (len(w) >= 4 and w not in STOP or len(w) >= 2 and re.search(r'\d', w)) and w not in out:
            out.append(w)
    return out

# ------------------------------------------------------------------ truth
class Truth:
    def __init__(self, home):
        self.home = home
        self.files = json.load(open(os.path.join(home, 'truth.json')))['files']
        self.by_name = {os.path.basename(f['path']): f for f in self.files}
        self.by_sid = {f['session_id']: f for f in self.files if 'subagent' not in f}
        self.by_agent = {f['subagent']: f for f in self.files if 'subagent' in f}
        self._uuid = None
    @staticmethod
    def name(f, t):
        return tuple(t['same_as']) if 'same_as' in t else (f['session'], t['turn'])
    def at(self, f, offset):
        """the turn the byte belongs to, or (session, None) for bytes before the first turn"""
        for t in f['turns']:
            if t['start'] <= offset < t['end']:
                return self.name(f, t)
        return (f['session'], None)
    def when(self, f, stamp):
        k = bisect.bisect_right([t['time'] for t in f['turns']], stamp + .002) - 1
        return self.name(f, f['turns'][k]) if k >= 0 else (f['session'], None)
    def uuid(self, u):
        if self._uuid is None:
            self._uuid = {}
            for f in self.files:
                if f['agent'] != 'claude':
                    continue
                pos = 0
                for l in open(os.path.join(self.home, f['path']), 'rb'):
                    m = re.search(rb'"uuid":"([0-9a-f-]{36})"', l)
                    if m:
                        self._uuid.setdefault(m[1].decode(), self.at(f, pos))
                    pos += len(l)
        return self._uuid.get(u)

# ------------------------------------------------------------------ processes
class Procs:
    """children of ours, each in its own process group; a daemon a child left behind is recognised by the mark in its environment"""
    def __init__(self, tmp):
        self.tmp, self.started = tmp, []
    def popen(self, cmd, env, **kw):
        p = subprocess.Popen(cmd, env=env, start_new_session=True, **kw)
        self.started.append(p)
        return p
    def run(self, cmd, env, timeout):
        p = self.popen(cmd, env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            out, err = p.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.end(p)
            return 124, b'', b'timed out'
        self.started.remove(p)
        return p.returncode, out, err
    def end(self, p):
        for sig in (signal.SIGTERM, signal.SIGKILL):
            if p.poll() is None:
                try:
                    os.kill(p.pid, sig)
                    p.wait(8)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass
        if p in self.started:
            self.started.remove(p)
    def close(self):
        for p in list(self.started):
            self.end(p)
        mark = ('ASK_RUN=' + self.tmp).encode()
        for sig in (signal.SIGTERM, signal.SIGKILL):
            left = []
            for pid in filter(str.isdigit, os.listdir('/proc') if os.path.isdir('/proc') else []):
                try:
                    if int(pid) != os.getpid() and mark in open(f'/proc/{pid}/environ', 'rb').read().split(b'\0'):
                        os.kill(int(pid), sig)
                        left.append(pid)
                except OSError:
                    pass
            if not left:
                return
            time.sleep(1.5)

def clean_env(home, tmp, **more):
    env = dict(HOME=home, PATH=os.environ.get('PATH', '/usr/bin:/bin'), LANG='C.UTF-8', TZ='UTC', NO_COLOR='1', ASK_RUN=tmp, TMPDIR=os.path.join(tmp, 'tmp'),
               HTTP_PROXY='http://127.0.0.1:9', HTTPS_PROXY='http://127.0.0.1:9', ALL_PROXY='http://127.0.0.1:9', NO_PROXY='127.0.0.1,localhost')
    for k in ('DATA', 'CONFIG', 'CACHE', 'STATE'):
        env[f'XDG_{k}_HOME'] = os.path.join(tmp, 'xdg', k.lower())
    env['XDG_RUNTIME_DIR'] = os.path.join(tmp, 'run')
    for k in ('TMPDIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'):
        os.makedirs(env[k], mode=0o700, exist_ok=True)
    env.update(more)
    return env

# ------------------------------------------------------------------ engines: each returns {variant: {question id: [(session, turn or None), ...]}} and notes
def engine_grep(A, truth, questions, procs, tmp):
    docs = []
    for f in truth.files:
        b = open(os.path.join(truth.home, f['path']), 'rb').read()
        for t in f['turns']:
            docs.append((b[t['start']:t['end']].decode('utf-8', 'replace').lower(), t['time'], truth.name(f, t)))
    res = {}
    for q in questions:
        ws = keywords(q['question'])
        sc = sorted(((-sum(w in d for w in ws), -t, n) for d, t, n in docs))
        res[q['id']] = [n for s, _, n in sc if s < 0][:LIMIT]
    return {'grep': res}, ['turns ranked by how many distinct words occur anywhere in them, newest first among equals']

def read_json(out):
    text = out.decode('utf-8', 'replace').strip()
    try:
        return json.loads(text)
    except ValueError:
        for cand in [text[text.find('{'):]] + text.splitlines()[::-1]:
            try:
                d = json.loads(cand)
                if isinstance(d, dict):
                    return d
            except ValueError:
                pass
    raise ValueError('no JSON object in the answer: ' + text[:200])

def engine_taffrail(A, truth, questions, procs, tmp):
    if not A.bin:
        sys.exit('--engine taffrail needs --bin PATH')
    env = clean_env(truth.home, tmp)
    if A.meaning:
        # The file, because a person has to be at a terminal for `config set`.
        folder = os.path.join(env['XDG_CONFIG_HOME'], 'taffrail')
        os.makedirs(folder, mode=0o700)
        with open(os.path.join(folder, 'config.toml'), 'w', encoding='utf-8') as f:
            f.write('[search]\nmeaning = true\n')
    t0 = time.time()
    rc, out, err = procs.run([A.bin, 'index'], env, A.timeout)
    notes = [f'index: exit {rc}, {time.time() - t0:.1f} s']
    if rc:
        notes.append('index said: ' + (err or out).decode('utf-8', 'replace')[-400:])
    res, problems, times, how = {}, [], [], collections.Counter()
    for q in questions:
        t0 = time.time()
        rc, out, err = procs.run([A.bin, 'search', q['question'], '--json', '--limit', str(LIMIT)], env, 60)
        times.append(time.time() - t0)
        res[q['id']] = []
        try:
            if rc:
                raise ValueError(f'exit {rc}: ' + (err or out).decode('utf-8', 'replace')[-200:])
            hits = read_json(out).get('hits') or []
        except (ValueError, AttributeError) as e:
            problems.append(f'{q["id"]}: {e}')
            continue
        for h in hits[:LIMIT]:
            res[q['id']].append(place(truth, h, how))
    notes.append(f'search: median {statistics.median(times) * 1000:.0f} ms for a whole process; hits placed by: ' + (', '.join(f'{k} {v}' for k, v in how.most_common()) or 'none'))
    notes += [f'{len(problems)} questions gave no usable answer'] * bool(problems) + problems[:3]
    return {'taffrail': res}, notes

def place(truth, h, how):
    """hit -> (session, turn). First by the bytes the cursor names, else by a record id in event_id, else the session alone."""
    uri = str(h.get('source_uri') or '')
    path = urllib.parse.unquote(uri.split(':', 1)[-1].split('#')[0].split('?')[0])
    f = truth.by_name.get(os.path.basename(path))
    cur = h.get('source_cursor') if isinstance(h.get('source_cursor'), dict) else {}
    off, n = cur.get('byte_offset'), cur.get('length')
    if f and isinstance(off, int):
        with open(os.path.join(truth.home, f['path']), 'rb') as fh:
            fh.seek(off)
            raw = fh.read(n) if isinstance(n, int) and n > 0 else fh.readline()
        try:
            json.loads(raw)
            how['bytes'] += 1
        except ValueError:
            how['offset (the bytes there are no JSON record)'] += 1
        return truth.at(f, off)
    for u in re.findall(r'[0-9a-f]{8}-[0-9a-f-]{27}', str(h.get('event_id') or '')):
        t = truth.uuid(u)
        if t:
            how['event id'] += 1
            return t
    for u in re.findall(r'[0-9a-f]{8}-[0-9a-f-]{27}', str(h.get('session_id') or '')):
        if u in truth.by_sid:
            how['session only'] += 1
            return (truth.by_sid[u]['session'], None)
    if f:
        how['session only'] += 1
        return (f['session'], None)
    how['not placed'] += 1
    return (None, None)

def engine_agentsview(A, truth, questions, procs, tmp):
    exe = A.agentsview
    if not exe:
        venv = os.path.join(tmp, 'venv')
        subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
        subprocess.run([os.path.join(venv, 'bin', 'pip'), 'install', '-q', '--disable-pip-version-check', 'agentsview==0.46.1'], check=True)
        exe = os.path.join(venv, 'bin', 'agentsview')
    data = os.path.join(tmp, 'agentsview')
    os.makedirs(data, exist_ok=True)
    env = clean_env(truth.home, tmp, AGENTSVIEW_DATA_DIR=data, AGENTSVIEW_TELEMETRY_ENABLED='0', AGENTSVIEW_DISABLE_UPDATE_CHECK='1', AGENTSVIEW_NO_BROWSER='1')
    t0 = time.time()
    rc, out, err = procs.run([exe, 'sync'], dict(env, AGENTSVIEW_NO_DAEMON='1'), A.timeout)
    notes = [f'sync: exit {rc}, {time.time() - t0:.1f} s']
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = s.getsockname()[1]
    log = open(os.path.join(tmp, 'serve.log'), 'wb')
    srv = procs.popen([exe, 'serve', '--no-browser', '--no-update-check', '--host', '127.0.0.1', '--port', str(port)], env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    def get(path, **par):
        with opener.open(f'http://127.0.0.1:{port}/api/v1/{path}?' + urllib.parse.urlencode(par), timeout=60) as r:
            return json.load(r)
    for _ in range(120):
        try:
            get('search', q='hello', limit=1)
            break
        except OSError:
            time.sleep(.5)
    else:
        sys.exit('agentsview did not answer')
    db = sqlite3.connect('file:' + os.path.join(data, 'sessions.db') + '?mode=ro', uri=True)
    def stamp(sid, ordinal):
        row = db.execute('select timestamp from messages where session_id=? and ordinal=?', (sid, ordinal)).fetchone()
        return row[0] if row else None
    def where(m):
        sid = m['session_id'].split(':')[-1]
        f = truth.by_sid.get(sid) or truth.by_agent.get(sid.replace('agent-', ''))
        if not f:
            return (None, None)
        ts = m.get('timestamp') or stamp(m['session_id'], m.get('ordinal'))
        if not ts:
            return (f['session'], None)
        return truth.when(f, datetime.datetime.fromisoformat(ts.replace('Z', '+00:00')).timestamp())
    more = dict(include_children='true', include_one_shot='true', include_automated='true', limit=LIMIT)
    strip = lambda q: ' '.join(keywords(q))
    ways = {'search box, question as typed': lambda q: get('search', q=q, limit=LIMIT).get('results'),
            'search box, keywords': lambda q: get('search', q=strip(q), limit=LIMIT).get('results'),
            'content terms, question as typed': lambda q: get('search/content', pattern=q, mode='terms', **more).get('matches'),
            'content terms, keywords': lambda q: get('search/content', pattern=strip(q), mode='terms', **more).get('matches'),
            'content fts, question as typed': lambda q: get('search/content', pattern=q, mode='fts', **more).get('matches'),
            'content fts, keywords': lambda q: get('search/content', pattern=strip(q), mode='fts', **more).get('matches'),
            'content fts, keywords joined by hand with OR': lambda q: get('search/content', pattern=' OR '.join(f'"{w}"' for w in keywords(q)), mode='fts', **more).get('matches')}
    out = {}
    for name, ask in ways.items():
        res, fails = {}, []
        for q in questions:
            try:
                res[q['id']] = [where(m) for m in (ask(q['question']) or [])[:LIMIT]]
            except (OSError, ValueError) as e:
                res[q['id']] = []
                fails.append(f'{q["id"]} {e}')
        out['agentsview: ' + name] = res
        if fails:
            notes.append(f'{name}: {len(fails)} questions refused, first: {fails[0]}')
    procs.end(srv)
    notes.append('hits are messages; each is placed in its turn by its time stamp. The search box lists one message per session.')
    return out, notes

ENGINES = dict(grep=engine_grep, taffrail=engine_taffrail, agentsview=engine_agentsview)

# ------------------------------------------------------------------ scoring
def score(questions, res):
    rows = []
    for q in questions:
        want = {(a['session'], a['turn']) for a in q['answers']}
        hits = res.get(q['id'], [])
        rank = next((i for i, h in enumerate(hits, 1) if h in want), None)
        srank = next((i for i, h in enumerate(hits, 1) if h[0] in {w[0] for w in want}), None)
        rows.append(dict(id=q['id'], difficulty=q['difficulty'], question=q['question'], rank=rank, session_rank=srank, hits=len(hits)))
    return rows

def figures(rows, key='rank'):
    n = len(rows) or 1
    r = [x[key] for x in rows if x[key]]
    return dict(n=len(rows), found=sum(1 for _ in r) / n, hit5=sum(x <= 5 for x in r) / n, hit1=sum(x == 1 for x in r) / n, mrr=sum(1 / x for x in r) / n)

def table(name, rows, show_misses):
    print(f'\n{name}')
    print(f'  {"":9}{"n":>4}{"found@50":>10}{"hit@5":>8}{"hit@1":>8}{"MRR":>8}   right session@50')
    for d in ('all', 'easy', 'medium', 'hard', 'id'):
        sel = [r for r in rows if d in ('all', r['difficulty'])]
        f, s = figures(sel), figures(sel, 'session_rank')
        print(f'  {d:9}{f["n"]:>4}{f["found"]:>10.0%}{f["hit5"]:>8.0%}{f["hit1"]:>8.0%}{f["mrr"]:>8.3f}   {s["found"]:.0%}')
    none = sum(r['hits'] == 0 for r in rows)
    if none:
        print(f'  {none} questions got an empty list')
    if show_misses:
        print('  not among the first five (rank of the turn / rank of its session / hits):')
        for r in rows:
            if not r['rank'] or r['rank'] > 5:
                print(f'    {r["id"]} {r["difficulty"]:6} {r["rank"] or "-":>3} /{r["session_rank"] or "-":>3} /{r["hits"]:>3}  {r["question"]}')

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--engine', action='append', choices=list(ENGINES), required=True)
    ap.add_argument('--bin', help='the taffrail binary')
    ap.add_argument('--meaning', action='store_true', help='taffrail also searches by meaning')
    ap.add_argument('--agentsview', help='an installed agentsview; without it version 0.46.1 is installed into a temporary venv')
    ap.add_argument('--home', help='a corpus made by corpus.py')
    ap.add_argument('--questions', default=os.path.join(HERE, 'questions.json'), help='the questions, second.json for the second set')
    ap.add_argument('--noise', type=int, default=600)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--timeout', type=int, default=900, help='seconds allowed for indexing')
    ap.add_argument('--no-misses', action='store_true')
    ap.add_argument('--at-least', metavar='FOUND,HIT', help='fail unless found@50 and hit@5 of the best way reach these percentages')
    ap.add_argument('--json', help='write ranks and figures here')
    A = ap.parse_args()
    if A.bin:
        A.bin = os.path.abspath(A.bin) if os.sep in A.bin else shutil.which(A.bin) or A.bin
    questions = json.load(open(A.questions, encoding='utf-8'))
    tmp = tempfile.mkdtemp(prefix='ask-')
    report = {}
    try:
        home = os.path.abspath(A.home) if A.home else os.path.join(tmp, 'home')
        if not A.home:
            subprocess.run([sys.executable, os.path.join(HERE, 'corpus.py'), home, '--noise', str(A.noise), '--seed', str(A.seed)], check=True)
        truth = Truth(home)
        known = {(f['session'], t['turn']) for f in truth.files if f['kind'] == 'hand' for t in f['turns']}
        bad = [q['id'] for q in questions for a in q['answers'] if (a['session'], a['turn']) not in known]
        if bad:
            sys.exit('questions without their turn in this corpus: ' + ' '.join(bad))
        for e in dict.fromkeys(A.engine):
            sub = os.path.join(tmp, e)
            os.makedirs(sub)
            procs = Procs(sub)
            try:
                variants, notes = ENGINES[e](A, truth, questions, procs, sub)
            finally:
                procs.close()
            print(f'\n=== {e}')
            for n in notes:
                print('  ' + n)
            scored = {v: score(questions, r) for v, r in variants.items()}
            best = max(scored, key=lambda v: figures(scored[v])['mrr'])
            plain = max((v for v in scored if 'by hand' not in v), key=lambda v: figures(scored[v])['mrr'])
            mark = {plain: '   (best without query syntax)', best: '   (best)'} if len(scored) > 1 else {}
            for v, rows in scored.items():
                report[v] = dict(figures=figures(rows), rows=rows, notes=notes)
                table(v + mark.get(v, ''), rows, v == best and not A.no_misses)
            if A.at_least:
                got = figures(scored[best])
                wanted = [float(it) for it in A.at_least.split(',')]
                reached = [100 * got['found'], 100 * got['hit5']]
                if any(g + 1e-9 < w for g, w in zip(reached, wanted)):
                    sys.exit(f'{e}: found@50 and hit@5 are {reached}, wanted {wanted}')
        if A.json:
            with open(A.json, 'w', encoding='utf-8') as f:
                json.dump(report, f, indent=1, ensure_ascii=False)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)

if __name__ == '__main__':
    main()
