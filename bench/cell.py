#!/usr/bin/env python3
"""Whether a cell of three NATS servers loses, doubles or reorders entries while its leader is killed again and again.

    python3 bench/cell.py --nats nats-server [--devices 500] [--kills 50] [--pause 2]

Starts three servers of its own on this machine as a cluster, each flushing before it answers, with one stream of logs of three
copies as the program makes it. So many connections, one for each device, append entries of 1,200 bytes to a log of
their own as the program does (crates/sync/src/hub/nats/logs.rs): each names its number and the position of the entry before
it, and where no answer came, the end of the log is read from the leader and the same bytes are sent again. Meanwhile the
stream's leader gets SIGKILL so many times, each time all three are level again, and is started again. In the end every
log is read and compared with what its device was told is kept. Printed as JSON; the exit code is 1 if an acknowledged
entry is lost, or one is twice there or in another order.
"""
import argparse
import asyncio
import base64
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time

from hub import BYTES
from team import QUIET, free_port, nats_program

STREAM, ROOT = "TAFFRAIL_HUB_1_0_LOG", "taffrail_hub.1-0.log"
ANSWER, PATIENCE, FENCED = 5, 120, (10071, 10164)


class Member:
    """One server of the cell."""

    def __init__(self, program, folder, number, port, routes):
        self.program, self.name, self.port, self.process = program, f"n{number}", port, None
        self.conf = f"{folder}/{self.name}.conf"
        others = ", ".join(f"nats://127.0.0.1:{it}" for it in routes)
        with open(self.conf, "w") as file:
            file.write(f'server_name: {self.name}\nlisten: "127.0.0.1:{port}"\nlogfile: "{folder}/{self.name}.log"\n'
                       f'jetstream {{ store_dir: "{folder}/{self.name}", sync_interval: always }}\n'
                       f'cluster {{ name: cell, listen: "127.0.0.1:{routes[number]}", routes: [{others}] }}\n')
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "-c", self.conf], **QUIET)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Link:
    """A connection to whichever server is there, which comes back by itself."""

    def __init__(self, ports, chance):
        self.ports, self.chance, self.writer, self.answers, self.asked = ports, chance, None, {}, 0

    async def connect(self):
        while True:
            port = self.chance.choice(self.ports)
            try:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
                self.writer.write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB in.%d.* 1\r\nPING\r\n'
                                  % id(self))
                self.task = asyncio.create_task(self.listen())
                return
            except OSError:
                await asyncio.sleep(self.chance.uniform(0.1, 1))

    async def listen(self):
        try:
            while line := await self.reader.readline():
                if line.startswith(b"PING"):
                    self.writer.write(b"PONG\r\n")
                if line.startswith((b"MSG", b"HMSG")):
                    await self.take(line.split())
        except (OSError, asyncio.IncompleteReadError):
            pass
        self.writer.close()
        self.writer = None

    async def take(self, words):
        body = await self.reader.readexactly(int(words[-1]) + 2)
        size = int(words[-2]) if words[0] == b"HMSG" else 0
        queue = self.answers.get(words[1])
        if queue:
            queue.put_nowait((body[:size], body[size:-2]))

    async def ask(self, subject, body=b"", head=b"", last=lambda it: True):
        """The answers to a request up to the last one; `None` where one did not come in time."""
        if not self.writer:
            await self.connect()
        self.asked += 1
        inbox = b"in.%d.%d" % (id(self), self.asked)
        queue = self.answers[inbox] = asyncio.Queue()
        self.writer.write(b"HPUB %s %s %d %d\r\n%s%s\r\n" % (subject.encode(), inbox, len(head), len(head) + len(body),
                                                             head, body) if head else
                          b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), inbox, len(body), body))
        out = []
        try:
            while not out or not last(out[-1]):
                out.append(await asyncio.wait_for(queue.get(), ANSWER))
            return out
        except asyncio.TimeoutError:
            return None
        finally:
            del self.answers[inbox]

    async def one(self, subject, body=b"", head=b""):
        """The answer as JSON; `None` where there is none, or nobody to ask."""
        found = await self.ask(subject, body, head)
        if not found or not found[0][1]:
            return None
        return json.loads(found[0][1])


