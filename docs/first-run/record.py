#!/usr/bin/env python3
"""record.py [--bin TAFFRAIL] [--out FOLDER]

Records a first run of Taffrail: the real program, in a pseudo-terminal of 100 by 28, with the made-up
home of demo_home.py. Writes first-run.cast (asciicast v2) and the pictures first-run.png, list.png and
search.png. What the program prints is shown as it is; only the typing is made up.

Needs Linux or macOS, the fonts of the Debian package fonts-dejavu, and pyte and Pillow, which are
installed into a temporary environment if they are not there."""
import argparse, fcntl, json, os, pty, random, select, shlex, struct, subprocess, sys, tempfile, termios, time, venv

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS, ROWS = 100, 28
PROMPT = '\x1b[36m$\x1b[0m '
PATIENCE = 20  # seconds a command may take

# What is typed, how long one looks at the answer, and the name its answer goes by.
SCRIPT = [
    ('# cargo install --path crates/taffrail', 0.8, None),
    ('taffrail index', 1.8, None),
    ('taffrail ls', 4.5, 'list'),
    ("taffrail search 'where did we fix the flaky login test'", 6.0, 'search'),
    ('taffrail show @last', 6.0, 'show'),
]
PICTURES = {'first-run.png': ['list', 'search'], 'list.png': ['list'], 'search.png': ['search']}

def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--bin', default=os.path.join(HERE, '..', '..', 'target', 'release', 'taffrail'))
    arguments.add_argument('--out', default=HERE)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix='first-run-') as folder:
        need_packages(folder)
        events, scenes = record(os.path.abspath(given.bin), folder)
        write_cast(os.path.join(given.out, 'first-run.cast'), events)
        for name, parts in PICTURES.items():
            path = os.path.join(given.out, name)
            draw(path, '\r\n'.join(scenes[part].rstrip('\r\n') + '\r\n' for part in parts))
            print(f'{name}: {os.path.getsize(path) / 1000:.0f} KB')

# ---------------------------------------------------------------- packages
def need_packages(folder):
    try:
        import PIL, pyte  # noqa: F401
    except ImportError:
        home = os.path.join(folder, 'packages')
        venv.create(home, with_pip=True)
        subprocess.run([os.path.join(home, 'bin', 'pip'), 'install', '--quiet', 'pyte', 'Pillow'], check=True)
        version = f'python{sys.version_info.major}.{sys.version_info.minor}'
        sys.path.insert(0, os.path.join(home, 'lib', version, 'site-packages'))
        import PIL, pyte  # noqa: F401

# ---------------------------------------------------------------- recording
def record(program, folder):
    """-> events [(seconds, text)] of the whole run, and what each named scene shows."""
    import demo_home
    home, commands = os.path.join(folder, 'home'), os.path.join(folder, 'bin')
    os.makedirs(commands)
    os.symlink(program, os.path.join(commands, 'taffrail'))
    demo_home.make(home, time.time())
    env = dict(HOME=home, PATH=commands + os.pathsep + os.environ['PATH'], TERM='xterm-256color', LANG='C.UTF-8')
    hand, clock, events, scenes = random.Random(7), 0.6, [(0.0, PROMPT)], {}
    for line, look, name in SCRIPT:
        for letter in line:
            clock += hand.uniform(0.03, 0.09) + (hand.uniform(0.02, 0.08) if letter == ' ' else 0)
            events.append((clock, letter))
        clock += 0.45
        events.append((clock, '\r\n'))
        took, answer = (0, '') if line.startswith('#') else run(shlex.split(line), env, home)
        clock += took
        events.append((clock, answer + PROMPT))
        clock += look
        if name:
            scenes[name] = PROMPT + line + '\r\n' + answer
    events.append((clock, ''))
    return events, scenes

def run(words, env, folder):
    """-> how many seconds it took, and what it printed"""
    began = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(words[0], words, env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
    out = b''
    while True:
        if not select.select([terminal], [], [], PATIENCE)[0]:
            sys.exit(f'{words} does not end; does its answer fit on one screen?')
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the program has ended
            piece = b''
        if not piece:
            break
        out += piece
    took = time.monotonic() - began
    os.close(terminal)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f'{words} failed: {out.decode()}')
    return took, out.decode()

