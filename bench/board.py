#!/usr/bin/env python3
"""What the board costs and how soon it answers, with many sessions and many live ones.

    python3 bench/board.py --bin target/release/taffrail [--files 5000] [--live 50]

Makes a home of its own with so many old transcripts and so many sessions at work, starts a daemon and
the board on a pseudo-terminal, and looks at what the board writes as a terminal would. Printed: the time
until every group stands on the screen with its count, from a key to the screen, the CPU of one frame, and
what the board costs while nothing happens but ages going on, and while all live sessions write. The CPU is
that of all threads of the board, by the kernel's count in nanoseconds.
"""
import argparse
import codecs
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

from live import Daemon, Session, quantile

SIZE = (200, 50)
MOVES = re.compile(rb"\x1b\[(\d+);(\d+)H|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
TORN = re.compile(rb"\x1b(\[[0-9;?]*|\][^\x07\x1b]*\x1b?)?$")


class Screen:
    """What a terminal would show: places of the cursor and text; looks are left out."""

    def __init__(self):
        self.rows = [[" "] * SIZE[0] for _ in range(SIZE[1])]
        self.x = self.y = 0
        self.rest, self.text_of = b"", codecs.getincrementaldecoder("utf-8")("replace").decode

    def take(self, data):
        data, at = self.rest + data, 0
        # A sequence may come in two pieces.
        cut = TORN.search(data)
        data, self.rest = (data[:cut.start()], data[cut.start():]) if cut else (data, b"")
        for move in MOVES.finditer(data):
            self.put(data[at:move.start()])
            if move.group(1):
                self.y, self.x = int(move.group(1)) - 1, int(move.group(2)) - 1
            at = move.end()
        self.put(data[at:])

    def put(self, data):
        for character in self.text_of(data):
            if character >= " " and self.x < SIZE[0] and self.y < SIZE[1]:
                self.rows[self.y][self.x] = character
                self.x += 1

    def text(self):
        return "\n".join("".join(row) for row in self.rows)


class Board:
    def __init__(self, program, env):
        self.screen = Screen()
        self.began = time.perf_counter()
        self.pid, self.link = pty.fork()
        if self.pid == 0:
            os.execve(program, [program], {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self.link, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))

    def read(self, wait):
        """Takes what is written within that time; the instant at which it came, if anything did."""
        if not select.select([self.link], [], [], wait)[0]:
            return None
        data, now = os.read(self.link, 1 << 18), time.perf_counter()
        self.screen.take(data)
        return now

    def until(self, words, most=20):
        end, now = time.perf_counter() + most, time.perf_counter()
        while not all(word in self.screen.text() for word in words):
            if time.perf_counter() > end:
                raise SystemExit(f"{words} never came:\n{self.screen.text()}")
            now = self.read(0.2) or now
        return now

    def rest(self, seconds):
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    def cpu(self):
        """Nanoseconds all of its threads have worked."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        return total

    def press(self, key):
        """A key; when something came on the screen for it, in ms, and the CPU that took."""
        before, began = self.cpu(), time.perf_counter()
        os.write(self.link, key)
        came = self.read(1.0)
        self.rest(0.03)
        return ((came or began + 1) - began) * 1e3, (self.cpu() - before) / 1e6

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.link)


def hook(program, env, session, event, **fields):
    said = {"session_id": session.id, "transcript_path": session.path, "cwd": "/bench/" + session.id[:8],
            "hook_event_name": event, "permission_mode": "default", **fields}
    subprocess.run([program, "hook", "claude-code"], env=env, input=json.dumps(said).encode(), check=True)


def share(board, seconds, meanwhile=lambda: None):
    """Percent of a core the board works in that time."""
    before, began = board.cpu(), time.perf_counter()
    while time.perf_counter() - began < seconds:
        meanwhile()
        board.rest(min(1.0, max(0.0, seconds - (time.perf_counter() - began))))
    return (board.cpu() - before) / 1e7 / (time.perf_counter() - began)


def home_of(args, home):
    now = time.time()
    for number in range(args.files):
        at = now - 90_000 - number * 600
        old = Session(home, f"-old-{number % 100}")
        old.say(f"old task {number} about the marmalade pipeline", "user",
                time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at)))
        os.utime(old.path, (at, at))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/taffrail")
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--live", type=int, default=50)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--settle", type=float, default=30)
    parser.add_argument("--seconds", type=float, default=40)
    args = parser.parse_args()
    program, home = os.path.abspath(args.bin), tempfile.mkdtemp(prefix="taffrail-board-")
    daemon = board = None
    try:
        home_of(args, home)
        daemon = Daemon(program, home, args.files)
        live = [Session(home, "-bench") for _ in range(args.live)]
        for it in live:
            it.say("go on", "user")
        while daemon.ask("health").get("sessions", 0) < args.files + args.live:
            time.sleep(0.2)
        time.sleep(args.settle)
        for it in live:
            hook(program, daemon.env, it, "UserPromptSubmit", prompt="go on")
            hook(program, daemon.env, it, "PreToolUse", tool_name="Bash", tool_input={"command": "make"},
                 tool_use_id="t")
        time.sleep(2)
        groups = ["NEEDS YOU (", f"WORKING ({args.live})", f"DONE ({args.files})"]
        print(f"{args.files} sessions, {args.live} live, {SIZE[0]}x{SIZE[1]}; load {os.getloadavg()[0]:.1f} "
              f"on {os.cpu_count()} cores")
        board = Board(program, daemon.env)
        board.until(groups)
        board.rest(2)
        print(f"idle, ages in seconds going on: {share(board, args.seconds - 10):.3f} % of a core")
        pressed = [board.press(b"k" if number % 3 == 2 else b"j") for number in range(args.keys)]
        came, cost = sorted(it[0] for it in pressed), sorted(it[1] for it in pressed)
        print(f"key to screen: median {quantile(came, .5):.1f} ms, p99 {quantile(came, .99):.1f} ms, "
              f"most {came[-1]:.1f} ms")
        print(f"CPU of a key and its frame: median {quantile(cost, .5):.2f} ms, p99 {quantile(cost, .99):.2f} ms")
        board.rest(max(0, 65 - args.seconds))
        print(f"idle, ages in minutes: {share(board, args.seconds):.3f} % of a core")
        write = lambda: [it.say("on it") for it in live]
        print(f"while all live ones write a line a second: {share(board, 15, write):.2f} % of a core")
        board.end()
        starts = []
        for _ in range(args.starts):
            board = Board(program, daemon.env)
            starts.append((board.until(groups) - board.began) * 1e3)
            board.rest(1.5)
            board.end()
        starts.sort()
        print(f"start to every group with its count, {args.starts} times: median {quantile(starts, .5):.0f} ms, "
              f"least {starts[0]:.0f} ms, most {starts[-1]:.0f} ms")
    finally:
        if board:
            try:
                board.end()
            except OSError:
                pass
        if daemon:
            daemon.end()
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