def headers(**named):
    rows = "".join(f"{name.replace('_', '-')}: {it}\r\n" for name, it in named.items())
    return f"NATS/1.0\r\n{rows}\r\n".encode()


def entry(device, seq):
    return (b"%s %d " % (device.encode(), seq)).ljust(BYTES, b"x")


class Device:
    """A writer of one log."""

    def __init__(self, number, ports, tally):
        self.name, self.chance = f"dev-{number:03}", random.Random(number)
        self.subject = f"{ROOT}.bench.{self.name}.own.1-{number:016x}"
        self.link, self.tally, self.acked, self.at = Link(ports, self.chance), tally, 0, 0

    async def work(self, pause, is_over):
        await asyncio.sleep(self.chance.uniform(0, pause))
        while not is_over():
            await self.append(self.acked + 1)
            await asyncio.sleep(self.chance.uniform(0, 2 * pause))

    async def append(self, seq):
        """Until it is there, as a writer of an outbox does."""
        while not await self.publish(seq):
            self.tally["retries"] += 1
            await asyncio.sleep(self.chance.uniform(0.05, 0.5))
            if await self.is_there(seq):
                self.tally["already"] += 1
                break
        self.acked = seq
        self.tally["acked"].append(time.time())

    async def publish(self, seq):
        head = headers(Taffrail_Seq=seq, Nats_Expected_Last_Subject_Sequence=self.at)
        told = await self.link.one(self.subject, entry(self.name, seq), head)
        if not told or "error" in told:
            self.tally["fenced"] += bool(told and told["error"].get("err_code") in FENCED)
            return False
        self.at = told["seq"]
        return True

    async def is_there(self, seq):
        """Reads the end of the log from the leader, as often as it needs, and takes its position."""
        while True:
            ask = json.dumps({"last_by_subj": self.subject}).encode()
            told = await self.link.one(f"$JS.API.STREAM.MSG.GET.{STREAM}", ask)
            if told and told.get("error", {}).get("code") == 404:
                self.at = 0
                return False
            if told and "message" in told:
                last = number(base64.b64decode(told["message"]["hdrs"]))
                if last not in (seq, seq - 1):
                    raise SystemExit(f"{self.name} wants {seq}, its log ends at {last}")
                self.at = told["message"]["seq"]
                return last == seq
            await asyncio.sleep(self.chance.uniform(0.05, 0.5))

    async def read(self):
        """All entries of the log with their positions."""
        found, place = [], 1
        while True:
            ask = json.dumps({"seq": place, "next_by_subj": self.subject, "batch": 1000, "max_bytes": 4 << 20}).encode()
            page = await self.link.ask(f"$JS.API.DIRECT.GET.{STREAM}", ask, last=lambda it: is_end(it[0]))
            if page is None:
                continue
            rows = [it for it in page if not is_end(it[0])]
            if not rows:
                return found
            found += [(number(head), body) for head, body in rows]
            place = number(rows[-1][0], b"Nats-Sequence") + 1


def is_end(head):
    return head.startswith((b"NATS/1.0 204", b"NATS/1.0 404", b"NATS/1.0 503"))


def number(head, name=b"Taffrail-Seq"):
    row = next(it for it in head.split(b"\r\n") if it.lower().startswith(name.lower() + b":"))
    return int(row.split(b":")[1])


