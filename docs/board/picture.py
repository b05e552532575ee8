#!/usr/bin/env python3
"""picture.py [--bin TAFFRAIL] [--out FOLDER]

Makes the pictures of the board: the real program in a real tmux, over a made-up home in which agents
work, ask and wait. What tmux says stands on the screen is written as SVG. Standard library only; needs
tmux. The agents are made up: their history is written as they write it, and their hooks are called as
they call them."""
import argparse, html, json, os, re, subprocess, sys, tempfile, time, uuid

SCREENS = [  # name, size, keys
    ('board', (80, 24), []),
    ('wide', (160, 42), []),
    ('help', (80, 40), ['?']),
    ('session', (100, 30), ['Enter']),
    ('search', (100, 24), ['/', '-l refresh']),
    ('approvals', (80, 18), ['2']),
    ('feed', (100, 24), ['3']),
    ('timeline', (100, 18), ['4', '+']),
    ('marked', (80, 24), ['Space', 'Space', 'a']),
]

def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    arguments.add_argument('--bin', default=os.path.join(here, '..', '..', 'target', 'release', 'taffrail'))
    arguments.add_argument('--out', default=here)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix='board-') as folder:
        machine = Machine(os.path.abspath(given.bin), os.path.join(folder, 'sam'))
        try:
            machine.begin()
            for name, size, keys in SCREENS:
                path = os.path.join(given.out, name + '.svg')
                with open(path, 'w') as file:
                    file.write(svg(machine.screen(size, keys), size))
                print(name, os.path.getsize(path))
        finally:
            machine.end()

# ---------------------------------------------------------------- a machine with agents on it
class Machine:
    def __init__(self, program, home):
        self.program, self.home, self.held, self.daemon = program, home, [], None
        self.socket = os.path.join(os.path.dirname(home), 'tmux')
        self.env = {'HOME': home, 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'TERM': 'xterm-256color', 'COLORTERM': 'truecolor', 'TAFFRAIL_REDUCED_MOTION': '1'}
        for name, below in (('CONFIG_HOME', 'c'), ('DATA_HOME', 'd'), ('STATE_HOME', 's'), ('RUNTIME_DIR', 'r')):
            self.env['XDG_' + name] = f'{home}/.taffrail/{below}'
            os.makedirs(self.env['XDG_' + name], mode=0o700)

    def run(self, *words):
        return subprocess.run([self.program, *words], env=self.env, capture_output=True, text=True)

    def begin(self):
        sessions = history(self)
        self.daemon = subprocess.Popen([self.program, 'daemon', 'run'], env=self.env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: self.run('daemon', 'status').stdout.startswith('running'))
        wait(lambda: len(json.loads(self.run('ls', '--json').stdout)['sessions']) == len(sessions))
        live(sessions, self.held)
        wait(lambda: len(json.loads(self.run('approvals', '--json').stdout)['approvals']) == 2)

    def tmux(self, *words):
        command = ['tmux', '-S', self.socket, '-f', '/dev/null', *words]
        return subprocess.run(command, env=self.env, capture_output=True, text=True).stdout

    def screen(self, size, keys):
        self.tmux('kill-server')
        time.sleep(1)  # until its socket is free again
        # tmux passes colours on as they are only where it is told that the terminal knows them.
        self.tmux('new-session', '-d', '-s', 'b', '-x', str(size[0]), '-y', str(size[1]), self.program)
        wait(lambda: 'api-auth' in self.tmux('capture-pane', '-p'))
        time.sleep(6)  # until nothing is new any more
        for key in keys:
            self.tmux('send-keys', *key.split(' ', 1))
            time.sleep(1)
        return self.tmux('capture-pane', '-p', '-e')

    def end(self):
        self.tmux('kill-server')
        for process in self.held + [self.daemon]:
            if process:
                process.terminate()
                process.wait()

def wait(what):
    end = time.time() + 30
    while not what():
        if time.time() > end:
            sys.exit('it never came')
        time.sleep(.1)

