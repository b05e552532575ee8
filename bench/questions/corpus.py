#!/usr/bin/env python3
"""corpus.py OUT_HOME [--seed 1] [--noise 600]

Writes a HOME with Claude Code transcripts and Codex rollouts:
  OUT_HOME/.claude/projects/<dashed cwd>/<uuid>.jsonl (+ <uuid>/subagents/agent-*.jsonl)
  OUT_HOME/.codex/sessions/YYYY/MM/DD/rollout-<ts>-<uuid>.jsonl
  OUT_HOME/truth.json   which bytes of which file are which turn of which session
The sessions in sessions/*.md were written by hand; --noise adds generated ones.
Same seed and noise give the same bytes. Standard library only."""
import argparse, collections, datetime, glob, hashlib, json, os, random, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
UTC = datetime.timezone.utc

# ---------------------------------------------------------------- reading sessions/*.md
def parse(path):
    """-> [session]; session = {key, project, cwd, agent, start, branch, fork_of, turns}
    turn = {prompt, steps:[...], answer}; step = {tool, arg, out:[...], err, old, new, gen}"""
    sessions, proj, cwd, cur, turn, step = [], None, None, None, None, None
    for no, raw in enumerate(open(path, encoding='utf-8'), 1):
        line = raw.rstrip('\n')
        if not line.strip():
            step = None
            continue
        m = re.match(r'# project (\S+) (\S+)', line)
        if m:
            proj, cwd = m.groups()
            continue
        m = re.match(r'## (\S+) (\S+) (\S+) (\S+)$', line)
        if m:
            key, agent, start, branch = m.groups()
            cur = dict(key=key, project=proj, cwd=cwd, agent=agent, branch=branch, turns=[], fork_of=None,
                       start=datetime.datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp())
            if agent.startswith('fork:'):
                cur['fork_of'] = agent[5:]
            sessions.append(cur)
            turn = None
            continue
        if line.startswith('> '):
            if turn and not turn['answer'] and not turn['steps']:
                turn['prompt'] += '\n' + line[2:]
            else:
                turn = dict(prompt=line[2:], steps=[], answer='')
                cur['turns'].append(turn)
            step = None
        elif line.startswith('= '):
            turn['answer'] += ('\n\n' if turn['answer'] else '') + line[2:]
        elif line.startswith('&$ '):
            turn['steps'][-1]['sub'].append(dict(tool='bash', arg=line[3:], out=[], err=False))
        elif line.startswith('&| '):
            turn['steps'][-1]['sub'][-1]['out'].append(line[3:])
        elif line.startswith('&= '):
            turn['steps'][-1]['result'] = line[3:]
        elif line.startswith('& '):
            step = dict(tool='agent', arg=line[2:], sub=[], result='', out=[], err=False)
            turn['steps'].append(step)
        elif line.startswith('$! ') or line.startswith('$ '):
            err = line.startswith('$!')
            step = dict(tool='bash', arg=line[3 if err else 2:], out=[], err=err)
            turn['steps'].append(step)
        elif line.startswith('@'):
            tool, arg = re.match(r'@(\w+) (.*)', line).groups()
            step = dict(tool=tool, arg=arg, out=[], err=False, old=[], new=[])
            turn['steps'].append(step)
        elif line.startswith('|* '):
            kind, kb = line[3:].split()
            step['out'].append(('gen', kind, int(kb)))
        elif line.startswith('|'):
            step['out'].append(line[2:])
        elif line[0] in '+-' and step and step['tool'] == 'edit':
            step['new' if line[0] == '+' else 'old'].append(line[2:])
        else:
            sys.exit(f'{path}:{no}: cannot read: {line}')
    for s in sessions:
        for i, t in enumerate(s['turns'], 1):
            if not t['answer']:
                sys.exit(f'{path}: {s["key"]} turn {i} has no answer')
    return sessions

def load():
    out = []
    for p in sorted(glob.glob(os.path.join(HERE, 'sessions', '*.md'))):
        out += parse(p)
    keys = [s['key'] for s in out]
    assert len(keys) == len(set(keys)), 'session keys are not unique'
    return out

