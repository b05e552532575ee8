#!/usr/bin/env python3
"""What a NATS server pays for devices: connections, messages kept, and readers.

    python3 bench/hub.py --nats nats-server [--connections 5000] [--messages 20000]

Starts one server of its own on this machine with a store of its own, speaks NATS over plain
sockets, and prints what the server took: memory and processor time for each connection, processor
time for each message that is kept, and for each reader a message goes to. The figures of
docs/scale.md that name this script come from it. Everything is removed at the end.
"""
import argparse
import json
import os
import resource
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
        self.socket.settimeout(30)
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
    def __init__(self, program):
        self.below = tempfile.mkdtemp(prefix="taffrail-hub-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        conf = os.path.join(self.below, "conf")
        with open(conf, "w") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\n'
                       f'jetstream {{ store_dir: "{self.below}/store", sync_interval: always }}\n')
        self.process = subprocess.Popen([program, "-c", conf], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        deadline = time.time() + 15
        while socket.socket().connect_ex(("127.0.0.1", self.port)) and time.time() < deadline:
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.below, ignore_errors=True)


def measured(server, work):
    """Processor seconds of the server, and seconds, that some work took."""
    cpu, began = spent(server.pid), time.time()
    work()
    return spent(server.pid) - cpu, time.time() - began


def connections(server, count):
    held = []
    before = private(server.pid)

    def connect():
        for number in range(count):
            client = Client(server.port)
            client.say(b"SUB team.%d 1\r\n" % number)
            held.append(client)

    cpu, seconds = measured(server, connect)
    grown = private(server.pid) - before
    idle, over = measured(server, lambda: time.sleep(20))
    print(f"connections: {count}, {grown / count:.1f} kB and {1e6 * cpu / count:.0f} us of the server's"
          f" processor each ({count / seconds:.0f} a second); idle {100 * idle / over:.2f} % of a core")
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


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--nats", default=os.environ.get("NATS_SERVER_BIN", "nats-server"))
    words.add_argument("--connections", type=int, default=5000)
    words.add_argument("--messages", type=int, default=20000)
    given = words.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    server = Server(given.nats)
    try:
        connections(server, given.connections)
        kept(server, given.messages // 10, 1)
        kept(server, given.messages, 100)
        for readers in (1, 5, 20):
            fanned(server, given.messages, readers)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
