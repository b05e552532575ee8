#!/usr/bin/env python3
"""Whether a reader loses anything of a device that is restored twice, or whose keys run twice at once.

    python3 bench/restored.py --bin target/release/taffrail [--runs 50] [--kind ledger,folder,twice] [--seed 1]

Each run is a team of its own: a laptop and two readers, all of one user, real daemons over one NATS server that flushes
before it answers. The laptop's sessions get lines, some while it tells them and some in a rush:

    ledger   its ledger is copied, lines are told, the copy takes its place, lines are told, and once more
    folder   the same with the whole data folder, as from a backup
    twice    its whole home is copied, and both copies run at once and write, into the same sessions and their own

In the end each reader has to have every line of every session, once, and each writer's lines in their order. Printed as JSON;
the exit code is 1 if one line was lost, doubled or out of order.
"""
import argparse
import json
import os
import random
import shutil
import sys
import time
from pathlib import Path

from letting import let_scripts_decide
from live import Session
from team import Device, Team, nats_program, until

SESSIONS, LINES, PATIENCE = 3, 5, 180


class Copy(Device):
    """A device in a home that was copied from another: the same keys, nothing is made."""

    def __init__(self, of, folder):
        self.program, self.home, self.name, self.daemon = of.program, folder, of.name, None
        self.env = {name: it.replace(of.home, folder) for name, it in of.env.items()}
        shutil.copytree(of.home, folder, symlinks=True, ignore=sockets)
        let_scripts_decide(self.env["XDG_CONFIG_HOME"])
        self.data = of.data.replace(of.home, folder)


def sockets(folder, names):
    return [it for it in names if Path(folder, it).is_socket()]


class World:
    """A laptop that writes and two readers; what each writer said, by session."""

    def __init__(self, team, chance):
        self.chance, self.team, self.said = chance, team, {}
        self.laptop, *self.readers = team.devices
        team.use()
        self.laptop.run("config", "set", "sync.bodies", "true")
        self.sessions = [Session(self.laptop.home) for _ in range(SESSIONS)]
        for it in team.devices:
            it.start()
        self.write("laptop", self.sessions)
        self.told(self.laptop)

    def write(self, who, sessions, lines=LINES):
        for number in range(lines):
            for it in sessions:
                mine = self.said.setdefault(it.id, {}).setdefault(who, [])
                mine.append(f"line {who} {len(mine):04}")
                it.say(mine[-1], "assistant" if number % 2 else "user")
            time.sleep(self.chance.choice((0, 0, 0.05, 0.2)))

    def told(self, device):
        """Until all is on the hub, or a moment only: then something is on its way."""
        if self.chance.random() < 0.5:
            until("all on the hub", lambda: device.waiting() == 0, 60)
        time.sleep(self.chance.uniform(0, 1.5))

    def missing(self, reader):
        """What is wrong with a reader's sessions; nothing where all is well."""
        rows = {it["runtime_session_id"]: it["id"] for it in reader.sessions()}
        return [f"{session}: {wrong}" for session, said in self.said.items()
                if (wrong := fault(said, texts(reader, rows[session]) if session in rows else []))]

    def compare(self):
        """Waits until all readers have everything; what is wrong after that."""
        try:
            until("everything", lambda: not any(self.missing(it) for it in self.readers), PATIENCE, 0.5)
        except SystemExit:
            return [f"{it.name}: {wrong}" for it in self.readers for wrong in self.missing(it)]
        return []

    def lines(self):
        return sum(len(mine) for said in self.said.values() for mine in said.values())


def texts(device, session):
    lines = device.run("events", session, "--json").splitlines()
    return [text for it in map(json.loads, lines) if (text := it.get("text") or "").startswith("line ")]


def fault(said, there):
    """What is lost, doubled or in another order."""
    lost = [it for mine in said.values() for it in mine if it not in there]
    if lost:
        return f"{len(lost)} lost, such as {lost[0]}"
    if len(there) != sum(map(len, said.values())):
        return f"{len(there)} lines for {sum(map(len, said.values()))}"
    astray = [who for who, mine in said.items() if [it for it in there if it in set(mine)] != mine]
    return f"the order of {astray}" if astray else None


def kept(world, kind, safe):
    """What a backup would hold: the ledger alone, or the whole folder of data."""
    names = sorted(Path(world.laptop.data).glob("ledger.db*")) if kind == "ledger" else [Path(world.laptop.data)]
    for it in names:
        shutil.copytree(it, safe / it.name, symlinks=True) if it.is_dir() else shutil.copy(it, safe)


def put_back(world, kind, safe):
    data = Path(world.laptop.data)
    if kind == "folder":
        shutil.rmtree(data)
        shutil.copytree(safe / data.name, data, symlinks=True)
        return
    for it in data.glob("ledger.db*"):
        it.unlink()
    for it in safe.iterdir():
        shutil.copy(it, data)


def restored(world, kind):
    safe = Path(world.team.folder, "safe")
    safe.mkdir()
    world.laptop.close()
    kept(world, kind, safe)
    world.laptop.start()
    for _ in range(2):
        world.write("laptop", world.sessions)
        world.told(world.laptop)
        world.laptop.close()
        put_back(world, kind, safe)
        world.laptop.start()
    world.write("laptop", world.sessions)


def twice(world, _):
    world.laptop.close()
    other = Copy(world.laptop, f"{world.team.folder}/other")
    world.team.devices.append(other)
    theirs = [copied(it, world.laptop.home, other.home) for it in world.sessions]
    for it in world.chance.sample([world.laptop, other], 2):
        it.start()
    for _ in range(3):
        world.write("laptop", [*world.sessions, Session(world.laptop.home)])
        world.write("copy", [*theirs, Session(other.home)])
        world.told(world.laptop)


def copied(session, home, folder):
    """The same session in a copied home: both go on from the same line."""
    it = Session(folder)
    it.id, it.last, it.path = session.id, session.last, session.path.replace(home, folder)
    return it


KINDS = {"ledger": restored, "folder": restored, "twice": twice}


def run(given, kind, number):
    chance = random.Random(f"{given.seed} {kind} {number}")
    with Team(os.path.abspath(given.bin), given.nats, ["laptop", "tower", "desk"]) as team:
        world = World(team, chance)
        KINDS[kind](world, kind)
        began = time.time()
        faults = world.compare()
        row = {"kind": kind, "run": number, "lines": world.lines(), "seconds": round(time.time() - began, 1)}
        print(json.dumps({**row, "faults": faults}), file=sys.stderr, flush=True)
        return row["lines"], faults


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--runs", type=int, default=50)
    words.add_argument("--first", type=int, default=0, help="number of the first run")
    words.add_argument("--kind", default="ledger,folder,twice")
    words.add_argument("--seed", type=int, default=1)
    given, out = words.parse_args(), {}
    for kind in given.kind.split(","):
        rows = [run(given, kind, given.first + number) for number in range(given.runs)]
        out[kind] = {"runs": len(rows), "lines": sum(it[0] for it in rows), "readers": 2,
                     "runs_with_a_fault": sum(bool(it[1]) for it in rows)}
    print(json.dumps(out, indent=2))
    return 1 if any(it["runs_with_a_fault"] for it in out.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
