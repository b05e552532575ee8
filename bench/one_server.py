#!/usr/bin/env python3
"""What one NATS server takes for a crowd of connections at rest and thousands of teams, as one table.

    python3 bench/hub.py --only table --nats nats-server [--connections 20000] [--teams 2000]
                         [--own 500] [--streams 16] [--rest 130]

One row for teams in hashed streams, one for fewer teams with three streams each. A row makes the streams and fills
them with one entry of 1,200 bytes for each of five devices, then connects as many devices as the limit of open files
leaves beside the server's own files: processes of their own hold them, each from its own address below 127.0.0.0/8, as
one address has too few ports. They subscribe to their team and answer what the server asks to see whether they are
there. Measured: memory with them, processor at rest, publishing meanwhile, kill -9 and the time until the server
answers for its streams, and then the time until all connections are back when all of them knock at once.
"""
import json
import os
import resource
import select
import socket
import time

from hub import BYTES, DEVICES, Client, Server, hashed_streams, measured, own_streams, private, published

HOLDERS = 5
SPARE = 60


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Holder:
    """A process that holds connections and answers the server's pings until its pipe is closed."""

    def __init__(self, number, port, count, teams):
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                ours.close()
                held = connected(number, port, count, teams)
                theirs.sendall(b"up\n")
                answered(held, theirs)
                code = 0
            finally:
                os._exit(code)
        theirs.close()
        self.pipe = ours

    def is_up(self):
        return self.pipe.recv(3) == b"up\n"

    def stop(self):
        # Later processes have this end, too: closing it alone would not end the process.
        self.pipe.shutdown(socket.SHUT_RDWR)
        self.pipe.close()
        os.waitpid(self.pid, 0)


def connected(number, port, count, teams):
    """Sockets of devices that subscribed to their team, in rounds, so that none waits for another's answer."""
    held, began = [], time.time()
    while len(held) < count and time.time() - began < 240:
        some = []
        for _ in range(min(100, count - len(held))):
            it = socket.socket()
            it.bind((f"127.0.1.{number + 1}", 0))
            it.connect(("127.0.0.1", port))
            team = (number * count + len(held) + len(some)) % teams
            it.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nSUB hint.%d.> 1\r\nPING\r\n' % team)
            some.append(it)
        for it in some:
            seen = b""
            while b"PONG" not in seen:
                data = it.recv(1 << 16)
                if not data:
                    raise EOFError("the server closed the connection")
                seen += data
        held += some
    return held


def answered(held, pipe):
    by_number = {it.fileno(): it for it in held}
    watched = select.epoll()
    watched.register(pipe.fileno(), select.EPOLLIN | select.EPOLLHUP)
    for number in by_number:
        watched.register(number, select.EPOLLIN)
    while True:
        for number, _ in watched.poll():
            if number == pipe.fileno():
                return
            try:
                data = by_number[number].recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                watched.unregister(number)
            elif b"PING" in data:
                by_number[number].sendall(b"PONG\r\n")


def crowd(server, count, teams):
    """All holders at work at once; returns them once every connection is there."""
    share = [count // HOLDERS + (it < count % HOLDERS) for it in range(HOLDERS)]
    holders = [Holder(it, server.port, share[it], teams) for it in range(HOLDERS)]
    for it in holders:
        if not it.is_up():
            raise SystemExit("a process could not hold its connections")
    return holders


def filled(server, layout, teams, shards):
    """Streams and entries of all teams; returns the roots of their logs and the seconds of making streams."""
    client, began = Client(server.port), time.time()
    roots = [layout(client, team, shards) for team in range(teams)]
    made = time.time() - began
    client.say(b"SUB acks 2\r\n")
    for root in roots:
        client.say(b"".join(b"PUB %s.%d.own.1 acks %d\r\n%s\r\n" % (root.encode(), device, BYTES, b"x" * BYTES)
                            for device in range(DEVICES)))
        for _ in range(DEVICES):
            client.message()
    client.socket.close()
    return roots, made


def restarted(server, streams):
    """Seconds from SIGKILL until the server answers for all its streams."""
    server.kill()
    began = time.time()
    server.start()
    client = Client(server.port)
    while time.time() - began < 300:
        client.say(b"SUB ask.r 7\r\nPUB $JS.API.STREAM.NAMES ask.r 0\r\n\r\n")
        if json.loads(client.message()).get("total", 0) >= streams:
            break
        time.sleep(0.02)
    client.socket.close()
    return time.time() - began


def row(program, layout, teams, given):
    server, holders = Server(program, "2m"), []
    try:
        roots, made = filled(server, layout, teams, given.streams)
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        own = open_files(server.pid)
        count = min(given.connections, limit - own - SPARE)
        without = private(server.pid)
        began = time.time()
        holders = crowd(server, count, teams)
        took = time.time() - began
        idle, over = measured(server, lambda: time.sleep(given.rest))
        memory = private(server.pid) / 1024
        times = published(Client(server.port), roots, 2000)
        streams = 3 * (given.streams if layout is hashed_streams else teams)
        back = restarted(server, streams)
        for it in holders:
            it.stop()
        holders = []
        began = time.time()
        holders = crowd(server, count, teams)
        return {"streams": streams, "files": own, "made": made,
                "connections": count, "took": took, "without": without / 1024, "memory": memory,
                "idle": 100 * idle / over, "p50": 1e3 * times[len(times) // 2], "p99": 1e3 * times[len(times) * 99 // 100],
                "back": back, "all": time.time() - began}
    finally:
        for it in holders:
            it.stop()
        server.stop()


COLUMNS = (("streams", "{:.0f}"), ("made", "{:.1f} s"), ("files", "{:.0f}"), ("connections", "{:.0f}"),
           ("took", "{:.1f} s"), ("without", "{:.0f} MB"), ("memory", "{:.0f} MB"), ("idle", "{:.2f} %"),
           ("p50", "{:.2f} ms"), ("p99", "{:.2f} ms"), ("back", "{:.2f} s"), ("all", "{:.1f} s"))


def table(given):
    print("made: making the streams; files: the server's open files without connections; took: connecting; "
          "without, memory: before and with connections; idle: of a core; back: after kill -9; all: connected again")
    print(f"{'teams':>34}" + "".join(f"{name:>13}" for name, _ in COLUMNS), flush=True)
    for layout, teams in ((hashed_streams, given.teams), (own_streams, given.own)):
        found = row(given.nats, layout, teams, given)
        name = f"{teams} in {given.streams} of each kind, hashed" if layout is hashed_streams else f"{teams} with three each"
        print(f"{name:>34}" + "".join(f"{form.format(found[key]):>13}" for key, form in COLUMNS), flush=True)
    with open("/proc/loadavg") as file:
        print("load of the machine:", file.read().strip())
