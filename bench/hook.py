#!/usr/bin/env python3
"""What a hook costs the agent that calls it, beside doing nothing at all.

    python3 bench/hook.py --bin target/release/taffrail [--calls 1000]

Calls `taffrail hook` with a payload of usual size, with no daemon and with one, and `/bin/true` in
turn with them, so that all three meet the same weather. Everything happens in a home of its own.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time

PAYLOAD = json.dumps({
    "session_id": "5e551011-0000-4000-8000-000000000000", "cwd": "/w/app",
    "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
    "tool_input": {"command": "npm test"}, "tool_response": {"stdout": "x" * 2000},
}).encode()


def timed(words, env):
    began = time.perf_counter()
    child = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        child.communicate(PAYLOAD)
    except BrokenPipeError:
        child.wait()
    assert child.returncode == 0, words
    return (time.perf_counter() - began) * 1e3


def row(name, times):
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    print(f"{name:12} {at(.5):7.2f} {at(.9):7.2f} {at(.99):7.2f} {times[-1]:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/taffrail")
    parser.add_argument("--calls", type=int, default=1000)
    args = parser.parse_args()
    program, home = os.path.abspath(args.bin), tempfile.mkdtemp(prefix="taffrail-hook-")
    env = {"HOME": home, "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": home}
    hook = [program, "hook", "claude-code"]
    print(f"{args.calls} calls, ms   p50     p90     p99     max")
    try:
        for daemon in (False, True):
            process = None
            if daemon:
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                process = subprocess.Popen([program, "daemon", "run"], env=env, **quiet)
                status = lambda: subprocess.run([program, "daemon", "status", "--json"], env=env,
                                                capture_output=True).stdout
                while not json.loads(status() or b"{}").get("running"):
                    time.sleep(0.05)
            ours, bare = [], []
            for _ in range(args.calls):
                ours.append(timed(hook, env))
                bare.append(timed(["/bin/true"], env))
            row("daemon up" if daemon else "daemon down", ours)
            row("/bin/true", bare)
            if process:
                process.terminate()
                process.wait(30)
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
