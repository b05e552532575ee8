#!/usr/bin/env python3
"""Lets the real Claude Code and Codex work and commit in one repository, between hands and a bot, and asks for the author of every line.

    bench/blame/real.py target/release/taffrail                   # 200 commits, seed 1
    bench/blame/real.py target/release/taffrail --commits 40 --seed 7 --keep /tmp/lab
    bench/blame/real.py target/release/taffrail --ask /tmp/lab    # asks a kept repository once more
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "truth"))
from machine import AGENTS, Machine  # noqa: E402
from real_agents import Claude, Codex  # noqa: E402
from world import World  # noqa: E402


class Seat(Machine):
    """A machine of one session in the home that all sessions share. It leaves the other agent's settings as they are."""

    def seed(self, port):
        other = f"{self.home}/" + {"claude-code": ".codex/config.toml", "codex": ".claude.json"}[self.kind]
        kept = open(other).read() if os.path.exists(other) else None
        super().seed(port)
        if kept is not None:
            with open(other, "w") as out:
                out.write(kept)


class Lab:
    """Carries out what a world planned."""

    def __init__(self, home, world):
        self.home, self.root, self.world = home, f"{home}/app", world
        self.seats = {}
        os.makedirs(f"{self.root}/src")
        self.git("Ana", "init", "-q", "-b", "main")
        self.git("Ana", "commit", "-q", "--allow-empty", "-m", "start")

    def git(self, who, *words):
        env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", self.root, "-c", f"user.name={who}", "-c", "user.email=a@example.org", *words]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout

    def play(self):
        try:
            for act in self.world.acts:
                getattr(self, act["what"])(act)
        finally:
            for _, seat in self.seats.values():
                seat.__exit__()
        for path, lines in self.world.files.items():
            with open(f"{self.root}/{path}") as file:
                assert file.read() == "".join(text + "\n" for text, _ in lines), f"{path} is not what was planned"

    def write(self, act):
        path = f"{self.root}/{act['path']}"
        with open(path, "w") as out:
            out.write(act["text"])

    def move(self, act):
        # A file that no commit has is not in git's list of files.
        self.git("Ana", "add", "-A")
        self.git("Ana", "mv", act["path"], act["to"])

    def commit(self, act):
        self.git(act["who"], "add", "-A")
        self.git(act["who"], "commit", "-q", "--allow-empty", "-m", act["message"])

    def squash(self, act):
        if int(self.git("Ana", "rev-list", "--count", "HEAD")) > act["last"] + 1:
            self.git("Ana", "reset", "-q", "--soft", f"HEAD~{act['last']}")
        self.commit({"who": "Ana", "message": "squashed"})

    def rebase(self, act):
        if int(self.git("Ana", "rev-list", "--count", "HEAD")) > act["last"] + 1:
            self.git("Ana", "rebase", "-q", "--force-rebase", f"HEAD~{act['last']}")

    def turn(self, act):
        kind = act["kind"]
        if self.seats.get(kind, (None, None))[0] != act["session"]:
            if kind in self.seats:
                self.seats.pop(kind)[1].__exit__()
            # This bench needs no hooks: `true` stands in for the program that installs them.
            seat = Seat(self.home, kind, {"title": f"Session {act['session']}", "answers": self.answers(act["session"])}, "true")
            self.seats[kind] = (act["session"], seat.__enter__())
        seat = self.seats[kind][1]
        seat.prompt(act["prompt"])
        seat.finished(act["words"])

    def answers(self, session):
        agents = {"claude-code": Claude(self.root), "codex": Codex(self.root)}
        turns = [it for it in self.world.acts if it["what"] == "turn" and it["session"] == session]
        return {it["prompt"]: [*agents[it["kind"]].answers(it["edits"]), [{"text": it["words"]}]] for it in turns}


