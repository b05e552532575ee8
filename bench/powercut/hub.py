#!/usr/bin/env python3
"""Cuts the power of a device and of its NATS server while both work, and looks at what is left. See README.md."""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import disk

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hub import Client  # noqa: E402
from team import Device, Server, nats_program, until  # noqa: E402

TOOLS = ["mkfs.ext4", "losetup", "mount", "umount", "unshare", "cp"]
BOOT_ID = "/proc/sys/kernel/random/boot_id"
IMAGE_MB = 512
SESSIONS = 8
# A stream of our own, in the same store: what a bare publisher is told to be kept.
BARE = "BARE"


class Fault(Exception):
    """Something that was acknowledged is gone."""


class Cut(Device):
    """A device whose data are on a disk that loses its power; every start is one of another machine's life."""

    def begin(self, boot):
        script = f'mount --bind "$0" {BOOT_ID} && exec "$@"'
        self.program = ["unshare", "-m", "sh", "-c", script, str(boot), self.binary]

    def __init__(self, program, folder, name, boot):
        self.binary = program
        self.begin(boot)
        super().__init__(self.program, folder, name)

    def spawn(self, *words):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*self.program, *words], env=self.env, cwd=self.home, **quiet)

    def run(self, *words, check=True):
        done = subprocess.run([*self.program, *words], env=self.env, cwd=self.home, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise Fault(f"{self.name}: {' '.join(words)}: {done.returncode}: {done.stderr}")
        return done.stdout

    def start(self):
        self.daemon = self.spawn("daemon", "run")
        until("the daemon", lambda: self.ask("daemon", "status")["running"], 60, 0.05)


class Talk:
    """A session that is written to, outside of every disk that is cut; each text is its number."""

    def __init__(self, home):
        self.id, self.last, self.count = str(uuid.uuid4()), None, 0
        folder = f"{home}/.claude/projects/-w-app"
        os.makedirs(folder, exist_ok=True)
        self.path = f"{folder}/{self.id}.jsonl"

    def say(self):
        this, text = str(uuid.uuid4()), f"number {self.count:06}"
        role = "assistant" if self.count % 2 else "user"
        content = [{"type": "text", "text": text}] if role == "assistant" else text
        now = time.time()
        line = {"type": role, "uuid": this, "parentUuid": self.last, "sessionId": self.id, "cwd": "/w/app",
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000),
                "version": "2.1.325", "isSidechain": False,
                "message": {"id": "m" + this, "role": role, "model": "m", "content": content}}
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")
        self.last, self.count = this, self.count + 1


class Work:
    """Everything that goes on until the cut: lines, notes, and a bare publisher. It notes what was acknowledged."""

    def __init__(self, world):
        self.world, self.is_over, self.child = world, False, None
        self.threads = [threading.Thread(target=it, daemon=True) for it in (self.write, self.note, self.publish)]
        for it in self.threads:
            it.start()

    def write(self):
        while not self.is_over:
            for talk in self.world.talks:
                talk.say()
            time.sleep(0.05)

    def note(self):
        while not self.is_over:
            text = f"note {len(self.world.notes):06}"
            # A session has only so many; the oldest make room.
            talk = self.world.talks[len(self.world.notes) % SESSIONS]
            self.child = self.world.device.spawn("note", talk.id, text)
            if self.child.wait() == 0 and not self.is_over:
                self.world.notes.append(text)

    def publish(self):
        client = self.world.client()
        try:
            while not self.is_over:
                number = self.world.acked + 1
                if client.ask(b"bare.x", b"%d" % number).get("seq") and not self.is_over:
                    self.world.acked = number
        except (OSError, EOFError):
            pass

    def end(self):
        """Called while everything stands still: from now on nothing is acknowledged."""
        self.is_over = True

    def join(self):
        if self.child and self.child.poll() is None:
            self.child.kill()
        for it in self.threads:
            it.join(30)