async def leader(link, is_whole):
    """Who leads the stream, once somebody does, and where asked, once all three are level."""
    deadline = time.time() + PATIENCE
    while time.time() < deadline:
        told = await link.one(f"$JS.API.STREAM.INFO.{STREAM}")
        cell = (told or {}).get("cluster", {})
        others = cell.get("replicas", [])
        level = len(others) == 2 and all(it["current"] and not it.get("offline") for it in others)
        if cell.get("leader") and (level or not is_whole):
            return cell["leader"]
        await asyncio.sleep(0.1)
    raise SystemExit("the cell has no leader")


async def kills(given, members, link, chance, tally):
    for kill in range(given.kills):
        await asyncio.sleep(chance.uniform(0, 2))
        name = await leader(link, True)
        member = next(it for it in members if it.name == name)
        member.kill()
        tally["killed"].append(time.time())
        await leader(link, False)
        member.start()
        print(f"kill {kill + 1}: {name}, {len(tally['acked'])} acknowledged", file=sys.stderr, flush=True)


async def made(link):
    body = {"name": STREAM, "subjects": [f"{ROOT}.>"], "storage": "file", "num_replicas": 3, "allow_direct": True,
            "discard": "new", "deny_delete": True, "max_msg_size": (512 << 10) + 1024}
    for _ in range(100):
        told = await link.one(f"$JS.API.STREAM.CREATE.{STREAM}", json.dumps(body).encode())
        if told and "error" not in told:
            return
        await asyncio.sleep(0.3)
    raise SystemExit(f"no stream: {told}")


def pauses(tally):
    """For each kill the longest time after it in which nothing was acknowledged, in order."""
    acked, out = sorted(tally["acked"]), []
    for at in tally["killed"]:
        near = [at, *(it for it in acked if at <= it < at + 30)]
        out.append(max((b - a for a, b in zip(near, near[1:])), default=30))
    return sorted(out)


async def compared(devices, link):
    lost = doubled = moved = 0
    for device in devices:
        found = await device.read()
        numbers = [it[0] for it in found]
        lost += len(set(range(1, device.acked + 1)) - set(numbers))
        lost += sum(body != entry(device.name, seq) for seq, body in found)
        doubled += len(numbers) - len(set(numbers))
        moved += numbers != sorted(numbers)
    told = await link.one(f"$JS.API.STREAM.INFO.{STREAM}")
    return {"lost": lost, "doubled": doubled, "logs_out_of_order": moved, "in_the_stream": told["state"]["messages"]}


async def measured(given, members):
    ports, chance = [it.port for it in members], random.Random(given.seed)
    link, tally = Link(ports, chance), {"acked": [], "killed": [], "retries": 0, "already": 0, "fenced": 0}
    await made(link)
    devices, over = [Device(it, ports, tally) for it in range(given.devices)], []
    began = time.time()
    work = [asyncio.create_task(it.work(given.pause, lambda: over)) for it in devices]
    await kills(given, members, link, chance, tally)
    over.append(True)
    await asyncio.gather(*work)
    waits, seconds = pauses(tally), time.time() - began
    await leader(link, True)
    return {"devices": given.devices, "kills": len(tally["killed"]), "seconds": round(seconds),
            "acknowledged": len(tally["acked"]), "retries": tally["retries"], "there_at_a_retry": tally["already"],
            "fenced": tally["fenced"], **await compared(devices, link),
            "pause_median_s": round(waits[len(waits) // 2], 1), "pause_longest_s": round(waits[-1], 1)}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--devices", type=int, default=500)
    words.add_argument("--kills", type=int, default=50)
    words.add_argument("--pause", type=float, default=2.0, help="mean seconds between entries of a device")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    folder, members = tempfile.mkdtemp(prefix="taffrail-cell-"), []
    try:
        ports, routes = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
        for it in range(3):
            members.append(Member(given.nats, folder, it, ports[it], routes))
        told = asyncio.run(measured(given, members))
    finally:
        for it in members:
            it.kill()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(told, indent=2))
    return 1 if told["lost"] or told["doubled"] or told["logs_out_of_order"] else 0


if __name__ == "__main__":
    sys.exit(main())
