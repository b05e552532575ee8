#!/usr/bin/env python3
"""A drill of losing a NATS server's store: an older copy of it, or nothing, takes its place while the devices work on.

    python3 bench/drill.py --bin target/release/taffrail [--how copy,snapshot,nothing] [--runs 1]

Two devices of one user tell each other their sessions over one NATS server that flushes before it answers; all is on this
machine. The store is backed up: by a copy of its folder while the server is stopped (copy), by JetStream's own snapshot of each stream
from the running server, as `nats stream backup` makes it (snapshot), or not at all (nothing). Both devices go on and a third one
joins. Then the server is killed, its store is removed and the older one put back, and everybody goes on, without a
restart of any device and without a word to them. In the end, all three devices have to have every line of every session, once
and in order, and so has a fourth one that joins then. Printed as JSON with the seconds it took; the exit code is 1 if anything is missing.
"""
import argparse
import json
import os
import shutil
import sys
import time

from hub import Client
from live import Session
from restored import fault, texts
from team import Server, Team, nats_program, until

SESSIONS, LINES, PATIENCE, CHUNK = 3, 20, 300, 64 << 10


class Talks:
    """The sessions of all devices and what was written in them."""

    def __init__(self):
        self.all, self.said = [], {}

    def begin(self, device):
        self.all += [Session(device.home) for _ in range(SESSIONS)]

    def go_on(self):
        for number in range(LINES):
            for it in self.all:
                mine = self.said.setdefault(it.id, {}).setdefault("agent", [])
                mine.append(f"line {len(mine):04}")
                it.say(mine[-1], "assistant" if number % 2 else "user")
            time.sleep(0.02)

    def missing(self, device):
        rows = {it["runtime_session_id"]: it["id"] for it in device.sessions()}
        return [f"{device.name}: {session}: {wrong}" for session, said in self.said.items()
                if (wrong := fault(said, texts(device, rows[session]) if session in rows else []))]

    def everywhere(self, devices):
        """Seconds until all devices have everything."""
        began = time.time()
        try:
            until("everything", lambda: not any(self.missing(it) for it in devices), PATIENCE, 0.5)
        except SystemExit:
            raise SystemExit(f"after {PATIENCE} s: {[wrong for it in devices for wrong in self.missing(it)]}") from None
        return round(time.time() - began, 1)


def delivered(client, ack):
    """The next message of a snapshot; each piece is acknowledged so that the next one comes."""
    line = client.until(b"MSG").split()
    size = int(line[-1])
    while len(client.rest) < size + 2:
        client.rest += client.socket.recv(1 << 16)
    body, client.rest = client.rest[:size], client.rest[size + 2:]
    if ack and len(line) == 5:
        client.say(b"PUB %s 0\r\n\r\n" % line[3])
    return body


def snapshot(port):
    """Each stream's configuration, state and bytes, from the running server."""
    client, out = Client(port), {}
    for stream in client.ask(b"$JS.API.STREAM.NAMES", b"")["streams"]:
        ask = json.dumps({"deliver_subject": "snap.pieces", "chunk_size": CHUNK}).encode()
        client.say(b"SUB snap.> 4\r\nPUB $JS.API.STREAM.SNAPSHOT.%s snap.answer %d\r\n%s\r\n"
                   % (stream.encode(), len(ask), ask))
        told = json.loads(delivered(client, False))
        pieces = list(iter(lambda: delivered(client, True), b""))
        out[stream] = {"config": told["config"], "state": told["state"]}, pieces
        client.say(b"UNSUB 4\r\n")
    client.socket.close()
    return out


def put_in(team, streams):
    """Restores streams by a server of its own: on the real one devices would make empty ones first."""
    aside = Server(team.server.program, f"{team.folder}/aside")
    client = Client(aside.port)
    for stream, (head, pieces) in streams.items():
        told = client.ask(b"$JS.API.STREAM.RESTORE." + stream.encode(), json.dumps(head).encode())
        to = told["deliver_subject"].encode()
        client.say(b"SUB put.> 5\r\n")
        for piece in [*pieces, b""]:
            client.say(b"PUB %s put.answer %d\r\n%s\r\n" % (to, len(piece), piece))
            answer = delivered(client, False)
        if "error" in json.loads(answer):
            raise SystemExit(f"{stream} was not restored: {answer}")
        client.say(b"UNSUB 5\r\n")
    client.socket.close()
    aside.close()
    shutil.move(aside.store, team.server.store)


def backed_up(team, how):
    if how == "snapshot":
        return snapshot(team.server.port)
    if how == "copy":
        team.server.close()
        shutil.copytree(team.server.store, f"{team.folder}/backup")
        team.server.start()
    return None


def replaced(team, how, backup):
    """The server loses its store and gets the older one."""
    team.server.process.kill()
    team.server.process.wait()
    shutil.rmtree(team.server.store)
    if how == "copy":
        shutil.copytree(f"{team.folder}/backup", team.server.store)
    if how == "snapshot":
        put_in(team, backup)
    team.server.start()


def joined(given, team, name):
    new = team.device(given.program, name)
    team.devices.append(new)
    team.admit(new)
    new.run("hub", "use", team.server.url)
    new.run("config", "set", "sync.bodies", "true")
    new.start()
    return new


def drilled(given, how):
    with Team(given.program, given.nats, ["laptop", "tower"]) as team:
        team.use()
        talks = Talks()
        for device in team.devices:
            device.run("config", "set", "sync.bodies", "true")
            talks.begin(device)
            device.start()
        talks.go_on()
        talks.everywhere(team.devices)
        backup = backed_up(team, how)
        talks.begin(joined(given, team, "desk"))
        talks.go_on()
        before = talks.everywhere(team.devices)
        replaced(team, how, backup)
        talks.go_on()
        after = talks.everywhere(team.devices)
        joined(given, team, "late")
        late = talks.everywhere(team.devices)
    lines = sum(len(it["agent"]) for it in talks.said.values())
    return {"how": how, "sessions": len(talks.all), "lines": lines, "missing": 0, "seconds_before_the_loss": before,
            "seconds_after_it": after, "seconds_of_a_late_device": late}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--how", default="copy,snapshot,nothing")
    words.add_argument("--runs", type=int, default=1)
    given = words.parse_args()
    given.program = os.path.abspath(given.bin)
    for how in given.how.split(",") * given.runs:
        print(json.dumps(drilled(given, how)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