# ---------------------------------------------------------------- generated long outputs
WORDS = ('cache token session retry worker batch config index query stream client server request response timeout '
         'handler message queue commit migration build image layer volume secret policy event snapshot cursor chunk '
         'order invoice payment account report chart filter widget sensor firmware packet frame texture checkpoint '
         'gradient loader tensor replica leader lease broker topic partition schema table column').split()

def gen_log(kind, size, R):
    out, n = [], 0
    W = lambda: R.choice(WORDS)
    while n < size:
        t = '%02d:%02d:%02d.%03d' % (R.randrange(24), R.randrange(60), R.randrange(60), R.randrange(1000))
        if kind == 'gotest':
            l = R.choice((f'=== RUN   Test{W().title()}{W().title()}', f'--- PASS: Test{W().title()}{W().title()} (0.{R.randrange(99):02d}s)',
                          f'ok  \tharborshop/internal/{W()}\t{R.randrange(9)}.{R.randrange(999):03d}s', f'    {W()}_test.go:{R.randrange(300)}: {W()} {W()} ok'))
        elif kind == 'k8s':
            l = R.choice((f'I{R.randrange(1200):04d} {t} {W()}_controller.go:{R.randrange(900)}] synced {W()} "{W()}-{R.randrange(9)}"',
                          f'{W()}-{R.randrange(16**5):05x}   1/1   Running   {R.randrange(4)}   {R.randrange(40)}d',
                          f'  Normal  Pulled  {R.randrange(60)}m  kubelet  Container image for {W()} already present'))
        elif kind == 'pylog':
            l = R.choice((f'[2026-01-21 {t[:8]}] INFO {W()}.{W()}: {W()} {W()} finished in {R.randrange(900)} ms',
                          f'  File "/opt/mill/{W()}/{W()}.py", line {R.randrange(400)}, in {W()}_{W()}',
                          f'[2026-01-21 {t[:8]}] WARNING {W()}: {W()} took longer than expected, will retry'))
        elif kind == 'nccl':
            l = f'node{R.randrange(2)}:{R.randrange(900)}:{R.randrange(900)} [{R.randrange(8)}] NCCL INFO Channel {R.randrange(16):02d}/{R.randrange(2)} : {R.randrange(16)}[{R.randrange(8)}] -> {R.randrange(16)}[{R.randrange(8)}] via {W()}'
        elif kind == 'javalog':
            l = R.choice((f'2026-02-17 {t} INFO 1 --- [exec-{R.randrange(20)}] c.l.{W()}.{W().title()}Service : {W()} {W()} {R.randrange(99999)}',
                          f'\tat com.ledgerline.{W()}.{W().title()}.{W()}({W().title()}.kt:{R.randrange(300)})',
                          f'2026-02-17 {t} WARN 1 --- [exec-{R.randrange(20)}] c.l.{W()}.Client : slow {W()}, {R.randrange(9000)} ms'))
        else:
            l = R.choice((f'src/{W()}/{W()}.rs:{R.randrange(600)}:    let {W()} = {W()}.{W()}(&{W()})?;', f'src/{W()}.rs:{R.randrange(600)}:    // {W()} {W()} {W()}',
                          f'{R.randrange(900):>5}\t    if {W()} == {W()} {{ return {W()}({R.randrange(99)}); }}'))
        out.append(l)
        n += len(l) + 1
    return '\n'.join(out)

def output_text(step, R):
    return '\n'.join(gen_log(o[1], o[2] * 1000, R) if isinstance(o, tuple) else o for o in step['out'])

# ---------------------------------------------------------------- writing the two formats
def J(o):
    return json.dumps(o, ensure_ascii=False, separators=(',', ':'))

def iso(t):
    return datetime.datetime.fromtimestamp(t, UTC).strftime('%Y-%m-%dT%H:%M:%S.') + '%03dZ' % int(t % 1 * 1000)