class Session:
    """A session as its agent writes it down, and the hooks the agent would call."""
    def __init__(self, machine, name, age, branch='main'):
        self.machine, self.id, self.branch, self.parent, self.count = machine, str(uuid.uuid4()), branch, None, 0
        self.cwd, self.now = f'{machine.home}/src/{name}', time.time()
        self.at = self.now - age
        folder = f'{machine.home}/.claude/projects/' + self.cwd.replace('/', '-')
        os.makedirs(self.cwd, exist_ok=True), os.makedirs(folder, exist_ok=True)
        self.path = f'{folder}/{self.id}.jsonl'

    def record(self, kind, message, seconds):
        self.at = min(self.at + seconds, self.now - 1)
        this = str(uuid.uuid4())
        when = time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(self.at))
        with open(self.path, 'a') as file:
            file.write(json.dumps({'type': kind, 'uuid': this, 'parentUuid': self.parent, 'sessionId': self.id, 'timestamp': when, 'cwd': self.cwd,
                                   'version': '2.1.200', 'gitBranch': self.branch, 'isSidechain': False, 'message': message}) + '\n')
        self.parent = this

    def later(self, seconds):
        self.at = min(self.at + seconds, self.now - 1)
        return self

    def prompt(self, text):
        self.record('user', {'role': 'user', 'content': text}, 30)
        return self

    def answer(self, blocks, stop='tool_use'):
        self.count += 1
        usage = {'input_tokens': 1200, 'output_tokens': 340, 'cache_read_input_tokens': 41000, 'cache_creation_input_tokens': 900}
        self.record('assistant', {'id': f'm-{self.id[:8]}-{self.count}', 'type': 'message', 'role': 'assistant', 'model': 'claude-opus-5-5',
                                  'content': blocks, 'stop_reason': stop, 'usage': usage}, 8)

    def say(self, text):
        self.answer([{'type': 'text', 'text': text}], 'end_turn')
        return self

    def tool(self, name, given, output=None, failed=False, seconds=6):
        this = 'toolu_' + uuid.uuid4().hex[:12]
        self.answer([{'type': 'tool_use', 'id': this, 'name': name, 'input': given}])
        if output is not None:
            result = {'type': 'tool_result', 'tool_use_id': this, 'content': output, 'is_error': failed}
            self.record('user', {'role': 'user', 'content': [result]}, seconds)
        return self

    def bash(self, command, output=None, failed=False, seconds=6):
        return self.tool('Bash', {'command': command}, output, failed, seconds)

    def edit(self, file, old, new):
        return self.tool('Edit', {'file_path': f'{self.cwd}/{file}', 'old_string': old, 'new_string': new}, 'ok')

    def hook(self, event, waits=True, **fields):
        said = {'session_id': self.id, 'transcript_path': self.path, 'cwd': self.cwd, 'hook_event_name': event, 'permission_mode': 'default', **fields}
        process = subprocess.Popen([self.machine.program, 'hook', 'claude-code'], env=self.machine.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        process.stdin.write(json.dumps(said)), process.stdin.close()
        if waits:
            process.wait()
        return process

    def hook_tool(self, event, name, given, **more):
        return self.hook(event, tool_name=name, tool_input=given, tool_use_id='t-' + self.id[:8], **more)

QUESTION = {'questions': [{'question': 'Which base path should the site use?', 'header': 'Base', 'options': [], 'multiSelect': False}]}
PUSH, TEST = 'git push --force origin feat/invoices', 'npm test -- --runInBand'

def history(machine):
    def new(*words):
        return Session(machine, *words)
    auth = new('api-auth', 5400)
    auth.prompt('add a refresh endpoint to the auth service').tool('Read', {'file_path': f'{auth.cwd}/src/refresh.ts'}, 'export function refresh() {}\n' * 40)
    auth.edit('src/refresh.ts', 'export function refresh() {\n  return null\n}', 'export async function refresh(token: string) {\n  const claims = verify(token)\n  return rotate(claims)\n}')
    auth.bash('npm run lint', 'src/refresh.ts: 2 errors\n' * 12, True, 12).say('Added POST /auth/refresh, with rotation of refresh tokens and three tests.')
    todo = [('reproduce the failure', 'completed'), ('fix the clock in the test', 'in_progress'), ('run the whole suite', 'pending')]
    auth.prompt('make the refresh test pass on CI').tool('TodoWrite', {'todos': [{'content': it, 'status': how, 'activeForm': it} for it, how in todo]}, 'ok')
    auth.edit('test/refresh.test.ts', 'const now = Date.now()', "const now = Date.parse('2026-11-15T00:00:00Z')\njest.useFakeTimers({ now })").bash(TEST)
    billing = new('billing-svc', 1500, 'feat/invoices').prompt('ship the invoice rounding fix').bash('git diff --stat', ' src/round.py | 4 ++--\n').bash(PUSH)
    parser = new('parser', 3000, 'perf/lexer').prompt('speed the lexer up, it dominates the profile').bash('cargo bench --bench lexer', 'lexer 412 ns/iter\n' * 9, False, 60)
    parser.edit('src/lexer.rs', 'chars().nth(i)', 'bytes[i]').bash('cargo test --workspace')
    infra = new('infra', 900).prompt('why does the staging deploy take 20 minutes?').tool('Grep', {'pattern': 'sleep'}, 'deploy.sh:41: sleep 600').bash('kubectl get pods -n staging')
    etl = new('etl', 19000).prompt('what does the nightly job read?').tool('Grep', {'pattern': 'SELECT'}, 'load.py: 3', seconds=400).say('Three tables, each from its beginning.')
    etl.later(3600).prompt('and how long does that take?').bash('time python load.py --dry-run', '41m', seconds=2500).say('41 minutes.').later(2400)
    etl.prompt('move the nightly job to incremental loads').bash('python load.py --since yesterday', 'ok', seconds=1500).bash('pytest -q', '42 passed in 3.1s', seconds=900).say('Implemented incremental loads with a high-water mark; all 42 tests pass. Shall I open the PR?')
    docs = new('docs-site', 4000).prompt('set up the docs site').tool('AskUserQuestion', QUESTION)
    old = [('website', 'fix the broken footer on mobile'), ('mobile-app', 'upgrade to the new navigation library'), ('ml-train', 'why is the loss NaN after step 4000?'),
           ('dotfiles', 'make my prompt faster'), ('api-auth', 'write a decision record about token rotation'), ('game', 'add a pause menu')]
    done = [new(name, 40000 + 30000 * at).prompt(text).bash('git status', 'clean').say(f'Done: {text}.') for at, (name, text) in enumerate(old)]
    return [auth, billing, parser, infra, etl, docs, *done]

def live(sessions, held):
    auth, billing, parser, infra, etl, docs = sessions[:6]
    for it in sessions[:6]:
        it.hook('SessionStart', source='startup')
        it.hook('UserPromptSubmit', prompt='go on')
    parser.hook_tool('PreToolUse', 'Bash', {'command': 'cargo test --workspace'})
    infra.hook_tool('PreToolUse', 'Bash', {'command': 'kubectl get pods -n staging'})
    etl.hook('Stop', stop_hook_active=False)
    docs.hook_tool('PreToolUse', 'AskUserQuestion', QUESTION)
    for it, command in ((billing, PUSH), (auth, TEST)):
        it.hook_tool('PreToolUse', 'Bash', {'command': command})
        held.append(it.hook('PermissionRequest', waits=False, tool_name='Bash', tool_input={'command': command}))

# ---------------------------------------------------------------- what stands on a screen, as SVG
WIDE, HIGH = 8.4, 18
PAPERS = {'dark': ('#14181f', '#d7dce3'), 'light': ('#fafaf7', '#24292f')}  # the terminal's own ground and text
SIXTEEN = ['#14181f', '#e06c6c', '#4cc9a0', '#e0b050', '#56b4e9', '#cc79a7', '#7fd1de', '#d7dce3',
           '#8a93a0', '#ff8a3d', '#4cc9a0', '#ffc04d', '#56b4e9', '#cc79a7', '#7fd1de', '#ffffff']

def svg(text, size, paper='dark'):
    ground, ink = PAPERS[paper]
    width, height = size[0] * WIDE + 24, size[1] * HIGH + 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
           f'<rect width="100%" height="100%" rx="8" fill="{ground}"/>']
    style = {}
    for y, line in enumerate(text.split('\n')[:size[1]]):
        x = 0
        for part in re.split(r'(\x1b\[[0-9;:]*m)', line):
            if part.startswith('\x1b['):
                style = changed(style, part[2:-1])
            elif part:
                out.append(piece(part, x, y, style, ink))
                x += columns(part)
    return '\n'.join(out) + '\n</svg>\n'

