#!/usr/bin/env python3
"""What many live sessions of another device cost, and how soon they are seen.

    python3 bench/remote.py --bin target/release/taffrail [--sessions 200] [--pause 5] [--seconds 60] [--rest 120]

Two devices over one NATS server that flushes before it answers, all on this machine. So many sessions of the
first one write a line every `pause` seconds, with their texts told. Printed as JSON: the time from a line's being written on the
first to its coming over the second daemon's own stream, and the processor of both daemons and of the server meanwhile; then,
after the sessions came to a stand and things have settled, the processor of the second one's daemon and of a board that shows them all.
"""
import argparse
import json
import os
import socket
import sys
import threading
import time
import uuid

from board import Board
from live import Session, quantile
from team import Team, nats_program, spent, until


class Follower(threading.Thread):
    """Follows a daemon's stream and notes when each probe came."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.seen, self.link = {}, socket.socket(socket.AF_UNIX)
        self.link.connect(path)
        self.link.sendall(b"GET /api/stream HTTP/1.1\r\nHost: taffrail\r\nAccept: text/event-stream\r\n\r\n")
        self.start()

    def run(self):
        rest = b""
        while chunk := self.link.recv(1 << 16):
            now = time.time()
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                at = line.find(b"probe-")
                if at >= 0:
                    self.seen.setdefault(line[at:at + 42], now)


def shares(pids, work):
    """Percent of a core each process took while something was done."""
    before, began = {name: spent(pid) for name, pid in pids.items()}, time.time()
    work()
    took = time.time() - began
    return {name: round(100 * (spent(pid) - before[name]) / took, 2) for name, pid in pids.items()}


def write(sessions, sent, seconds, pause):
    began, number, every = time.time(), 0, pause / len(sessions)
    while time.time() - began < seconds:
        text = "probe-" + str(uuid.uuid4())
        sent[text.encode()] = time.time()
        sessions[number % len(sessions)].say(text)
        number += 1
        time.sleep(max(0.0, began + number * every - time.time()))


def lags_of(follower, sent):
    """Milliseconds from written to seen, in order; who was never seen is lost."""
    deadline = time.time() + 30
    while any(it not in follower.seen for it in sent) and time.time() < deadline:
        time.sleep(0.1)
    return sorted(1e3 * (follower.seen[it] - at) for it, at in sent.items() if it in follower.seen)


def live(given, team, sessions):
    first, second = team.devices
    follower, own, sent = Follower(second.socket()), Follower(first.socket()), {}
    pids = {"telling": first.daemon.pid, "hearing": second.daemon.pid, "server": team.server.process.pid}
    cpu = shares(pids, lambda: write(sessions, sent, given.seconds, given.pause))
    lags, near = lags_of(follower, sent), lags_of(own, sent)
    told = {f"p{int(100 * share)}_ms": round(quantile(lags, share), 1) for share in (0.5, 0.99)}
    return {"lines": len(sent), "lost": len(sent) - len(lags), **told, "longest_ms": round(lags[-1], 1),
            "p99_on_its_own_device_ms": round(quantile(near, 0.99), 1), "cpu_percent": cpu}


def at_rest(given, team):
    second = team.devices[1]
    board = Board(second.program, second.env)
    try:
        board.rest(given.settle)
        pids = {"hearing": second.daemon.pid, "telling": team.devices[0].daemon.pid,
                "server": team.server.process.pid, "board": board.pid}
        return {"seconds": given.rest, "cpu_percent": shares(pids, lambda: board.rest(given.rest))}
    finally:
        board.end()


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--sessions", type=int, default=200)
    words.add_argument("--pause", type=float, default=5.0, help="seconds between lines of one session")
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--settle", type=float, default=120)
    words.add_argument("--rest", type=float, default=120)
    given = words.parse_args()
    with Team(os.path.abspath(given.bin), given.nats, ["laptop", "tower"]) as team:
        first, second = team.devices
        team.use()
        first.run("config", "set", "sync.bodies", "true")
        sessions = [Session(first.home, "-bench") for _ in range(given.sessions)]
        for it in sessions:
            it.say("go on", "user")
        first.start()
        second.start()
        until("all sessions on the other device", lambda: len(second.sessions()) >= given.sessions, 120, 0.5)
        time.sleep(3)
        told = {"sessions": given.sessions, "load": round(os.getloadavg()[0], 1), "cores": os.cpu_count(),
                "live": live(given, team, sessions), "at_rest": at_rest(given, team),
                "load_at_the_end": round(os.getloadavg()[0], 1)}
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
