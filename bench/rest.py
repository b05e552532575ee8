#!/usr/bin/env python3
"""What a team at rest costs each of its devices, on a fresh hub and on one with a year of history.

    python3 bench/rest.py --bin target/release/taffrail [--people 5] [--devices 3] [--minutes 12] [--days 0,365]

So many people with so many devices each, every device a daemon of its own, in one team on one NATS server that
flushes before it answers, all on this machine. Every device has one open session, so it sends its heartbeats, and nobody
works. Each device reaches the server through a way of its own that counts all bytes of both directions; messages are the server's count
of its connection. Printed as JSON: the dearest minute of the dearest device, the mean, the heartbeats, and what the
streams hold before and after. Every twentieth poll, every ten minutes, asks everything again: measure at least 12 minutes.

For a day of age the hub gets, for as many devices as the team has and under names of devices that are gone, 500 entries of
1,200 bytes and 48 segments of 100 bytes each, before the team comes.
"""
import argparse
import json
import os
import re
import socket
import sys
import threading
import time
import urllib.request

from board import hook
from hub import BYTES, Client
from live import Session
from team import Team, free_port, nats_program, until

ENTRIES, SEGMENTS, WINDOW = 500, 48, 500


class Way:
    """Passes everything on to a port, and counts it."""

    def __init__(self, port):
        self.to, self.bytes, self.ports = port, 0, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"nats://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.to))
            self.ports.add(far.getsockname()[1])
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while data := one.recv(1 << 16):
                self.bytes += len(data)
                other.sendall(data)
        except OSError:
            pass
        for it in (one, other):
            it.close()


