#!/usr/bin/env python3
"""Whether anything a person wrote is seen by a hub: planted strings are looked for where it could be.

    python3 bench/canaries.py --bin target/release/taffrail [--strings 1000] [--pushes 20]

Plants strings in prompts, paths, branch names and titles of sessions on one device, lets two devices tell
each other everything, texts too, over a real NATS server, and pushes and pulls some of the sessions. Then the
server's store, its log with every message in it, and a capture of all packets (by `tcpdump`, or by a proxy that
records where there is none) are searched, as the strings are and as hex and base64 of them. That the search would find
them is shown by one string that is given to the same server as it is. What was found is printed as JSON; the exit
code is 1 if a planted string was found, or the other was not, or a string did not arrive on the other device.
"""
import argparse
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from collections import defaultdict

from hub import Client
from team import Team, free_port, nats_program, until

MARK, CONTROL = "zqcanary", "zqcontrol-in-the-clear"
KINDS = ("prompt", "path", "branch", "title")


def planted(number, kind):
    return f"{MARK}{number:04}{kind}"


def plant(home, number):
    """A session with one string of each kind."""
    session, last = str(uuid.uuid4()), None
    words = {kind: planted(number, kind) for kind in KINDS}
    cwd = f"{home}/src/{words['path']}"
    os.makedirs(cwd)
    folder = f"{home}/.claude/projects/" + re.sub("[^A-Za-z0-9]", "-", cwd)
    os.makedirs(folder)
    lines = [{"type": "custom-title", "customTitle": f"about {words['title']}", "sessionId": session}]
    for turn in range(10):
        this, is_prompt = str(uuid.uuid4()), turn % 2 == 0
        text = f"{words['prompt']} said {turn}"
        message = ({"role": "user", "content": text} if is_prompt else
                   {"id": f"m{this}", "type": "message", "role": "assistant", "model": "m",
                    "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1, "output_tokens": 1}})
        lines.append({"type": message["role"], "uuid": this, "parentUuid": last, "sessionId": session,
                      "timestamp": f"2026-10-01T10:00:{turn:02}.000Z", "cwd": cwd, "version": "2.1.325",
                      "gitBranch": words["branch"], "isSidechain": False, "message": message})
        last = this
    with open(f"{folder}/{session}.jsonl", "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return session, cwd


class Tcpdump:
    """Every packet of a port of loopback."""

    def __init__(self, port, file):
        self.file, self.said = file, ""
        self.process = subprocess.Popen(["tcpdump", "-i", "lo", "-U", "--immediate-mode", "-s", "0", "-B", "131072", "-w", file,
                                         "tcp", "port", str(port)], stderr=subprocess.PIPE, text=True)
        while "listening on" not in (line := self.process.stderr.readline()):
            if not line:
                raise SystemExit("tcpdump does not run: use --proxy")

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.said = self.process.communicate(timeout=30)[1]

    def dropped(self):
        told = re.search(r"(\d+) packets? dropped by kernel", self.said)
        return int(told.group(1)) if told else None

    def streams(self):
        """What each side of each connection said, put together."""
        out = defaultdict(bytearray)
        with open(self.file, "rb") as file:
            head = file.read(24)
            order = "<" if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
            while len(record := file.read(16)) == 16:
                packet = file.read(struct.unpack(order + "IIII", record)[2])
                start = 14 + (packet[14] & 15) * 4
                ports = packet[start:start + 4]
                out[ports] += packet[start + (packet[start + 12] >> 4) * 4:14 + int.from_bytes(packet[16:18], "big")]
        return list(out.values())


class Proxy:
    """Passes everything on to a port, and keeps it."""

    def __init__(self, port, _):
        self.to, self.kept = port, []
        self.listener = socket.create_server(("127.0.0.1", free_port()))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.to))
            for one, other in ((near, far), (far, near)):
                self.kept.append(bytearray())
                threading.Thread(target=self.carry, args=(one, other, self.kept[-1]), daemon=True).start()

    @staticmethod
    def carry(one, other, kept):
        try:
            while data := one.recv(1 << 16):
                kept += data
                other.sendall(data)
        except OSError:
            pass
        for it in (one, other):
            try:
                it.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()

    def dropped(self):
        return 0

    def streams(self):
        return self.kept


def forms(text):
    """A text as it is, in hex, and in base64 wherever it begins in what was encoded."""
    raw = text.encode()
    out = [raw, raw.hex().encode(), raw.hex().upper().encode(), text.encode("utf-16-le")]
    for shift in range(3):
        # The first and the last letters depend on what is around.
        out.append(base64.b64encode(b"\0" * shift + raw)[4 if shift else 0:-4])
    return out


def search(pieces):
    """How many planted strings, and how often the one in the clear, are in some bytes."""
    mark = re.compile(b"|".join(re.escape(it) for it in forms(MARK)), re.IGNORECASE)
    size = hits = control = 0
    for piece in pieces:
        size += len(piece)
        hits += len(mark.findall(piece))
        control += piece.count(CONTROL.encode())
    return {"bytes": size, "planted": hits, "control": control}


def files(*roots):
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    yield name.encode() + b"\0" + file.read()
            yield folder.encode()


def in_the_clear(port):
    """Gives the server one string as it is, into the stream that holds the logs."""
    client = Client(port)
    names = client.ask(b"$JS.API.STREAM.NAMES", b"")["streams"]
    stream = next(it for it in names if it.startswith("TAFFRAIL_HUB_") and it.endswith("_LOG"))
    streams, shard = stream.split("_")[2:4]
    subject = f"taffrail_hub.{streams}-{shard}.log.{CONTROL}.{CONTROL}"
    answer = client.ask(subject.encode(), CONTROL.encode())
    if "seq" not in answer:
        raise SystemExit(f"the string in the clear was not taken: {answer}")
    client.socket.close()


def arrived(device, count):
    """The planted strings that another device was told."""
    pattern = re.compile(rf"{MARK}\d{{4}}(?:{'|'.join(KINDS)})".encode())
    found = {it for piece in files(f"{device.data}/remote") for it in pattern.findall(piece)}
    return len(found) if len(found) < count else count


def carry(first, second, sessions, pushes):
    """Pushes some sessions, and pulls and holds them on the other device."""
    rows = {it["runtime_session_id"]: it["id"] for it in first.sessions()}
    for session, cwd in sessions[:pushes]:
        with open(f"{cwd}/{planted(9999, 'path')}.txt", "w") as file:
            file.write(f"{planted(9999, 'prompt')} is not committed\n")
        git = ["git", "-C", cwd, "-c", "init.defaultBranch=" + planted(9999, "branch")]
        subprocess.run([*git, "init", "-q"], check=True)
        first.run("teleport", "push", rows[session])
        project = f"{second.home}/pulled/{session}"
        os.makedirs(project)
        second.run("teleport", "pull", rows[session], "--project", project)
    return len(second.ask("teleport", "ls")["parcels"])


def tried(given, team):
    """Everything that is done between the devices."""
    first, second = team.devices
    capture = (Proxy if given.proxy else Tcpdump)(team.server.port, f"{team.folder}/packets")
    try:
        team.use(f"nats://127.0.0.1:{capture.port}" if given.proxy else None)
        for device in team.devices:
            device.run("config", "set", "sync.bodies", "true")
        sessions = [plant(first.home, number) for number in range(given.strings // len(KINDS))]
        count = len(sessions) * len(KINDS)
        first.start()
        second.start()
        until("all strings on the other device", lambda: arrived(second, count) == count, 300, 0.5)
        until("all on the hub", lambda: first.waiting() == 0)
        parcels = carry(first, second, sessions, given.pushes)
        in_the_clear(capture.port if given.proxy else team.server.port)
        for device in team.devices:
            device.close()
        # What was sent last is written last.
        time.sleep(2)
    finally:
        capture.close()
    team.server.close()
    return capture, {"strings": count, "arrived": arrived(second, count), "sessions": len(sessions),
                     "parcels": parcels, "dropped_packets": capture.dropped()}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--strings", type=int, default=1000)
    words.add_argument("--pushes", type=int, default=20)
    words.add_argument("--proxy", action="store_true", help="record by a proxy and not by tcpdump")
    given = words.parse_args()
    given.proxy = given.proxy or not shutil.which("tcpdump") or os.geteuid() != 0
    with Team(os.path.abspath(given.bin), given.nats, ["laptop", "tower"], "debug: true\ntrace: true") as team:
        capture, told = tried(given, team)
        told["capture"] = "proxy" if given.proxy else "tcpdump"
        with open(team.server.log, "rb") as log:
            places = {"store": search(files(team.server.store)), "log": search([log.read()]),
                      "packets": search(capture.streams())}
    told["places"] = places
    good = all(it["planted"] == 0 and it["control"] > 0 for it in places.values())
    told["good"] = good and told["arrived"] == told["strings"] and not told["dropped_packets"]
    print(json.dumps(told, indent=2))
    return 0 if told["good"] else 1


if __name__ == "__main__":
    sys.exit(main())
