#!/usr/bin/env python3
"""What a device that joins late reads, and how long it takes.

    python3 bench/cold.py --bin target/release/taffrail [--sessions 1000] [--lines 1000] [--bodies]

One device tells its history, so many sessions of so many lines, to one NATS server that flushes before it answers; all is on
this machine. Then a second device of the same user joins, with nothing of its own. Printed as JSON: what the hub holds, and
for the second device the seconds from its daemon's start to the first session on its board, to all sessions, and until it
has read everything, with the bytes that went over its connection and the processor of its daemon and of the server. When its
board lists all sessions: the bytes so far, the bytes of the rows that `ls --json` prints then, and how many of those rows
already have the project, branch, model, start and last activity that they have in the end.
"""
import argparse
import json
import os
import sys
import time
import uuid

from rest import Way, streams
from team import Team, nats_program, spent, until


def history(home, sessions, lines):
    """Sessions of a month ago, as files."""
    folder = f"{home}/.claude/projects/-bench"
    os.makedirs(folder)
    for number in range(sessions):
        session, last = str(uuid.UUID(int=(4 << 76) + (8 << 60) + number)), None
        with open(f"{folder}/{session}.jsonl", "w") as file:
            for turn in range(lines):
                line, last = one(session, number, turn, last)
                file.write(json.dumps(line) + "\n")


def one(session, number, turn, last):
    this = f"{number:08x}-0000-4000-8000-{turn:012x}"
    at = time.gmtime(1_790_000_000 + number * 2_000 + turn)
    role, text = ("assistant" if turn % 2 else "user"), f"line {turn} of {number} says a few words and no more"
    content = [{"type": "text", "text": text}] if turn % 2 else text
    return {"type": role, "uuid": this, "parentUuid": last, "sessionId": session, "cwd": "/bench", "isSidechain": False,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", at), "version": "2.1.325",
            "message": {"id": "m" + this, "role": role, "model": "m", "content": content}}, this


def sessions_of(device):
    return device.ask("health").get("sessions", 0)


def board(row):
    return [row.get(it) for it in ("id", "agent", "title", "project_path", "git_branch", "model", "started_at", "last_event_at")]


def is_settled(device, last={}):
    """Whether the count of events has been the same for five looks."""
    now = sum(it["prompts"] for it in device.sessions())
    last["same"] = last.get("same", 0) + 1 if last.get("count") == now else 0
    last["count"] = now
    return last["same"] >= 5


def behind(device):
    """How many entries the device has not read; `None` while it does not know."""
    return next((it["entries_behind"] for it in device.ask("hub", "doctor")["lag"]), None)


def told(given, team):
    """The first device's history, on the hub."""
    first = team.devices[0]
    history(first.home, given.sessions, given.lines)
    if given.bodies:
        first.run("config", "set", "sync.bodies", "true")
    first.run("hub", "use", team.server.url)
    began = time.time()
    first.start()
    until("its sessions", lambda: sessions_of(first) >= given.sessions, 1800, 1)
    held = lambda: streams(team.server.port).get("TAFFRAIL_HUB_1_0_LOG")
    last = None
    # What was told last may be sealed after a moment.
    while (now := (held(), first.waiting())) != last or not now[0]["messages"]:
        last = now
        time.sleep(15)
    print(f"told in {time.time() - began:.0f} s: {held()}", file=sys.stderr, flush=True)
    return held()


def joined(given, team):
    """Seconds, bytes and processor of a device that comes now."""
    new, way = team.device(given.program, "tower"), Way(team.server.port)
    team.devices.append(new)
    team.admit(new)
    new.run("hub", "use", way.url)
    began, server = time.time(), spent(team.server.process.pid)
    new.start()
    until("a session", lambda: sessions_of(new) >= 1, 600, 0.2)
    first = time.time() - began
    until("all sessions", lambda: sessions_of(new) >= given.sessions, 3600, 0.1)
    everyone, bytes_then = time.time() - began, way.bytes
    rows = new.sessions()
    until("all entries", lambda: behind(new) == 0, 3600, 1)
    whole = time.time() - began
    until("all lines in the index", lambda: is_settled(new), 3600, 1)
    indexed = time.time() - began
    final = {it["id"]: board(it) for it in new.sessions()}
    right = sum(board(it) == final.get(it["id"]) for it in rows)
    return {"first_session_s": round(first, 1), "all_sessions_s": round(everyone, 1), "bytes_then": bytes_then,
            "bytes_of_the_rows": len(json.dumps(rows)), "rows_right_then": right,
            "all_read_s": round(whole, 1), "all_indexed_s": round(indexed, 1), "bytes": way.bytes, "daemon_cpu_s": round(new.cpu(), 1),
            "server_cpu_s": round(spent(team.server.process.pid) - server, 1)}


def checked(given, team):
    """Whether the first, a middle and the last session have all their lines."""
    first, new = team.devices
    ids = sorted(it["id"] for it in new.sessions())
    picked = [ids[0], ids[len(ids) // 2], ids[-1]]
    count = lambda device, it: len(device.run("events", it, "--json").splitlines())
    return len(ids) == given.sessions and all(count(new, it) == count(first, it) for it in picked)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--sessions", type=int, default=1000)
    words.add_argument("--lines", type=int, default=1000)
    words.add_argument("--bodies", action="store_true", help="tell texts, too")
    given = words.parse_args()
    given.program = os.path.abspath(given.bin)
    with Team(given.program, given.nats, ["laptop"]) as team:
        held = told(given, team)
        row = {"lines": given.sessions * given.lines, "entries_on_the_hub": held["messages"], "bytes_on_the_hub": held["bytes"],
               "load": round(os.getloadavg()[0], 1), **joined(given, team)}
        row["complete"] = checked(given, team)
    print(json.dumps(row, indent=2))
    return 0 if row["complete"] else 1


if __name__ == "__main__":
    sys.exit(main())