class Beats(threading.Thread):
    """Counts heartbeats of all devices."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.count, self.client = 0, Client(port)
        self.client.socket.settimeout(None)
        self.client.say(b"SUB taffrail_hub.*.beat.> 1\r\n")
        self.start()

    def run(self):
        try:
            while True:
                self.client.until(b"MSG")
                self.count += 1
        except (OSError, EOFError):
            pass


def streams(port):
    """Messages and bytes of each stream of the server."""
    client = Client(port)
    listed = client.ask(b"$JS.API.STREAM.LIST", b"")["streams"] or []
    client.socket.close()
    return {it["config"]["name"]: {"messages": it["state"]["messages"], "bytes": it["state"]["bytes"]} for it in listed}


def filled(client, subjects, each, body):
    """Gives each subject so many messages, a window of them under way."""
    client.say(b"UNSUB 2\r\nSUB acks 2\r\n")
    under_way = 0
    for number in range(each * len(subjects)):
        subject = subjects[number % len(subjects)].format(number // len(subjects)).encode()
        client.say(b"HPUB %s acks %d %d\r\n%s\r\n" % (subject, len(head(number)), len(head(number)) + len(body),
                                                      head(number) + body))
        under_way += 1
        if under_way == WINDOW:
            for _ in range(under_way):
                client.message()
            under_way = 0
    for _ in range(under_way):
        client.message()


def head(number):
    return b"NATS/1.0\r\nTaffrail-Seq: %d\r\n\r\n" % (number + 1)


def flushing(server, interval):
    """Starts the server again with another interval of its flushes."""
    server.close()
    with open(f"{server.folder}/conf") as file:
        conf = file.read()
    with open(f"{server.folder}/conf", "w") as file:
        file.write(re.sub("sync_interval: \\S+", f"sync_interval: {interval}", conf))
    server.start()


def aged(team, days, devices):
    """What as many devices, which are gone, have left in so many days."""
    flushing(team.server, "2m")
    client = Client(team.server.port)
    client.say(b'CONNECT {"verbose":false,"headers":true}\r\n')
    here, names = team_id(client), [f"gone-{it:02}.own.1-{it:016x}" for it in range(devices)]
    filled(client, [f"taffrail_hub.1-0.log.{here}.{it}" for it in names], days * ENTRIES, os.urandom(BYTES))
    segments = [f"taffrail_hub.1-0.blob.{here}.M.seg.{it}.{{}}" for it in names]
    filled(client, segments, days * SEGMENTS, os.urandom(100))
    client.socket.close()
    flushing(team.server, "always")


def team_id(client):
    """The id of the one team whose roster the server has."""
    info = client.ask(b"$JS.API.STREAM.INFO.TAFFRAIL_HUB_1_0_KEY", b'{"subjects_filter": ">"}')
    return next(iter(info["state"]["subjects"])).split(".")[3]


def messages(team, monitor):
    """How many messages the server had from and to each port of a client."""
    page = urllib.request.urlopen(f"http://127.0.0.1:{monitor}/connz?subs=0&limit=1024", timeout=10)
    return {it["port"]: (it["in_msgs"], it["out_msgs"]) for it in json.load(page)["connections"]}


def counts(team, ways, monitor):
    by_port = messages(team, monitor)
    one = lambda way, side: sum(by_port[it][side] for it in way.ports if it in by_port)
    return [(way.bytes, one(way, 0), one(way, 1)) for way in ways]


def quiet(given, team, ways, monitor):
    """The counts of each minute and device."""
    minutes, last = [], counts(team, ways, monitor)
    for _ in range(given.minutes):
        time.sleep(60)
        now = counts(team, ways, monitor)
        minutes.append([tuple(b - a for a, b in zip(*pair)) for pair in zip(last, now)])
        last = now
    return minutes


def told(minutes):
    flat = [it for minute in minutes for it in minute]
    names = ("bytes", "requests", "answers_and_hints")
    mean = {name: round(sum(it[side] for it in flat) / len(flat), 1) for side, name in enumerate(names)}
    most = {name: max(it[side] for it in flat) for side, name in enumerate(names)}
    return {"mean_of_a_minute": mean, "dearest_minute_of_any_device": most,
            "dearest_device_a_minute": max(sum(minute[who][0] for minute in minutes) / len(minutes)
                                           for who in range(len(minutes[0])))}


def started(given, team, ways):
    """All daemons, each with a session that is open, once all is where it belongs."""
    for device, way in zip(team.devices, ways):
        device.run("hub", "use", way.url)
        session = Session(device.home)
        for number in range(given.lines):
            session.say(f"line {number}", "assistant" if number % 2 else "user")
        device.start()
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            hook(device.program, device.env, session, event, prompt="go on")
    for device in team.devices:
        until(f"the sessions on {device.home}", lambda: len(device.sessions()) >= given.devices, 120, 0.5)
        until("all on the hub", lambda: device.waiting() == 0, 900, 2)


def measured(given, days):
    names = [f"user{person}/device{person}-{it}" for person in range(given.people) for it in range(given.devices)]
    monitor = free_port()
    with Team(os.path.abspath(given.bin), given.nats, names, f"http: 127.0.0.1:{monitor}") as team:
        # The first connection makes the streams.
        team.devices[0].run("hub", "use", team.server.url)
        team.devices[0].run("hub", "status", check=False)
        until("the roster on the hub", lambda: announced(team), 60)
        aged(team, days, len(names))
        ways = [Way(team.server.port) for _ in names]
        started(given, team, ways)
        time.sleep(given.settle)
        beats, before = Beats(team.server.port), streams(team.server.port)
        minutes = quiet(given, team, ways, monitor)
        after = streams(team.server.port)
        return {"days": days, "devices": len(names), "minutes": given.minutes, **told(minutes),
                "heartbeats": beats.count, "streams_before": before, "grown_by": grown(before, after)}


def announced(team):
    team.devices[0].start()
    until("the first device on the hub", lambda: team.devices[0].ask("hub", "status")["state"] == "reached")
    time.sleep(2)
    team.devices[0].close()
    return streams(team.server.port).get("TAFFRAIL_HUB_1_0_KEY", {}).get("messages")


def grown(before, after):
    return {name: after[name]["messages"] - it["messages"] for name, it in before.items()}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    words.add_argument("--nats", default=nats_program())
    words.add_argument("--people", type=int, default=5)
    words.add_argument("--devices", type=int, default=3)
    words.add_argument("--minutes", type=int, default=12)
    words.add_argument("--settle", type=float, default=90)
    words.add_argument("--lines", type=int, default=200)
    words.add_argument("--days", default="0,365")
    given = words.parse_args()
    rows = [measured(given, int(it)) for it in given.days.split(",")]
    print(json.dumps(rows, indent=2))
    # The limit that docs/scale.md names.
    good = all(it["dearest_device_a_minute"] <= 50_000 and it["dearest_minute_of_any_device"]["requests"] <= 30
               and not any(it["grown_by"].values()) for it in rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