class Ids:
    def __init__(self, seed, key):
        self.pre, self.n = f'{seed}/{key}', 0
    def hex(self, k=32):
        self.n += 1
        return hashlib.sha256(f'{self.pre}/{self.n}'.encode()).hexdigest()[:k]
    def uuid(self, v='4'):
        h = self.hex()
        return f'{h[:8]}-{h[8:12]}-{v}{h[13:16]}-a{h[17:20]}-{h[20:]}'

LEAD = ['Let me look.', 'I will check that first.', 'Looking at the code now.', 'Let me reproduce it.', 'Let me see what is there.', 'One moment, reading the file.']

class Claude:
    """one transcript file; turns = [(turn number, first byte, end byte, time)]"""
    def __init__(self, ids, sid, cwd, branch, t, R, agent_id=None):
        self.ids, self.sid, self.cwd, self.branch, self.t, self.R, self.agent_id = ids, sid, cwd, branch, t, R, agent_id
        self.lines, self.size, self.turns, self.parent, self.subs = [], 0, [], None, []
        self.version = '2.1.%d' % R.randint(200, 325)
    def put(self, o):
        b = (J(o) + '\n').encode()
        self.lines.append(b)
        self.size += len(b)
    def rec(self, typ, **kw):
        self.t += self.R.uniform(0.4, 9)
        u = self.ids.uuid()
        o = dict(parentUuid=self.parent, isSidechain=bool(self.agent_id))
        if self.agent_id:
            o['agentId'] = self.agent_id
        o['type'] = typ
        o.update(kw)
        o.update(uuid=u, timestamp=iso(self.t), userType='external', entrypoint='cli', cwd=self.cwd, sessionId=self.sid, version=self.version, gitBranch=self.branch)
        self.put(o)
        self.parent = u
        return u
    def assistant(self, block, stop):
        h = self.ids.hex(22)
        return self.rec('assistant', message=dict(id='msg_01' + h, type='message', role='assistant', model='claude-opus-4-5-20251101', content=[block], stop_reason=stop, stop_sequence=None,
                        usage=dict(input_tokens=self.R.randint(2, 40), cache_creation_input_tokens=self.R.randint(0, 3000), cache_read_input_tokens=self.R.randint(9000, 90000), output_tokens=self.R.randint(9, 700), service_tier='standard')), requestId='req_011C' + h[:16])
    def tool(self, st):
        R, tid = self.R, 'toolu_01' + self.ids.hex(22)
        body, path = output_text(st, R), None
        if st['tool'] in ('read', 'edit', 'write'):
            path = self.cwd + '/' + st['arg']
        if st['tool'] == 'bash':
            name, inp = 'Bash', dict(command=st['arg'], description=st.get('desc', 'Run ' + st['arg'].split()[0]))
            res = 'Error: exit status 1\n' + body if st['err'] else body
        elif st['tool'] == 'read':
            name, inp, res = 'Read', dict(file_path=path), body
        elif st['tool'] == 'grep':
            pat, _, where = st['arg'].rpartition(' ')
            name, inp, res = 'Grep', dict(pattern=pat.strip('"'), path=where, output_mode='content'), body
        elif st['tool'] == 'edit':
            name, inp, res = 'Edit', dict(file_path=path, old_string='\n'.join(st['old']), new_string='\n'.join(st['new']), replace_all=False), 'updated ' + path
        elif st['tool'] == 'write':
            name, inp, res = 'Write', dict(file_path=path, content=body), 'created ' + path
        else:
            name, inp, res = 'Agent', dict(description=' '.join(st['arg'].split()[:4]), prompt=st['arg'], subagent_type='general-purpose'), st['result']
        au = self.assistant(dict(type='tool_use', id=tid, name=name, input=inp), 'tool_use')
        if st['tool'] == 'bash':
            dup = dict(stdout='' if st['err'] else body, stderr=body if st['err'] else '', interrupted=False, isImage=False) if not st['err'] else res
        elif st['tool'] == 'read':
            dup = dict(type='text', file=dict(filePath=path, content=body, numLines=body.count('\n') + 1, startLine=1, totalLines=body.count('\n') + 1))
        elif st['tool'] == 'agent':
            aid = 'a' + self.ids.hex(16)
            sub = Claude(Ids(self.ids.pre, aid), self.sid, self.cwd, self.branch, self.t, R, aid)
            sub.rec('user', message=dict(role='user', content=st['arg']))
            for s in st['sub']:
                sub.tool(s)
            sub.assistant(dict(type='text', text=st['result']), 'end_turn')
            self.subs.append((aid, tid, len(self.turns), sub))
            self.t = sub.t
            dup = dict(status='completed', agentId=aid, prompt=st['arg'], content=[dict(type='text', text=st['result'])], totalDurationMs=R.randint(9000, 90000))
            res = [dict(type='text', text=st['result'])]
        else:
            dup = dict(mode='content', numFiles=0, content=body) if st['tool'] == 'grep' else dict(filePath=path)
        block = dict(tool_use_id=tid, type='tool_result', content=res)
        if st['err']:
            block['is_error'] = True
        self.rec('user', message=dict(role='user', content=[block]), toolUseResult=dup, sourceToolAssistantUUID=au)
    def turn(self, n, tn):
        start = self.size
        self.turns.append([n, start, None, self.t])
        self.put(dict(type='file-history-snapshot', messageId=self.ids.uuid(), snapshot=dict(messageId=self.ids.uuid(), trackedFileBackups={}, timestamp=iso(self.t)), isSnapshotUpdate=False))
        self.rec('user', promptId=self.ids.uuid(), message=dict(role='user', content=tn['prompt']), permissionMode='default', promptSource='typed')
        if tn['steps']:
            self.assistant(dict(type='text', text=self.R.choice(LEAD)), None)
        for st in tn['steps']:
            self.tool(st)
        self.assistant(dict(type='text', text=tn['answer']), 'end_turn')
        self.rec('system', subtype='turn_duration', durationMs=self.R.randint(4000, 300000), isMeta=False)
        self.turns[-1][2] = self.size
        self.t += self.R.uniform(30, 900)
    def close(self, last):
        self.put(dict(type='last-prompt', lastPrompt=last, leafUuid=self.parent, sessionId=self.sid))
        self.turns[-1][2] = self.size

