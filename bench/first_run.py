#!/usr/bin/env python3
"""How soon the very first `taffrail` shows something, on a machine that is busy.

    python3 bench/first_run.py --bin target/release/taffrail [--sessions 130] [--load 10] [--starts 20]

Makes a home of its own with so many sessions, the newest a minute old. Each start begins without data,
index or daemon, while `--load` processes keep every core busy. Measured on a pseudo-terminal from the
moment the program is started: the first frame, the newest session on it, and all sessions counted in the
group headers. A start fails if the frame takes over 1 s, the newest session over 2 s, or the count is not
reached within `--most` seconds. Only processes started here are ended, by their id.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from board import Board
from live import Session, quantile

COUNT = re.compile(r"(?:NEEDS YOU|FAILED|WORKING|YOUR TURN|IDLE|DONE)[^(\n]{0,12}\((\d+)\)")
FRAME, NEWEST = 1.0, 2.0


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))


def make(home, sessions, lines):
    """Sessions of ten projects, each a minute older than the one before."""
    now = time.time()
    for number in range(sessions):
        at, project = now - 60 * (number + 1), f"quay{number}" if number < 20 else f"dock{number % 10}"
        session = Session(home, f"-src-{project}")
        for line in range(lines):
            role = "user" if line % 2 == 0 else "assistant"
            session.say(f"{project}: step {line} " + "of the marmalade pipeline " * 40, role, stamp(at - lines + line),
                        cwd=f"/src/{project}")
        os.utime(session.path, (at, at))


def ask(program, env, *words):
    out = subprocess.run([program, *words, "--json"], env=env, capture_output=True)
    try:
        return json.loads(out.stdout)
    except ValueError:
        return {}


def wait(board, began, holds, most):
    """Seconds from the start until that holds on the screen, or None."""
    now = time.perf_counter()
    while not holds(board.screen.text()):
        if now - began > most:
            return None
        board.read(0.05)
        now = time.perf_counter()
    return now - began


def start(program, home, args):
    """One first start: seconds to the frame, the newest session, and all of them."""
    env = {"HOME": home, "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": home + "/run", "LANG": "C.UTF-8"}
    os.makedirs(home + "/run", mode=0o700, exist_ok=True)
    board = Board(program, env)
    try:
        frame = wait(board, board.began, lambda text: "NEEDS YOU" in text, args.most)
        newest = wait(board, board.began, lambda text: "quay0 " in text, args.most)
        known = lambda text: sum(map(int, COUNT.findall(text))) >= args.sessions
        every = wait(board, board.began, known, args.most)
        if every is None or args.show:
            print(board.screen.text().rstrip())
        return frame, newest, every
    finally:
        board.end()
        subprocess.run([program, "daemon", "stop"], env=env, capture_output=True)
        for left in (".local", ".config", ".cache", "run"):
            shutil.rmtree(f"{home}/{left}", ignore_errors=True)


def busy(count):
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def report(name, values, limit):
    good = sorted(value for value in values if value is not None)
    late = sum(value is None or (limit is not None and value > limit) for value in values)
    middle = f"p50 {quantile(good, 0.5):.2f} s, most {max(good):.2f} s" if good else "never"
    print(f"{name:16} {middle}, late {late} of {len(values)}")
    return late


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/taffrail")
    parser.add_argument("--sessions", type=int, default=130)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--load", type=int, default=10)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--most", type=float, default=120)
    parser.add_argument("--show", action="store_true", help="print the last screen of each start")
    args = parser.parse_args()
    program, home = os.path.abspath(args.bin), tempfile.mkdtemp(prefix="taffrail-first-")
    others = []
    try:
        make(home, args.sessions, args.lines)
        others = busy(args.load)
        rounds = [start(program, home, args) for _ in range(args.starts)]
        frames, newest, every = zip(*rounds)
        print(f"{args.sessions} sessions, load {args.load}, {args.starts} starts")
        late = report("first frame", frames, FRAME) + report("newest session", newest, NEWEST)
        sys.exit(1 if late + report("every session", every, None) else 0)
    finally:
        for other in others:
            other.send_signal(signal.SIGKILL)
            other.wait()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
