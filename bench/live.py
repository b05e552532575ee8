#!/usr/bin/env python3
"""What the daemon costs and how soon it tells, at several numbers of streaming sessions.

    python3 bench/live.py --bin target/release/taffrail [--files 10000] [--sessions 10,50,100,200]

Makes a home of its own with so many old transcripts, starts a daemon, and lets sessions write a
line every so often, as agents do while they stream. One subscriber follows everything over the
daemon's own socket. Printed for each number of sessions: the time from a line's being written to
its being told, the daemon's CPU, its private memory, how much of it each session so far added, and
what it writes; then what it costs while nothing happens. Everything runs on this machine and is removed at the end.

Beside the daemon a bare watcher follows the same files: it waits for the kernel's notice, reads
what was added, and passes it on over a socket, without parsing or keeping anything. Its times, in the
same run, are what the machine itself costs; `steal` is the share of the machine its host took away.
"""
import argparse
import ctypes
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid

from letting import let_scripts_decide

TICK = os.sysconf("SC_CLK_TCK")


def stamp():
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)


class Session:
    """A transcript that is written to."""

    def __init__(self, home, folder="-bench"):
        self.id, self.last = str(uuid.uuid4()), None
        place = f"{home}/.claude/projects/{folder}"
        os.makedirs(place, exist_ok=True)
        self.path = f"{place}/{self.id}.jsonl"

    def say(self, text, role="assistant", at=None, cwd="/bench"):
        this = str(uuid.uuid4())
        content = [{"type": "text", "text": text}] if role == "assistant" else text
        message = {"id": "msg_" + this, "role": role, "model": "m", "content": content}
        line = {"type": role, "uuid": this, "parentUuid": self.last, "sessionId": self.id,
                "timestamp": at or stamp(), "cwd": cwd, "version": "2.1.325",
                "isSidechain": False, "message": message, "requestId": "r" + this}
        self.last = this
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")


class Daemon:
    def __init__(self, program, home, sessions):
        self.program, self.home = program, home
        self.env = {"HOME": home, "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": home + "/run"}
        os.makedirs(home + "/run", mode=0o700, exist_ok=True)
        let_scripts_decide(home + "/.config")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([program, "daemon", "run"], env=self.env, **quiet)
        deadline = time.time() + 120
        while not self.ask("daemon", "status").get("running"):
            if time.time() > deadline or self.process.poll() is not None:
                raise SystemExit("the daemon did not start")
            time.sleep(0.05)
        while self.ask("health").get("sessions", 0) < sessions:
            time.sleep(0.2)
        self.socket = self.ask("daemon", "status")["socket"]

    def ask(self, *words):
        out = subprocess.run([self.program, *words, "--json"], env=self.env, capture_output=True)
        try:
            return json.loads(out.stdout)
        except ValueError:
            return {}

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def private_mb(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["RssAnon"].split()[0]) / 1024

    def written(self):
        with open(f"/proc/{self.process.pid}/io") as file:
            counts = dict(line.split(": ") for line in file.read().splitlines())
        return int(counts["syscw"]), int(counts["write_bytes"])

    def end(self):
        self.process.terminate()
        self.process.wait(30)


def subscription(path):
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)
    link.sendall(b"GET /api/stream HTTP/1.1\r\nHost: taffrail\r\n"
                 b"Accept: text/event-stream\r\n\r\n")
    return link


