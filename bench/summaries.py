#!/usr/bin/env python3
"""How often the user's command for summaries runs, at several numbers of sessions.

    python3 bench/summaries.py --bin target/release/taffrail [--sessions 10,50,100] [--turns 3]

Makes a home of its own, sets a command that answers at once, and lets sessions write prompts and
answers, as agents do. Printed for each number of sessions: the turns that ended, the runs of the
command, and the runs that failed. Nobody asks for a summary. Everything is removed at the end.
"""
import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from live import Daemon, Session, stamp, uuid


def counted(path):
    """The runs and the failures, as the daemon's metrics count them."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)
    link.sendall(b"GET /metrics HTTP/1.1\r\nHost: taffrail\r\nConnection: close\r\n\r\n")
    text = b""
    while chunk := link.recv(1 << 16):
        text += chunk
    of = lambda name: int(re.search(rf"taffrail_summary_{name}_total (\d+)", text.decode())[1])
    return of("runs"), of("failures")


def answer(session, text):
    """An answer that ends the turn."""
    this = str(uuid.uuid4())
    message = {"id": "msg_" + this, "role": "assistant", "model": "m", "stop_reason": "end_turn",
               "content": [{"type": "text", "text": text}]}
    line = {"type": "assistant", "uuid": this, "parentUuid": session.last, "sessionId": session.id,
            "timestamp": stamp(), "cwd": "/bench", "version": "2.1.325", "isSidechain": False,
            "message": message, "requestId": "r" + this}
    session.last = this
    with open(session.path, "a") as file:
        file.write(json.dumps(line) + "\n")


def settled(daemon):
    """The counts, once they no longer change."""
    before = None
    while (now := counted(daemon.socket)) != before:
        before = now
        time.sleep(3)
    return now


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/taffrail")
    parser.add_argument("--sessions", default="10,50,100")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between turns")
    args = parser.parse_args()
    home = tempfile.mkdtemp(prefix="taffrail-summaries-")
    program, daemon = os.path.abspath(args.bin), None
    try:
        command = json.dumps(["sh", "-c", "cat > /dev/null; echo Current: words"])
        Session(home).say("begin", "user")
        daemon = Daemon(program, home, 1)
        subprocess.run([program, "config", "set", "summary.command", command], env=daemon.env, check=True)
        daemon.end()
        daemon = Daemon(program, home, 1)
        print("sessions  turns  runs  failed  runs/turn")
        for count in map(int, args.sessions.split(",")):
            before, sessions = settled(daemon), [Session(home) for _ in range(count)]
            for number in range(args.turns):
                for it in sessions:
                    it.say(f"prompt {number}", "user")
                    answer(it, f"Fixed part {number}.")
                time.sleep(args.pause)
            runs, failed = (now - then for now, then in zip(settled(daemon), before))
            turns = count * args.turns
            print(f"{count:8}  {turns:5}  {runs:4}  {failed:6}  {runs / turns:9.2f}", flush=True)
    finally:
        if daemon:
            daemon.end()
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