def columns(text):
    import unicodedata
    return sum(2 if unicodedata.east_asian_width(it) in 'WF' else 1 for it in text)

def changed(style, codes):
    style, codes = dict(style), [int(it or 0) for it in re.split('[;:]', codes)]
    while codes:
        code = codes.pop(0)
        if code == 0: style = {}
        elif code in (1, 2, 4, 7): style[code] = True
        elif code in (38, 48):
            kind = codes.pop(0)
            if kind == 2:
                style[code] = '#%02x%02x%02x' % tuple(codes[:3])
                del codes[:3]
            else: style[code] = palette(codes.pop(0))
        elif code == 39: style.pop(38, None)
        elif code == 49: style.pop(48, None)
        elif 30 <= code <= 37: style[38] = SIXTEEN[code - 30]
        elif 90 <= code <= 97: style[38] = SIXTEEN[code - 82]
        elif code == 22: style.pop(1, None), style.pop(2, None)
        elif code == 24: style.pop(4, None)
    return style

def palette(number):
    if number < 16: return SIXTEEN[number]
    if number >= 232: return '#%02x%02x%02x' % ((8 + 10 * (number - 232),) * 3)
    steps, number = (0, 95, 135, 175, 215, 255), number - 16
    return '#%02x%02x%02x' % (steps[number // 36], steps[number // 6 % 6], steps[number % 6])

def piece(text, x, y, style, ink):
    at, top, out = 12 + x * WIDE, 12 + y * HIGH, ''
    if 48 in style:
        out += f'<rect x="{at:.1f}" y="{top}" width="{columns(text) * WIDE:.1f}" height="{HIGH}" fill="{style[48]}"/>'
    if not text.strip():
        return out
    more = ' font-weight="bold"' if 1 in style else ''
    more += ' opacity="0.6"' if 2 in style else ''
    more += ' text-decoration="underline"' if 4 in style else ''
    blank = len(text) - len(text.lstrip())
    at, text = at + blank * WIDE, text.strip()
    length = f' textLength="{columns(text) * WIDE:.1f}" lengthAdjust="spacingAndGlyphs"'
    return out + f'<text x="{at:.1f}" y="{top + 14}" fill="{style.get(38, ink)}" xml:space="preserve"{length}{more}>{html.escape(text)}</text>'

if __name__ == '__main__':
    main()