def pass_on(folder, link):
    """The bare watcher: what is added to any file of a folder goes over the socket."""
    libc, modified, places = ctypes.CDLL(None), 0x2, {}
    notices = libc.inotify_init()
    libc.inotify_add_watch(notices, folder.encode(), modified)
    while batch := os.read(notices, 1 << 16):
        at, names = 0, set()
        while at < len(batch):
            length = int.from_bytes(batch[at + 12:at + 16], "little")
            names.add(batch[at + 16:at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                file.seek(places.get(name, 0))
                added = file.read()
            places[name] = places.get(name, 0) + len(added)
            link.sendall(added)


def bare_watcher(folder):
    os.makedirs(folder, exist_ok=True)
    ours, theirs = socket.socketpair()
    process = multiprocessing.Process(target=pass_on, args=(folder, theirs), daemon=True)
    process.start()
    return ours, process


def stolen():
    """Ticks the host took from this machine, and ticks in all."""
    with open("/proc/stat") as file:
        ticks = [int(it) for it in file.readline().split()[1:9]]
    return ticks[7], sum(ticks)


class Follower(threading.Thread):
    """Reads from a link and notes when each text came."""

    def __init__(self, link):
        super().__init__(daemon=True)
        self.seen, self.link = {}, link
        self.start()

    def lags(self, sent):
        return sorted(self.seen[it] - at for it, at in sent.items() if it in self.seen)

    def run(self):
        rest = b""
        while chunk := self.link.recv(1 << 16):
            now = time.time()
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                at = line.find(b"probe-")
                if at >= 0:
                    self.seen.setdefault(line[at:at + 42], now)


def quantile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def stream(daemon, followers, sessions, seconds, pause):
    """Each session writes a line every `pause` seconds."""
    sent, began, (steal, ticks) = {}, time.time(), stolen()
    cpu, (calls, written) = daemon.cpu(), daemon.written()
    every, number = pause / len(sessions), 0
    while time.time() - began < seconds:
        text = "probe-" + str(uuid.uuid4())
        sent[text.encode()] = time.time()
        sessions[number % len(sessions)].say(text)
        number += 1
        time.sleep(max(0.0, began + number * every - time.time()))
    took = time.time() - began
    deadline = time.time() + 20
    while any(text not in followers[0].seen for text in sent) and time.time() < deadline:
        time.sleep(0.05)
    lags, bare = (it.lags(sent) for it in followers)
    calls, written = daemon.written()[0] - calls, daemon.written()[1] - written
    steal, ticks = (now - then for now, then in zip(stolen(), (steal, ticks)))
    return {"lines": len(sent), "lost": len(sent) - len(lags), "lags": lags, "bare": bare,
            "steal": steal / ticks,
            "cpu": (daemon.cpu() - cpu) / took, "private": daemon.private_mb(),
            "calls": calls / took, "kib": written / 1024 / took}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/taffrail")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--sessions", default="10,50,100,200")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between lines of one session")
    parser.add_argument("--settle", type=float, default=120)
    parser.add_argument("--idle", type=float, default=60)
    args = parser.parse_args()
    home = tempfile.mkdtemp(prefix="taffrail-live-")
    daemon = bare = None
    try:
        for number in range(args.files):
            old = Session(home, f"-old-{number % 100}")
            old.say(f"old {number}", "user", "2026-01-01T00:00:00.000Z")
            os.utime(old.path, (1_767_225_600, 1_767_225_600))
        daemon = Daemon(os.path.abspath(args.bin), home, args.files)
        link, bare = bare_watcher(f"{home}/.claude/projects/-bench")
        followers = [Follower(subscription(daemon.socket)), Follower(link)]
        print(f"{args.files} old files; a line each {args.pause:g} s; {args.seconds:g} s each")
        print("sessions  lines  lost  p50 ms  p99 ms  max ms  bare p50  bare p99  steal %"
              "  CPU %  private MB  kB/session  writes/s  KiB/s")
        before, total = daemon.private_mb(), 0
        for count in map(int, args.sessions.split(",")):
            sessions = [Session(home) for _ in range(count)]
            for it in sessions:
                it.say("go on", "user")
            time.sleep(2)
            total += count
            it = stream(daemon, followers, sessions, args.seconds, args.pause)
            (p50, p99), floor = ([quantile(it[lags], share) * 1e3 for share in (0.5, 0.99)]
                                for lags in ("lags", "bare"))
            each = max(it["private"] - before, 0) * 1024 / total
            print(f"{count:8}  {it['lines']:5}  {it['lost']:4}  {p50:6.1f}  {p99:6.1f}  "
                  f"{it['lags'][-1] * 1e3:6.1f}  {floor[0]:8.1f}  {floor[1]:8.1f}  "
                  f"{it['steal'] * 100:7.1f}  {it['cpu'] * 100:5.1f}  {it['private']:10.1f}  "
                  f"{each:10.0f}  {it['calls']:8.0f}  {it['kib']:5.0f}", flush=True)
        print(f"private memory before streaming {before:.1f} MB")
        # Search and final summaries are brought up within a minute or two of the last line.
        time.sleep(args.settle)
        cpu, began = daemon.cpu(), time.time()
        time.sleep(args.idle)
        share = (daemon.cpu() - cpu) / (time.time() - began) * 100
        print(f"idle over {args.idle:g} s: {share:.2f} % of a core, {daemon.private_mb():.1f} MB private")
    finally:
        if bare:
            bare.terminate()
        if daemon:
            daemon.end()
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
