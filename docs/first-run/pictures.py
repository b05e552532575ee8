#!/usr/bin/env python3
"""pictures.py [--bin TAFFRAIL] [--out FOLDER]

Makes the pictures of a first run: the real program over the made-up home of demo_home.py with 2,000
older sessions, no index and no daemon. The board stands in a real tmux and is written as SVG, dark and
light, narrow and wide; the pages are what Chromium shows right after the first sign-in.

Standard library only; needs tmux, node, chromium and the packages of web/ (npm install). No process and
no file is left behind but the pictures."""
import argparse, os, re, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'docs', 'board'))
sys.dont_write_bytecode = True
import demo_home  # noqa: E402
import picture  # noqa: E402

NARROW, WIDE = (80, 24), (140, 40)
OLDER, HOURS_APART, TURNS = 2000, 4, 8  # sessions before those of demo_home, how far apart, how long
DO = ['explain', 'speed up', 'write tests for', 'tidy up', 'document', 'simplify', 'add logging to', 'review', 'find the bug in',
      'upgrade', 'split']
WHAT = [('api', 'the rate limiter'), ('web', 'the settings page'), ('docs-site', 'the link checker'), ('worker', 'the retry queue'),
        ('api', 'the invoice query'), ('notes', 'the weekly report script'), ('web', 'the login form'), ('infra', 'the database module'),
        ('mobile', 'the push handler'), ('api', 'the upload endpoint'), ('ops', 'the certificate job'), ('tide', 'the argument parser'),
        ('worker', 'the scheduler'), ('mobile', 'the offline cache')]
PATIENCE = 120  # seconds until all of it was read
READING = re.compile(r'Reading your history (\d+) %')
MOST = 150_000  # bytes of a picture

def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--bin', default=os.path.join(ROOT, 'target', 'release', 'taffrail'))
    arguments.add_argument('--out', default=HERE)
    given = arguments.parse_args()
    out = os.path.abspath(given.out)
    os.makedirs(out, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('it was ended'))  # so that what was started is ended, too
    with tempfile.TemporaryDirectory(prefix='first-run-') as folder:
        machine = Machine(os.path.abspath(given.bin), folder)
        try:
            boards(machine, out)
            pages(machine, out)
        finally:
            machine.end()

# ---------------------------------------------------------------- a machine nobody has looked at
class Machine:
    def __init__(self, program, folder):
        self.home, commands = os.path.join(folder, 'sam'), os.path.join(folder, 'bin')
        os.makedirs(commands)
        os.symlink(program, os.path.join(commands, 'taffrail'))
        # Agents that are installed here are not in this PATH.
        self.env = dict(HOME=self.home, PATH=f'{commands}:/usr/bin:/bin', LANG='C.UTF-8', TERM='xterm-256color',
                        COLORTERM='truecolor', TMUX_TMPDIR=folder)
        demo_home.make(self.home, time.time(), self.home, demo_home.SESSIONS + older())
        # The pages are opened by a script, which the user has to allow.
        os.makedirs(f'{self.home}/.config/taffrail', mode=0o700)
        with open(os.open(f'{self.home}/.config/taffrail/config.toml', os.O_WRONLY | os.O_CREAT, 0o600), 'w') as file:
            file.write('[control]\nscripts = true\n')
        for project in {it[2] for it in demo_home.SESSIONS}:
            os.makedirs(f'{self.home}/src/{project}')

    def run(self, *words):
        done = subprocess.run(['taffrail', *words], env=self.env, cwd=self.home, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'taffrail {" ".join(words)}: {done.stderr}')
        return done.stdout.strip()

    def tmux(self, *words):
        command = [shutil.which('tmux'), '-L', 'first-run', '-f', '/dev/null', *words]
        return subprocess.run(command, env=self.env, cwd=self.home, capture_output=True, text=True).stdout

    def open(self, name, size, *variables):
        """Starts a board in a tmux session of that name."""
        width, height = map(str, size)
        given = [word for it in variables for word in ('-e', it)]
        self.tmux('new-session', '-d', '-s', name, '-x', width, '-y', height, *given, 'taffrail')

    def text(self, name):
        return self.tmux('capture-pane', '-p', '-t', name)

    def coloured(self, name):
        return self.tmux('capture-pane', '-p', '-e', '-t', name)

    def end(self):
        self.tmux('kill-server')
        subprocess.run(['taffrail', 'daemon', 'stop'], env=self.env, cwd=self.home, capture_output=True)

def older():
    """Sessions of the year before, each of them longer than those of demo_home."""
    return [old(number) for number in range(OLDER)]

def old(number):
    like, (project, thing) = demo_home.SESSIONS[number % len(demo_home.SESSIONS)], WHAT[number % len(WHAT)]
    prompt = f'{DO[number % len(DO)]} {thing}'
    step = demo_home.run('make check', *(f'{thing}: case {it} ok' for it in range(60)))
    turns = [demo_home.turn(prompt if it == 0 else 'go on', step, 'Done, and all 60 cases pass.') for it in range(TURNS)]
    return f'{24 * 7 + number * HOURS_APART}h', like[1], project, 'main', prompt.capitalize(), turns

# ---------------------------------------------------------------- the board
def boards(machine, out):
    machine.open('dark', NARROW)
    reading, screen = read(machine, 'dark')
    draw(out, 'board-reading', reading, NARROW)
    draw(out, 'board', screen, NARROW)
    # Another board beside the first: who has not left the first one is welcomed again.
    machine.open('light', NARROW, 'COLORFGBG=0;15')
    draw(out, 'board-light', welcomed(machine, 'light'), NARROW, 'light')
    machine.open('wide', WIDE)
    draw(out, 'board-wide', welcomed(machine, 'wide'), WIDE)

def read(machine, name):
    """-> the screen when about half of the history was read, if it was seen, and the one at the end"""
    best, half, end = None, 100, time.time() + PATIENCE
    while time.time() < end:
        screen = machine.coloured(name)
        far = READING.search(screen)
        if far and abs(int(far[1]) - 50) < half:
            best, half = screen, abs(int(far[1]) - 50)
        if 'Sessions found' in screen:
            return best, welcomed(machine, name)
        time.sleep(.02)
    sys.exit('the history was never read:\n' + machine.text(name))

def welcomed(machine, name):
    """The screen with its welcome, when nothing changes on it any more."""
    before, end = '', time.time() + PATIENCE
    while time.time() < end:
        time.sleep(2)
        now = machine.coloured(name)
        if now == before and 'Sessions found' in now:
            return now
        before = now
    sys.exit('the board never came to rest:\n' + machine.text(name))

def draw(out, name, screen, size, paper='dark'):
    if screen is None:
        return print(name, 'was over before it could be seen')
    path = os.path.join(out, name + '.svg')
    with open(path, 'w') as file:
        file.write(picture.svg(screen, size, paper))
    told(path)

# ---------------------------------------------------------------- the pages
def pages(machine, out):
    door = machine.run('web', '--port', '0', '--print-url')
    web = os.path.join(ROOT, 'web')
    subprocess.run(['node', 'tests/pictures-first.mjs', door, out], cwd=web, check=True)
    for name in ('web', 'web-dark', 'phone', 'phone-dark'):
        told(os.path.join(out, name + '.png'))

def told(path):
    size = os.path.getsize(path)
    print(os.path.basename(path), size)
    if size > MOST:
        sys.exit(f'{path} is larger than {MOST} bytes')

if __name__ == '__main__':
    main()
