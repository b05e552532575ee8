#!/usr/bin/env python3
"""What goes to a hub for sessions like the recorded ones.

    python3 bench/sync.py --bin target/release/taffrail

Puts every recorded fixture of the Claude Code and Codex adapters into a home of its own, lets a
daemon carry them to a directory as the hub, once without texts and once with them, and prints how
many events there are and how many sealed bytes in how many batches they became. Everything runs on
this machine and is removed at the end.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time

from letting import let_scripts_decide

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "crates", "adapters", "src")
HOMES = {"claude_code": ".claude", "codex": ".codex"}


def env_of(home):
    env = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1"}
    for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
        env[f"XDG_{name}"] = os.path.join(home, "x", name)
        os.makedirs(env[f"XDG_{name}"], mode=0o700, exist_ok=True)
    let_scripts_decide(env["XDG_CONFIG_HOME"])
    return env


def put_fixtures(home):
    for agent, below in HOMES.items():
        folder = os.path.join(FIXTURES, agent, "fixtures")
        for name in sorted(os.listdir(folder)):
            source = os.path.join(folder, name, "home")
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(home, below), dirs_exist_ok=True)


def stored(hub):
    sizes = [os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(hub)
             for name in names if name.endswith(".entry")]
    return len(sizes), sum(sizes)


def measure(program, bodies):
    home = tempfile.mkdtemp(prefix="taffrail-sync-")
    hub = os.path.join(home, "hub")
    os.makedirs(hub)
    put_fixtures(home)
    env = env_of(home)

    def run(*words):
        return subprocess.run([program, *words], env=env, cwd=home, check=True,
                              capture_output=True, text=True).stdout

    run("device", "init", "--name", "bench")
    run("hub", "use", f"file://{hub}")
    if bodies:
        run("config", "set", "sync.bodies", "true")
    daemon = subprocess.Popen([program, "daemon", "run"], env=env, cwd=home,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        before, end = None, time.time() + 60
        while time.time() < end:
            time.sleep(3)
            now = stored(hub)
            if now[0] and now == before and json.loads(run("hub", "status", "--json"))["waiting"] == 0:
                break
            before = now
        events = sum(1 for session in json.loads(run("ls", "--all", "--limit", "1000", "--json"))["sessions"]
                     for _ in run("events", session["id"], "--json").splitlines())
    finally:
        daemon.terminate()
        daemon.wait()
    batches, size = stored(hub)
    shutil.rmtree(home, ignore_errors=True)
    what = "with texts" if bodies else "without texts"
    print(f"{what}: {events} events became {size} sealed bytes in {batches} batches: {size / max(events, 1):.0f} bytes an event")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/taffrail")
    program = os.path.abspath(words.parse_args().bin)
    for bodies in (False, True):
        measure(program, bodies)


if __name__ == "__main__":
    main()