def sessions_of(home, world):
    """The agent's own id of each session, by the file that holds its first prompt."""
    files = glob.glob(f"{home}/.claude/projects/*/*.jsonl") + glob.glob(f"{home}/.codex/sessions/**/*.jsonl", recursive=True)
    texts = {path: open(path).read() for path in files}
    out = {}
    for act in world.acts:
        if act["what"] == "turn" and act["session"] not in out:
            found = [path for path, text in texts.items() if act["prompt"] in text]
            assert len(found) == 1, f"{act['prompt']} is in {found}"
            out[act["session"]] = os.path.basename(found[0]).removesuffix(".jsonl")[-36:]
    return out


def ask(binary, home, world):
    """Asks for every line of every file, and counts what is right."""
    root, env = f"{home}/app", Machine(home, "codex", {}, binary).environment()
    ids, count, wrong = sessions_of(home, world), collections.Counter(), []
    prompts = {}
    for act in world.acts:
        if act["what"] == "turn":
            prompts[(act["session"], len([it for it in prompts if it[0] == act["session"]]) + 1)] = act["prompt"]
    began = time.monotonic()
    for path, lines in sorted(world.files.items()):
        done = subprocess.run([binary, "blame", "--json", path], cwd=root, env=env, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)["lines"]
        assert len(found) == len(lines), path
        for it, (text, author) in zip(found, lines):
            truth = author and (ids[author[0]], author[1], prompts[author])
            said = (it["runtime_session_id"], it["turn"], it["reason"]) if it["by"] == "session" else None
            group = "others" if author is None else kind_of(world, author[0])
            count[group, "lines"] += 1
            if said is None:
                count[group, "not known"] += 1
                count[group, "not known, common"] += text.strip() in ("}", "", "return None", "else {")
            elif said == truth:
                count[group, "right"] += 1
            else:
                count[group, "wrong"] += 1
                wrong.append(f"{path}:{it['line']}: {text!r} of {truth} as {said}")
    return count, wrong, time.monotonic() - began


def kind_of(world, session):
    return next(it["kind"] for it in world.acts if it["what"] == "turn" and it["session"] == session)


def show(world, count, wrong, seconds):
    whats = collections.Counter(it["what"] for it in world.acts)
    print(f"{world.commits} commits; {dict(whats)}; {len(world.turns)} sessions, {world.tasks} turns, {len(world.files)} files; asked in {seconds:.0f} s")
    for group in [*AGENTS, "others"]:
        lines, right, bad = (count[group, it] for it in ("lines", "right", "wrong"))
        version = AGENTS[group]["version"] if group in AGENTS else ""
        share = f" ({right / lines:.3f})" if group in AGENTS and lines else ""
        print(f"{group} {version}: {lines} lines, {right} right{share}, {bad} wrong, {count[group, 'not known']} not known ({count[group, 'not known, common']} of them common)")
    lines, right = (sum(count[it, what] for it in AGENTS) for what in ("lines", "right"))
    print(f"sessions: {lines} lines, {right} right, recall {right / max(lines, 1):.3f}; wrong: {len(wrong)}")
    for it in wrong:
        print(it)
    return 0 if not wrong and right >= 0.9 * lines else 1


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("binary")
    words.add_argument("--commits", type=int, default=200)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--keep", help="a folder for the repository and the transcripts, not removed")
    words.add_argument("--ask", help="a kept folder: only ask")
    words.add_argument("--no-ask", action="store_true", help="only do the work")
    args = words.parse_args()
    binary = os.path.abspath(args.binary)
    if args.ask:
        with open(f"{args.ask}/plan.json") as file:
            plan = json.load(file)
        sys.exit(show(world := World(plan["seed"], plan["commits"]), *ask(binary, os.path.realpath(args.ask), world)))
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.realpath(args.keep or folder)
        os.makedirs(home, exist_ok=True)
        world = World(args.seed, args.commits)
        with open(f"{home}/plan.json", "w") as out:
            json.dump({"seed": args.seed, "commits": args.commits}, out)
        Lab(home, world).play()
        sys.exit(0 if args.no_ask else show(world, *ask(binary, home, world)))


if __name__ == "__main__":
    main()