def write_cast(path, events):
    head = dict(version=2, width=COLUMNS, height=ROWS, title='Taffrail, the first run', env=dict(TERM='xterm-256color', SHELL='/bin/sh'),
                theme=dict(fg=INK, bg=PAPER, palette=':'.join(PALETTE)))
    with open(path, 'w', encoding='utf-8') as f:
        f.write(json.dumps(head) + '\n')
        for at, text in events:
            f.write(json.dumps([round(at, 3), 'o', text], ensure_ascii=False) + '\n')

# ---------------------------------------------------------------- drawing
PAPER, INK, STRONG, FAINT, FRAME = '#10151d', '#b6c0cd', '#ffffff', '#77828f', '#2b3440'
PALETTE = ['#1b222c', '#e07a7a', '#4cc9a0', '#ffc04d', '#56b4e9', '#cc79a7', '#7fd1de', '#b6c0cd',
           '#5b6673', '#ff8a3d', '#7be0bf', '#ffd98a', '#8fcdf2', '#e0a3c6', '#a8e4ec', '#ffffff']
NAMES = ['black', 'red', 'green', 'brown', 'blue', 'magenta', 'cyan', 'white']
SIZE, LEADING, PADDING, MARGIN, RADIUS = 26, 1.42, 44, 6, 26

def draw(path, text):
    from PIL import Image, ImageDraw
    screen = shown(text)
    last = max(row for row in range(screen.lines) if screen.display[row].strip())
    face = Face()
    width = PADDING * 2 + MARGIN * 2 + round(COLUMNS * face.wide)
    height = PADDING * 2 + MARGIN * 2 + (last + 1) * face.high
    picture = Image.new('RGB', (width, height), PAPER)
    pen = ImageDraw.Draw(picture)
    for row in range(last + 1):
        for column in range(COLUMNS):
            face.letter(pen, screen.buffer[row][column], (MARGIN + PADDING + column * face.wide, MARGIN + PADDING + row * face.high))
    framed(picture).save(path, optimize=True)

def shown(text):
    import pyte
    screen = pyte.Screen(COLUMNS, 200)
    pyte.Stream(screen).feed(text)
    return screen

class Face:
    def __init__(self):
        from PIL import ImageFont
        find = lambda name: ImageFont.truetype(name, SIZE)
        self.plain, self.bold = find('DejaVuSansMono.ttf'), find('DejaVuSansMono-Bold.ttf')
        self.wide, self.high = self.plain.getlength('m'), round(SIZE * LEADING)
    def letter(self, pen, cell, place):
        if not cell.data.strip():
            return
        font = self.bold if cell.bold else self.plain
        pen.text(place, cell.data, font=font, fill=colour(cell))

def colour(cell):
    if cell.fg == 'default':
        return STRONG if cell.bold else INK
    if cell.fg in NAMES:
        return PALETTE[NAMES.index(cell.fg)]
    return '#' + cell.fg

def framed(picture):
    """Rounded, with a hairline; what is outside is see-through. Few colours make a small file."""
    from PIL import Image, ImageDraw
    scale, (width, height) = 4, picture.size
    def rounded(inset):
        mask = Image.new('L', (width * scale, height * scale), 0)
        box = [inset * scale, inset * scale, (width - inset) * scale - 1, (height - inset) * scale - 1]
        ImageDraw.Draw(mask).rounded_rectangle(box, (RADIUS - inset) * scale, fill=255)
        return mask.resize((width, height), Image.LANCZOS)
    whole = Image.new('RGB', (width, height), FRAME)
    whole.paste(picture, (0, 0), rounded(3))
    whole = whole.quantize(120, dither=Image.Dither.NONE).convert('RGBA')
    whole.putalpha(rounded(0))
    return whole.quantize(200, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)

if __name__ == '__main__':
    main()
