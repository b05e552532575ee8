#!/usr/bin/env python3
"""What a NATS server pays for devices: connections, messages kept, and readers.

    python3 bench/hub.py --nats nats-server [--connections 5000] [--messages 20000]
                         [--teams 300] [--streams 16] [--rest 130] [--own 500]
                         [--only teams|devices|connections|table]

Starts one server of its own on this machine with a store of its own, speaks NATS over plain
sockets, and prints what the server took: memory and processor time for each connection, processor
time for each message that is kept, and for each reader a message goes to. Then one table: the same teams
with three streams each, and in a fixed number of hashed streams: memory, rest, restart, publishing. Both ends of a connection
are open files, so `ulimit -n` limits how many there are. `--only table` is bench/one_server.py: connections and
teams together on one server. The figures of docs/scale.md that name this script come from it. Everything is removed at the end.
"""
import argparse
import json
import os
import resource
import select
import shutil
import socket
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")
BYTES = 1200


def spent(pid):
    """Processor seconds so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def private(pid):
    """Private memory in kB."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(row.split()[1]) for row in file if row.startswith("Private_"))


class Client:
    """A connection that says what it is told, and reads lines."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(120)
        self.rest = b""
        self.say(b'CONNECT {"verbose":false,"pedantic":false}\r\nPING\r\n')
        self.until(b"PONG")

    def say(self, data):
        self.socket.sendall(data)

    def line(self):
        while b"\r\n" not in self.rest:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError("the server closed the connection")
            self.rest += data
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def until(self, start):
        while True:
            line = self.line()
            if line == b"PING":
                self.say(b"PONG\r\n")
            if line.startswith(start):
                return line

    def message(self):
        """The payload of the next message."""
        size = int(self.until(b"MSG").split()[-1])
        while len(self.rest) < size + 2:
            self.rest += self.socket.recv(1 << 16)
        body, self.rest = self.rest[:size], self.rest[size + 2:]
        return body

    def ask(self, subject, body):
        self.say(b"SUB ask.%d 9\r\nUNSUB 9 1\r\n" % id(self))
        self.say(b"PUB %s ask.%d %d\r\n%s\r\n" % (subject, id(self), len(body), body))
        return json.loads(self.message())


class Server:
    def __init__(self, program, sync="always"):
        self.below = tempfile.mkdtemp(prefix="taffrail-hub-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        conf = os.path.join(self.below, "conf")
        with open(conf, "w") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\n'
                       f'jetstream {{ store_dir: "{self.below}/store", sync_interval: {sync} }}\n')
        self.program, self.conf = program, conf
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "-c", self.conf], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        deadline = time.time() + 120
        while socket.socket().connect_ex(("127.0.0.1", self.port)) and time.time() < deadline:
            time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.below, ignore_errors=True)


def measured(server, work):
    """Processor seconds of the server, and seconds, that some work took."""
    cpu, began = spent(server.pid), time.time()
    work()
    return spent(server.pid) - cpu, time.time() - began


def rest(held, seconds):
    """Lets clients rest; they answer what the server asks to see whether they are there."""
    watched, end = select.epoll(), time.time() + seconds
    by_number = {it.socket.fileno(): it for it in held}
    for number in by_number:
        watched.register(number, select.EPOLLIN)
    while (left := end - time.time()) > 0:
        for number, _ in watched.poll(left, 1000):
            if b"PING" in by_number[number].socket.recv(1 << 16):
                by_number[number].say(b"PONG\r\n")
    watched.close()


def connections(server, count, at_rest):
    held = []
    before = private(server.pid)

    def connect():
        for number in range(count):
            client = Client(server.port)
            client.say(b"SUB team.%d 1\r\n" % number)
            held.append(client)

    cpu, seconds = measured(server, connect)
    grown = private(server.pid) - before
    took = f"{grown / count:.1f} kB and {1e6 * cpu / count:.0f} us of the server's processor each ({count / seconds:.0f} a second)"
    idle, over = measured(server, lambda: rest(held, at_rest))
    client = Client(server.port)
    created(client, "REST", "rest.>")
    times = published(client, ["rest.log"], 1000)
    print(f"connections: {count}, {took}; idle {100 * idle / over:.2f} % of a core over {over:.0f} s, "
          f"{private(server.pid) / 1024:.0f} MB; publishing meanwhile, median and p99: "
          f"{1e3 * times[500]:.2f} ms, {1e3 * times[990]:.2f} ms")
    for client in held:
        client.socket.close()


def kept(server, count, window):
    client = Client(server.port)
    body = json.dumps({"name": "EV", "subjects": ["ev.>"], "storage": "file"}).encode()
    made = client.ask(b"$JS.API.STREAM.CREATE.EV", body)
    if "error" in made and made["error"]["code"] != 400:
        raise SystemExit(made)
    client.say(b"SUB acks 2\r\n")
    entry = b"PUB ev.a acks %d\r\n%s\r\n" % (BYTES, b"x" * BYTES)

    def publish():
        for _ in range(count // window):
            client.say(entry * window)
            for _ in range(window):
                client.message()

    cpu, seconds = measured(server, publish)
    print(f"kept, {window} under way: {count / seconds:.0f} a second,"
          f" {1e6 * cpu / count:.0f} us of the server's processor each")
    client.socket.close()


def fanned(server, count, readers):
    """Messages of which every one goes to every reader; each reader is drained by a process."""
    script = ("import socket,sys;s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));"
              "s.sendall(b'CONNECT {\"verbose\":false}\\r\\nSUB fan 1\\r\\nPING\\r\\n');"
              "n=0;w=int(sys.argv[2]);print('up',flush=True)\n"
              "while n<w:\n d=s.recv(1<<20)\n n+=len(d)\n if not d: break\n")
    want = count * (BYTES + len(b"MSG fan 1 1200\r\n\r\n"))
    drains = [subprocess.Popen(["python3", "-c", script, str(server.port), str(want)],
                               stdout=subprocess.PIPE) for _ in range(readers)]
    for drain in drains:
        drain.stdout.readline()
    time.sleep(0.5)
    client = Client(server.port)
    entry = b"PUB fan %d\r\n%s\r\n" % (BYTES, b"x" * BYTES)

    def publish():
        for _ in range(count // 100):
            client.say(entry * 100)
            client.say(b"PING\r\n")
            client.until(b"PONG")
        for drain in drains:
            drain.wait(60)

    cpu, seconds = measured(server, publish)
    total = count * readers
    print(f"readers: {readers}, {total / seconds:.0f} delivered a second,"
          f" {1e6 * cpu / total:.1f} us of the server's processor each")
    client.socket.close()


DEVICES = 5
EACH = 8


def created(client, name, subject, **more):
    body = {"name": name, "subjects": [subject], "storage": "file", "allow_direct": True, **more}
    made = client.ask(b"$JS.API.STREAM.CREATE." + name.encode(), json.dumps(body).encode())
    if "error" in made:
        raise SystemExit(made)


def own_streams(client, team, _):
    """Three streams of the team: logs, keys, blobs."""
    created(client, f"LOG_{team}", f"own.{team}.log.>")
    created(client, f"KEY_{team}", f"own.{team}.key.>", max_msgs_per_subject=1)
    created(client, f"BLOB_{team}", f"own.{team}.blob.>")
    return f"own.{team}.log"


def hashed_streams(client, team, shards):
    """The streams of all teams, made with the first one."""
    if team == 0:
        for shard in range(shards):
            created(client, f"LOG_{shard}", f"hub.{shard}.log.>")
            created(client, f"KEY_{shard}", f"hub.{shard}.key.>", max_msgs_per_subject=1)
            created(client, f"BLOB_{shard}", f"hub.{shard}.blob.>")
    return f"hub.{team % shards}.log.{team}"


def published(client, roots, count):
    """Seconds that each of this many messages took, one after the other, to one team after another."""
    client.say(b"SUB acks 2\r\n")
    times = []
    for number in range(count):
        subject = f"{roots[number % len(roots)]}.late.own.1".encode()
        began = time.perf_counter()
        client.say(b"PUB %s acks %d\r\n%s\r\n" % (subject, BYTES, b"x" * BYTES))
        client.message()
        times.append(time.perf_counter() - began)
    return sorted(times)


def whole(client):
    """The next message, with headers or without: its status line if it has one, else None."""
    while True:
        line = client.line()
        if line == b"PING":
            client.say(b"PONG\r\n")
        if line.startswith((b"MSG", b"HMSG")):
            break
    size = int(line.split()[-1])
    while len(client.rest) < size + 2:
        client.rest += client.socket.recv(1 << 16)
    body, client.rest = client.rest[:size], client.rest[size + 2:]
    ended = line.startswith(b"HMSG") and body.split(b"\r\n", 1)[0] != b"NATS/1.0"
    return ended, body


def open_poll(client, shard, team, number):
    """The lengths of a team's logs and the mark of its keys, by stream."""
    size = 0
    asks = ((b"$JS.API.STREAM.INFO.LOG_%d" % shard, b'{"subjects_filter":"hub.%d.log.%d.>"}' % (shard, team)),
            (b"$JS.API.STREAM.INFO.KEY_%d" % shard, b""))
    for subject, body in asks:
        client.say(b"PUB %s inbox.p %d\r\n%s\r\n" % (subject, len(body), body))
        size += len(whole(client)[1])
    return size