class Codex:
    def __init__(self, ids, sid, cwd, branch, t, R):
        self.ids, self.sid, self.cwd, self.t, self.R = ids, sid, cwd, t, R
        self.lines, self.size, self.turns, self.ordinal, self.subs = [], 0, [], 0, []
        self.paged = t > 1_774_000_000        # rollouts from late March on are in the newer shape: item_completed events and ordinals
        self.put('session_meta', dict(id=sid, timestamp=iso(t), cwd=cwd, originator='codex_cli_rs', cli_version='0.166.0' if self.paged else '0.98.0', source='cli', model_provider='openai',
                 base_instructions=dict(text='You are a coding agent.'), git=dict(commit_hash=ids.hex(40), branch=branch, repository_url='git@git.example:' + os.path.basename(cwd) + '.git')))
    def put(self, typ, payload):
        self.t += self.R.uniform(0.2, 6)
        o = dict(timestamp=iso(self.t))
        if self.paged:
            o['ordinal'] = self.ordinal
        self.ordinal += 1
        o.update(type=typ, payload=payload)
        b = (J(o) + '\n').encode()
        self.lines.append(b)
        self.size += len(b)
    def item(self, tid, item):
        self.put('event_msg', dict(type='item_completed', thread_id=self.sid, turn_id=tid, item=item, completed_at_ms=int(self.t * 1000)))
    def tool(self, st, tid):
        cid, body = 'call_' + self.ids.hex(24), output_text(st, self.R)
        if st['tool'] in ('edit', 'write'):
            if st['tool'] == 'edit':
                patch = f'*** Begin Patch\n*** Update File: {st["arg"]}\n@@\n' + '\n'.join(['-' + x for x in st['old']] + ['+' + x for x in st['new']]) + '\n*** End Patch'
            else:
                patch = f'*** Begin Patch\n*** Add File: {st["arg"]}\n+{body}\n*** End Patch'
            self.put('response_item', dict(type='custom_tool_call', status='completed', call_id=cid, name='apply_patch', input=patch))
            self.put('response_item', dict(type='custom_tool_call_output', call_id=cid, output='Success. Updated the following files:\nM ' + st['arg']))
            return
        cmd = st['arg']
        if st['tool'] == 'read':
            cmd = 'sed -n 1,120p ' + cmd
        elif st['tool'] == 'grep':
            cmd = 'rg -n ' + cmd
        rc = 1 if st['err'] else 0
        self.put('response_item', dict(type='function_call', name='exec_command', arguments=json.dumps(dict(cmd=cmd, workdir=self.cwd)), call_id=cid))
        if self.paged:
            self.item(tid, dict(type='CommandExecution', id=cid, command=['/bin/bash', '-lc', cmd], cwd='file://' + self.cwd, status='failed' if rc else 'completed', aggregated_output=body, exit_code=rc))
        self.put('response_item', dict(type='function_call_output', call_id=cid, output=f'Chunk ID: {self.ids.hex(6)}\nWall time: 0.{self.R.randrange(9999):04d} seconds\nProcess exited with code {rc}\nOutput:\n{body}\n'))
    def say(self, tid, text):
        if self.paged:
            self.item(tid, dict(type='AgentMessage', id='msg_' + self.ids.hex(20), content=[dict(type='Text', text=text)]))
        else:
            self.put('event_msg', dict(type='agent_message', message=text))
        self.put('response_item', dict(type='message', role='assistant', content=[dict(type='output_text', text=text)]))
    def turn(self, n, tn):
        self.turns.append([n, self.size, None, self.t])
        tid, p = self.ids.uuid('7'), tn['prompt']
        if self.paged:
            self.put('event_msg', dict(type='task_started', turn_id=tid, started_at=int(self.t), model_context_window=258400))
        self.put('turn_context', dict(turn_id=tid, cwd=self.cwd, approval_policy='on-request', sandbox_policy=dict(type='workspace-write', network_access=False), model='gpt-5.5', effort='medium', summary='auto'))
        self.put('response_item', dict(type='message', role='user', content=[dict(type='input_text', text=p)]))
        if self.paged:
            self.item(tid, dict(type='UserMessage', id=self.ids.uuid('7'), content=[dict(type='text', text=p, text_elements=[])]))
        else:
            self.put('event_msg', dict(type='user_message', message=p, images=[]))
        if tn['steps']:
            self.say(tid, self.R.choice(LEAD))
        for st in tn['steps']:
            self.tool(st, tid)
        self.say(tid, tn['answer'])
        k = self.R.randint(2000, 90000)
        u = dict(input_tokens=k, cached_input_tokens=k * 3 // 4, output_tokens=k // 20, reasoning_output_tokens=0, total_tokens=k + k // 20)
        self.put('event_msg', dict(type='token_count', info=dict(total_token_usage=u, last_token_usage=u, model_context_window=258400), rate_limits=None))
        if self.paged:
            self.put('event_msg', dict(type='task_complete', turn_id=tid, last_agent_message=tn['answer'], duration_ms=self.R.randint(3000, 200000)))
        self.turns[-1][2] = self.size
        self.t += self.R.uniform(30, 900)
    def close(self, last):
        pass

# ---------------------------------------------------------------- noise
STOP = set('''a an the and or but if then so of in on at by for to from with without as is are was were be been it its this that these those i we you they he
not no nor can could would should will may must do does did done has have had there here what which who when where why how than too very more most one two all each
every both some any only just also still now after before until while about into over under again other another same such as because since out up down off own'''.split())

class Noise:
    """grammatical chatter out of templates, filled with the words and short phrases of the hand-written sessions"""
    def __init__(self, sessions):
        self.nouns, self.phr, self.paths, self.cmds, self.prompts = [], [], set(), [], []
        cnt = collections.Counter()
        for s in sessions:
            for t in s['turns']:
                for text in (t['prompt'], t['answer']):
                    for chunk in re.split(r'[.,;:!?()`"\n]+', text):
                        run = []
                        for w in re.findall(r"[A-Za-zÀ-ÿ][\w'-]*", chunk) + ['the']:
                            if w.lower() in STOP:
                                if 1 <= len(run) <= 3:
                                    self.phr.append(' '.join(run))
                                run = []
                            else:
                                run.append(w)
                                cnt[w.lower()] += 1
                for st in t['steps']:
                    if st['tool'] in ('read', 'edit', 'write'):
                        self.paths.add(st['arg'])
                    if st['tool'] == 'bash' and len(st['arg']) < 90:
                        self.cmds.append(st['arg'])
        self.words = [w for w, n in cnt.items() for _ in range(n) if len(w) > 2]
        self.paths = sorted(self.paths)
    NOUN = ('test cache token migration timeout session build image deploy job worker queue client server request response header cookie login invoice order cart '
            'report chart filter table row column index query schema config secret key certificate webhook operator pod node cluster volume pipeline batch file folder '
            'path chunk backup snapshot lock thread connection pool transaction retry memory heap buffer frame shader scene player level sensor device firmware update '
            'battery clock timezone date hour month day page link font anchor docs search version release branch commit module package dependency script workflow runner '
            'log error warning exception stack trace metric alert dashboard checkpoint loss gradient batch loader tokenizer model weight gpu payment refund transfer account '
            'balance currency statement webview screen list map notification permission store bundle state plan provider role policy bucket endpoint zone record').split()
    VERB = 'moved renamed removed added changed fixed updated checked cleaned replaced split merged wrapped documented extended simplified reverted tested'.split()
    ADJ = 'old new slow stale flaky wrong missing empty shared local remote temporary unused broken duplicate expired default large small nightly'.split()
    ASK = ['can you look at the {n} {n} again', 'please {v0} the {n} in {p}', 'why is the {n} {a}', 'add a {n} for the {a} {n}', 'what does {p} do', 'the {n} is {a} again since the last {n}',
           'rename {w} to something better', 'write a test for the {n} {n}', 'is the {n} still used anywhere? I think {ph} is gone', 'review my last commit, mostly {ph}', 'go on',
           'ok now the same for {ph}', 'update the readme, section about the {n}', 'run the tests again', 'how would you split {p}', 'bump the {n} dependency', 'clean up the {a} {n}s',
           'can we log more about {ph}', 'make the {n} configurable', 'explain the {n} {n} to me like I am new here', 'the {n} looks {a}, is that on purpose', 'prepare the release notes', 'merge main please',
           'tidy the imports in {p}', 'what changed in the {n} since last week', 'could the {n} cause the {a} {n}?', 'commit and push', 'I get a {a} {n} sometimes, low priority', 'how long does the {n} take on CI']
    SAY = ['I {v} the {n} in `{p}` and ran the tests.', 'The {n} was {a}, so I {v} it.', 'There are {d} places that mention {ph}; I {v} them.', 'Nothing else depends on the {n}.', 'It is about the {n}, not the {n}.',
           'I left {ph} as it is.', 'The {a} {n} comes from {ph}, which is expected here.', 'The tests pass, {d} in total.', 'I did not touch the {n}.', 'A follow-up could look at {ph}.', 'The {n} in `{p}` still reads the {a} {n}.',
           'I added a comment about the {n}.', 'Both the {n} and the {n} are covered now.', 'If the {n} is {a}, the {n} falls back to the default.', 'It takes {d} seconds on this machine.', 'See `{p}` for {ph}.', 'The {n} now has a name that says what it is: {w}.',
           'With {ph} in mind I {v} only the {n}.', 'This needs a decision from you: keep the {n} or the {a} {n}.', 'I checked {ph} and {ph}, both fine.', 'The change is small, {d} lines.', 'The {n} was not the cause of it.']
    LOG = ['{ts} INFO {w}: {n} {n} ready ({d} ms)', '{ts} DEBUG {w}.{w}: {ph}', '{ts} WARN {n} {a}, retry {d}', '{p}:{d}: {n} = {w}({n})', '{p}:{d}:    if {w} == {d} {{ return {n}_{w}; }}', 'ok   {n}/{w}  0.{d}s',
           'PASS {p} > {ph}', '  {d}\t    const {w} = {n}.{w}({d});', '  {d}\t    # {ph}', '-rw-r--r-- 1 dev dev {d} {p}', '{ts} ERROR {n}: {a} {n} ({d})', 'test {n}_{w}::{a}_{n} ... ok', 'commit {h} {n}: {ph}', '| {n} | {d} | {w} |']
    def fill(self, s, R):
        def sub(m):
            k = m[1]
            if k == 'n': return R.choice(self.NOUN)
            if k == 'v': return R.choice(self.VERB)
            if k == 'v0': return R.choice(('check', 'fix', 'move', 'rename', 'simplify', 'test', 'update', 'document'))
            if k == 'a': return R.choice(self.ADJ)
            if k == 'w': return R.choice(self.words)
            if k == 'ph': return R.choice(self.phr)
            if k == 'd': return str(R.randint(2, 900))
            if k == 'h': return '%07x' % R.getrandbits(28)
            if k == 'ts': return '2026-%02d-%02d %02d:%02d:%02d' % (R.randint(1, 6), R.randint(1, 28), R.randrange(24), R.randrange(60), R.randrange(60))
            p, q = R.choice(self.paths), R.choice(self.paths)      # the folder of one file with the name of another, or a real path
            return p if R.random() < .4 else os.path.join(os.path.dirname(p), os.path.basename(q))
        return re.sub(r'\{(\w+)\}', sub, s).replace('{{', '{').replace('}}', '}')
    def log(self, size, R):
        out, n = [], 0
        while n < size:
            out.append(self.fill(R.choice(self.LOG), R))
            n += len(out[-1]) + 1
        return out
    def step(self, R):
        r = R.random()
        size = R.randint(20_000, 60_000) if R.random() < .006 else min(12_000, int(R.lognormvariate(5.8, 1.1)))
        err = R.random() < .1
        if r < .5:
            return dict(tool='bash', arg=R.choice(self.cmds) if R.random() < .5 else self.fill(R.choice(('rg -n {w} {p}', 'git log --oneline -5 -- {p}', 'git diff --stat', 'ls -la', 'make test', 'cat {p} | head -40', 'git status --short')), R), out=self.log(size, R), err=err)
        p = self.fill('{p}', R)
        if r < .75: return dict(tool='read', arg=p, out=self.log(size, R), err=False)
        if r < .9: return dict(tool='edit', arg=p, out=[], err=False, old=self.log(120, R), new=self.log(160, R))
        return dict(tool='grep', arg=f'"{R.choice(self.words)}" {os.path.dirname(p) or "."}', out=self.log(min(size, 2000), R), err=False)
    def turn(self, R):
        steps = [self.step(R) for _ in range(R.choice((0, 1, 1, 2, 2, 3, 4)))]
        if R.random() < .02:
            steps.append(dict(tool='agent', arg=self.fill('Find every place where the {n} uses {ph} and list the files.', R), sub=[self.step(R)], out=[], err=False, result=self.fill('It is used in `{p}` and `{p}`. ' + R.choice(self.SAY), R)))
        ans = ' '.join(self.fill(R.choice(self.SAY), R) for _ in range(R.randint(2, 7)))
        prompt = self.fill(R.choice(self.ASK), R)
        if R.random() < .3:
            prompt += '. ' + self.fill(R.choice(self.ASK), R)
        return dict(prompt=prompt, steps=steps, answer=ans)
    def session(self, i, R, homes):
        proj, cwd = R.choice(homes)
        return dict(key='noise-%04d' % i, project=proj, cwd=cwd, agent='codex' if R.random() < .27 else 'claude', branch=R.choice(('main', 'main', 'main', 'dev')), fork_of=None,
                    start=1_767_600_000 + R.random() * 160 * 86400, turns=[self.turn(R) for _ in range(R.choice((1, 2, 2, 3, 3, 4, 6)))])

# ---------------------------------------------------------------- main
def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('out')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--noise', type=int, default=600)
    A = ap.parse_args()
    if os.path.isdir(A.out) and os.listdir(A.out):
        sys.exit(A.out + ' is not empty')
    hand = load()
    homes = sorted({(s['project'], s['cwd']) for s in hand if not s['fork_of']})
    noise = Noise([s for s in hand if not s['fork_of']])
    R0 = random.Random(f'noise/{A.seed}')
    hand.sort(key=lambda s: bool(s['fork_of']))            # stable: a fork comes after its origin
    todo = hand + [noise.session(i, R0, homes) for i in range(A.noise)]
    files, made, stats = [], {}, collections.Counter()

    def save(rel, lines, t, **info):
        p = os.path.join(A.out, rel)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, 'wb') as f:
            f.writelines(lines)
        os.utime(p, (t, t))
        files.append(dict(path=rel, **info))
        stats['files'] += 1
        stats['bytes'] += sum(map(len, lines))

    dash = lambda p: re.sub(r'[^A-Za-z0-9]', '-', p)
    for s in todo:
        ids, R = Ids(A.seed, s['key']), random.Random(f'{A.seed}/{s["key"]}')
        kind = 'noise' if s['key'].startswith('noise-') else 'fork' if s['fork_of'] else 'hand'
        same = {}
        if s['fork_of']:
            o, ow = made[s['fork_of']]
            assert isinstance(ow, Claude), 'only Claude Code copies records into a fork'
            s.update(cwd=o['cwd'], agent='claude', project=o['project'])
        if s['agent'] == 'codex':
            sid = ids.uuid('7')
            w = Codex(ids, sid, s['cwd'], s['branch'], s['start'], R)
        else:
            sid = ids.uuid()
            w = Claude(ids, sid, s['cwd'], s['branch'], s['start'], R)
        if s['fork_of']:                               # the records of the first session again, with the new session id and their old times
            src = made[s['fork_of']][1]
            for n, a, b, t in src.turns:
                pos, first = 0, w.size
                for l in src.lines:
                    if a <= pos < b and b'"type":"last-prompt"' not in l[:30]:
                        l2 = l.replace(src.sid.encode(), sid.encode())
                        w.lines.append(l2)
                        w.size += len(l2)
                    pos += len(l)
                w.turns.append([n, first, w.size, t])
                same[n] = [s['fork_of'], n]
            w.parent, w.version = src.parent, src.version
        base = len(w.turns)
        for n, tn in enumerate(s['turns'], base + 1):
            w.turn(n, tn)
        w.close(s['turns'][-1]['prompt'])
        made[s['key']] = (s, w)
        turns = []
        for n, a, b, t in w.turns:
            d = dict(turn=n, start=a, end=b, time=round(t, 3))
            if n in same:
                d['same_as'] = same[n]
            turns.append(d)
        if isinstance(w, Claude):
            folder = f'.claude/projects/{dash(s["cwd"])}'
            rel = f'{folder}/{sid}.jsonl'
        else:
            ts = iso(s['start'])
            rel = f'.codex/sessions/{ts[:4]}/{ts[5:7]}/{ts[8:10]}/rollout-{ts[:19].replace(":", "-")}-{sid}.jsonl'
        save(rel, w.lines, w.t, session=s['key'], session_id=sid, kind=kind, agent=s['agent'], turns=turns)
        stats[kind + ' sessions'] += 1
        stats[kind + ' turns'] += len(turns)
        for aid, tool_id, n, sub in w.subs:
            rel2 = f'{folder}/{sid}/subagents/agent-{aid}.jsonl'
            save(rel2, sub.lines, sub.t, session=s['key'], session_id=sid, kind=kind, agent='claude', subagent=aid, turns=[dict(turn=n, start=0, end=sub.size, time=round(sub.t, 3))])
            with open(os.path.join(A.out, rel2[:-6] + '.meta.json'), 'w') as f:
                json.dump(dict(agentType='general-purpose', toolUseId=tool_id, spawnDepth=1, finished=True), f)
            stats['subagent files'] += 1
    with open(os.path.join(A.out, 'truth.json'), 'w') as f:
        json.dump(dict(seed=A.seed, noise=A.noise, stats=stats, files=files), f, indent=0)
    print(dict(stats))

if __name__ == '__main__':
    main()
