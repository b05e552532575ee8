#!/usr/bin/env python3
"""What held requests cost: the daemon, and each hook that waits.

    python3 bench/held.py --bin target/release/taffrail [--held 100] [--seconds 30]

Makes a home of its own, starts a daemon, and lets so many hooks ask to be allowed something, each
of a session of its own. While all of them wait it prints the daemon's private memory, that of the
largest hook, and the share of a core the daemon and all hooks take together. Then one of them is
answered, to see that it is. Everything runs on this machine and is removed at the end.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid

from letting import let_scripts_decide

TICK = os.sysconf("SC_CLK_TCK")


def private(pid):
    """Private memory in MB."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        rows = [row.split() for row in file if row.startswith("Private_")]
    return sum(int(row[1]) for row in rows) / 1024


def spent(pid):
    """CPU seconds so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def payload(number):
    return json.dumps({
        "session_id": str(uuid.uuid4()), "hook_event_name": "PermissionRequest", "cwd": "/bench",
        "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": f"make target-{number}", "description": "A request"}}).encode()


def until(what, is_so, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        found = is_so()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"waited in vain for {what}: {found}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--held", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30)
    given = parser.parse_args()
    program = os.path.abspath(given.bin)
    home = tempfile.mkdtemp(prefix="taffrail-held-")
    env = {"HOME": home, "PATH": os.environ["PATH"]}
    os.makedirs(f"{home}/.claude/projects")
    let_scripts_decide(f"{home}/.config")
    ask = lambda *words: subprocess.run([program, *words], env=env, capture_output=True)
    daemon = subprocess.Popen([program, "daemon", "run"], env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    hooks = []
    try:
        until("the daemon", lambda: b'"running": true' in ask("daemon", "status", "--json").stdout)
        for number in range(given.held):
            hook = subprocess.Popen([program, "hook", "claude-code"], env=env,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            hook.stdin.write(payload(number))
            hook.stdin.close()
            hooks.append(hook)
        rows = lambda: json.loads(ask("approvals", "--json").stdout)["approvals"]
        pending = lambda: [row for row in rows() if row["state"] == "pending"]
        until("all requests", lambda: len(pending()) == given.held)
        all_held = pending()
        pids = [daemon.pid] + [hook.pid for hook in hooks]
        before, start = sum(map(spent, pids)), time.time()
        time.sleep(given.seconds)
        share = (sum(map(spent, pids)) - before) / (time.time() - start)
        largest = max(private(hook.pid) for hook in hooks)
        print(f"{len(all_held)} held: daemon {private(daemon.pid):.1f} MB private, largest hook "
              f"{largest:.2f} MB, all together {100 * share:.2f} % of a core over {given.seconds:.0f} s")
        one = all_held[0]
        assert ask("approve", one["id"]).returncode == 0
        until("the answer", lambda: any(hook.poll() == 0 for hook in hooks))
        print("one was approved, and its hook ended with the answer")
    finally:
        for hook in hooks:
            hook.kill()
            hook.wait()
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