def bound_poll(client, shard, team, number):
    """The same by subject: a consumer for each, which ends with the poll."""
    size = 0
    for stream, root, policy in ((b"LOG_%d" % shard, b"hub.%d.log.%d.>" % (shard, team), "last_per_subject"),
                                 (b"KEY_%d" % shard, b"hub.%d.key.%d.>" % (shard, team), "last")):
        name = b"p%d" % number
        config = {"name": name.decode(), "deliver_policy": policy, "ack_policy": "none", "headers_only": True,
                  "filter_subject": root.decode(), "mem_storage": True, "num_replicas": 1,
                  "inactive_threshold": 30_000_000_000}
        body = json.dumps({"stream_name": stream.decode(), "config": config, "action": "create"}).encode()
        client.say(b"PUB $JS.API.CONSUMER.CREATE.%s.%s.%s inbox.p %d\r\n%s\r\n"
                   % (stream, name, root, len(body), body))
        made = json.loads(whole(client)[1])
        if "error" in made:
            raise SystemExit(made)
        if made["num_pending"]:
            body = b'{"batch":%d,"no_wait":true}' % made["num_pending"]
            client.say(b"PUB $JS.API.CONSUMER.MSG.NEXT.%s.%s inbox.p %d\r\n%s\r\n" % (stream, name, len(body), body))
            for _ in range(made["num_pending"]):
                size += len(whole(client)[1])
        client.say(b"PUB $JS.API.CONSUMER.DELETE.%s.%s inbox.p 0\r\n\r\n" % (stream, name))
        whole(client)
    return size