class World:
    def __init__(self, given, work: Path):
        self.given, self.work = given, work
        self.boot, self.turn = work / "boot", 0
        self.ledger, self.store = work / "ledger", work / "store"
        self.images = {self.ledger: work / "ledger-0.img", self.store: work / "store-0.img"}
        self.mounts, self.server, self.device, self.other = [], None, None, None
        self.talks, self.notes, self.acked = [], [], 0
        self.new_life()
        for folder, image in self.images.items():
            folder.mkdir()
            disk.make(image, IMAGE_MB)
        self.mount()
        self.server = Server(given.nats, str(work / "nats"))
        # The store is on the disk that is cut.
        self.server.close()
        conf = (work / "nats/conf").read_text().replace(self.server.store, f"{self.store}/js")
        (work / "nats/conf").write_text(conf)
        self.server.start()
        self.prepare()

    def new_life(self):
        self.boot.write_text(str(uuid.uuid4()) + "\n")

    def mount(self):
        for folder, image in self.images.items():
            mounted = disk.Mounted(image, folder)
            mounted.__enter__()
            self.mounts.append(mounted)

    def prepare(self):
        home = self.work / "laptop"
        os.makedirs(home / "x")
        os.symlink(self.ledger, home / "x/DATA_HOME")
        os.chmod(self.ledger, 0o700)
        self.device = Cut(self.given.program, str(home), "laptop", self.boot)
        self.other = Device(self.given.program, str(self.work / "tower"), "tower")
        invite = self.device.ask("device", "invite")["invite"]
        request = self.other.ask("device", "join", invite)["request"]
        self.device.run("device", "approve", request, "--yes")
        for it in (self.device, self.other):
            it.run("hub", "use", self.server.url)
        self.device.run("config", "set", "sync.bodies", "true")
        self.talks = [Talk(str(home)) for _ in range(SESSIONS)]
        for it in self.talks:
            it.say()
        self.device.start()
        self.other.start()
        client = self.client()
        made = client.ask(b"$JS.API.STREAM.CREATE." + BARE.encode(),
                          json.dumps({"name": BARE, "subjects": ["bare.>"], "storage": "file"}).encode())
        if "error" in made:
            raise SystemExit(made)
        self.settle()

    def client(self):
        return Client(self.server.port)

    def cut(self, delay):
        """Lets all work for so long, stops them at one instant, takes what the disks hold, and ends them."""
        work = Work(self)
        time.sleep(delay)
        pids = [self.server.process.pid, self.device.daemon.pid]
        child = work.child
        if child and child.poll() is None:
            pids.append(child.pid)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                pass
        work.end()
        self.turn += 1
        copies = {}
        try:
            for mounted in self.mounts:
                copy = mounted.image.with_name(f"{mounted.folder.name}-{self.turn}.img")
                mounted.cut(copy)
                copies[mounted.folder] = copy
        finally:
            self.kill()
            work.join()
        self.unmount()
        for image in self.images.values():
            image.unlink()
        self.images = copies

    def kill(self):
        for process in (self.server.process, self.device.daemon):
            process.kill()
            process.wait()

    def unmount(self):
        for mounted in self.mounts:
            mounted.__exit__()
        self.mounts = []

    def check(self):
        """Starts everything again with what the disks held, and compares."""
        self.new_life()
        self.mount()
        believed = self.believed()
        self.server.start()
        kept = self.kept()
        for stream, appended in believed.items():
            if kept.get(stream, 0) < appended:
                raise Fault(f"{stream}: the ledger was told of {appended}, the server has {kept.get(stream, 0)}")
        self.check_bare()
        self.device.begin(self.boot)
        self.device.start()
        told = [self.device.ask("note", it.id)["notes"] for it in self.talks]
        there = {it["text"] for notes in told for it in notes}
        lost = [it for it in self.notes if it not in there]
        if lost:
            raise Fault(f"{len(lost)} of {len(self.notes)} acknowledged notes are gone: {lost[:3]}")
        self.settle()
        return believed

    def believed(self):
        """How many entries of each log the ledger knows to be on the server."""
        copy = self.work / "look"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for path in (self.ledger / "taffrail").glob("ledger.db*"):
            shutil.copy(path, copy)
        with sqlite3.connect(copy / "ledger.db") as ledger:
            rows = ledger.execute("SELECT stream, incarnation, appended FROM out_streams").fetchall()
        return {f"{stream}.{life}": appended for stream, life, appended in rows}

    def kept(self):
        """How many entries of each log the server has."""
        client = self.client()
        names = client.ask(b"$JS.API.STREAM.NAMES", b"")["streams"]
        stream = next(it for it in names if it.startswith("TAFFRAIL_HUB_") and it.endswith("_LOG"))
        info = client.ask(b"$JS.API.STREAM.INFO." + stream.encode(), b'{"subjects_filter": ">"}')
        return {".".join(it.split(".")[-2:]): count for it, count in info["state"].get("subjects", {}).items()}

    def check_bare(self):
        client = self.client()
        state = client.ask(b"$JS.API.STREAM.INFO." + BARE.encode(), b"")["state"]
        if state["messages"] < self.acked or state["last_seq"] != state["messages"]:
            raise Fault(f"{self.acked} were acknowledged, the server has {state}")
        # One more may be there, whose acknowledgement never came.
        self.acked = state["messages"]

    def settle(self):
        """Every line is on the other device, once and in its order."""
        def all_there():
            rows = {it["runtime_session_id"]: it["id"] for it in self.other.sessions()}
            return all(it.id in rows and self.texts(rows[it.id]) == self.wanted(it) for it in self.talks)
        try:
            until("everything on the other device", all_there, 120, 0.3)
        except SystemExit as error:
            told = {it.name: self.counts(it) for it in (self.device, self.other)}
            problems = [it.ask("health")["problems"] for it in (self.device, self.other)]
            raise Fault(f"{error}: {[it.count for it in self.talks]} for {told}, {problems}") from None

    @staticmethod
    def wanted(talk):
        return [f"number {number:06}" for number in range(talk.count)]

    def counts(self, device):
        """How many lines of each session a device knows."""
        rows = {it["runtime_session_id"]: it["id"] for it in device.sessions()}
        return [len(self.texts(rows[it.id], device)) if it.id in rows else None for it in self.talks]

    def texts(self, session, device=None):
        lines = (device or self.other).run("events", session, "--json").splitlines()
        return [text for it in map(json.loads, lines) if (text := it.get("text") or "").startswith("number ")]

    def close(self):
        for it in (self.device, self.other, self.server):
            if it:
                it.close()
        self.unmount()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nats", default=nats_program())
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--program", type=Path, default=root / "target/release/taffrail")
    given = parser.parse_args()
    given.program = str(given.program.resolve())
    if os.geteuid() != 0:
        print("this needs root: it mounts file systems on loop devices", file=sys.stderr)
        return 2
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or not os.path.exists(given.program):
        print(f"missing: {missing or given.program}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = Path(tempfile.mkdtemp(prefix="powercut-hub-"))
    try:
        return cuts(given, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def cuts(given, work: Path) -> int:
    if not disk.loses_what_is_not_synced(work):
        print("a copy of the image is no power cut here: it holds what was not synced", file=sys.stderr)
        return 2
    world, chance, good = World(given, work), random.Random(given.seed), 0
    fault = None
    try:
        for number in range(given.cuts):
            delay = chance.uniform(0.2, 4.0)
            world.cut(delay)
            believed = world.check()
            good += 1
            print(f"cut {number} after {delay:.2f} s: good: {believed}, {world.acked} bare, {len(world.notes)} notes",
                  file=sys.stderr, flush=True)
    except Fault as it:
        fault = str(it)
    finally:
        world.close()
    print(json.dumps({"cuts": given.cuts, "good": good, "seed": given.seed, "fault": fault,
                      "lines": sum(it.count for it in world.talks), "acknowledged_bare": world.acked,
                      "acknowledged_notes": len(world.notes)}))
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