def polls(server, teams, shards, count=1000):
    """What a poll of an idle device takes, both ways."""
    for name, poll in (("by stream", open_poll), ("by subject (?streams=)", bound_poll)):
        client = Client(server.port)
        client.say(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB inbox.> 3\r\n')
        sizes = []

        def ask():
            for number in range(count):
                team = number % teams
                sizes.append(poll(client, team % shards, team, number))

        cpu, seconds = measured(server, ask)
        print(f"a poll {name}: {1e6 * cpu / count:.0f} us of the server's processor,"
              f" {1e3 * seconds / count:.2f} ms, {sum(sizes) // count} bytes of answers")
        client.socket.close()


def filled(program, layout, teams, shards):
    """One row: teams of five devices with eight entries each."""
    server = Server(program, "2m")
    try:
        client, before, began = Client(server.port), private(server.pid), time.time()
        roots = [layout(client, team, shards) for team in range(teams)]
        made = time.time() - began
        client.say(b"SUB acks 2\r\n")
        for root in roots:
            batch = b"".join(b"PUB %s.%d.own.1 acks %d\r\n%s\r\n"
                             % (root.encode(), device, BYTES, b"x" * BYTES)
                             for device in range(DEVICES) for _ in range(EACH))
            client.say(batch)
            for _ in range(DEVICES * EACH):
                client.message()
        memory = (private(server.pid) - before) / 1024
        idle, over = measured(server, lambda: time.sleep(20))
        times = published(Client(server.port), roots, 1000)
        server.kill()
        began = time.time()
        server.start()
        client = Client(server.port)
        count = 0
        while count < 1 and time.time() - began < 120:
            client.say(b"SUB ask.r 7\r\nPUB $JS.API.STREAM.NAMES ask.r 0\r\n\r\n")
            count = json.loads(client.message()).get("total", 0)
        back = time.time() - began
        if layout is hashed_streams:
            polls(server, teams, shards)
        return count, made, memory, 100 * idle / over, back, times[len(times) // 2], times[len(times) * 99 // 100]
    finally:
        server.stop()


def teamed(program, teams, shards):
    print(f"{teams} teams of {DEVICES} devices with {EACH} entries of {BYTES} bytes each")
    print(f"{'layout':24}{'streams':>8}{'made':>9}{'memory':>10}{'rest':>9}{'restart':>10}{'p50':>9}{'p99':>9}")
    for name, layout in ((f"{shards} of each kind, hashed", hashed_streams), ("three a team", own_streams)):
        count, made, memory, idle, back, half, most = filled(program, layout, teams, shards)
        print(f"{name:24}{count:8}{made:7.1f} s{memory:7.0f} MB{idle:7.2f} %{back:8.2f} s{1e3 * half:6.2f} ms{1e3 * most:6.2f} ms")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--nats", default=os.environ.get("NATS_SERVER_BIN", "nats-server"))
    words.add_argument("--connections", type=int, default=5000)
    words.add_argument("--messages", type=int, default=20000)
    words.add_argument("--teams", type=int, default=300, help="at most 5000")
    words.add_argument("--streams", type=int, default=16, help="streams of each kind that teams share")
    words.add_argument("--only", choices=("teams", "devices", "connections", "table"))
    words.add_argument("--own", type=int, default=500, help="teams with three streams each, in the table")
    words.add_argument("--rest", type=float, default=130, help="seconds that connections rest; the server asks every two minutes")
    given = words.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    if given.only == "table":
        from one_server import table
        return table(given)
    most = min(given.connections, min(hard, 65536) - 100)
    if most < given.connections:
        print(f"this process may have {hard} open files: {most} connections and not {given.connections}")
    if given.only not in ("devices", "connections"):
        teamed(given.nats, min(given.teams, 5000), given.streams)
    if given.only == "teams":
        return
    server = Server(given.nats)
    try:
        connections(server, most, given.rest)
        if given.only == "connections":
            return
        kept(server, given.messages // 10, 1)
        kept(server, given.messages, 100)
        for readers in (1, 5, 20):
            fanned(server, given.messages, readers)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
