#!/usr/bin/env python3
"""Plays sessions that do real work in real repositories, and compares the documents with git, the disk and the script.

    bench/truth/run.py target/release/taffrail              # prints the figures
    bench/truth/run.py target/release/taffrail --write      # and writes docs/truth.md
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from play import Claude, Codex, run  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
SESSIONS, SEED = 40, 7
GIT = "git -c user.name=a -c user.email=a@b.org -c init.defaultBranch=main "
CHECKS = [  # line, output, exit code, what is true: passed, failed, or None if the output hides it
    ("cargo test", "test result: ok. 3 passed; 0 failed", 0, "passed"),
    ("cargo test", "test result: FAILED. 1 passed; 2 failed", 101, "failed"),
    ("npm test 2>&1 | tail -3", "Tests:  2 failed, 5 passed, 7 total", 0, "failed"),
    ("npm test 2>&1 | tail -3", "Tests:  7 passed, 7 total", 0, "passed"),
    ("pytest -q || true", "1 failed, 3 passed in 0.12s", 0, "failed"),
    ("cd src && go test ./...", "ok  \tpkg\t0.1s", 0, "passed"),
    ("cd src && go test ./...", "--- FAIL: TestX (0.00s)\nFAIL\tpkg\t0.1s", 1, "failed"),
    ("npx tsc --noEmit; echo done", "src/a.ts(1,2): error TS2304: Cannot find name 'x'.\ndone", 0, "failed"),
    ("make check", "", 0, "passed"),
    ("npm run lint", "✖ 3 problems (3 errors, 0 warnings)", 1, "failed"),
    ("python3 -m pytest tests | grep -v warn", "3 passed in 0.1s", 0, "passed"),
    ("cargo clippy --all-targets && cargo fmt --check", "    Finished `dev` profile in 1s", 0, "passed"),
    ("./scripts/run-tests.sh > /dev/null", "", 0, "passed"),
    ("cargo test > /dev/null; true", "", 0, None),
]
NO_CHECKS = [("ls tests", "a"), ("grep -rn build src", ""), ("git commit -qm 'fix flaky test' --dry-run", ""), ("echo test", "test"),
             ("cat tests/a.py", "x"), ("git log --grep=test", ""), ("cargo run", "ok"), ("npm install", "added 3 packages")]


def text(rng, lines):
    return "".join(f"{rng.choice(['fn', 'let', '}', '', 'use', 'x'])} {rng.randrange(9)}\n" for _ in range(lines))


def repository(rng, root, home):
    for name in ("src/a.rs", "src/b.rs", "src/deep/c.rs", "conf.ini", "notes.md", "old.txt", "from.txt", "Makefile"):
        os.makedirs(os.path.dirname(f"{root}/{name}"), exist_ok=True)
        with open(f"{root}/{name}", "w") as out:
            out.write("limit=10\n" + text(rng, rng.randrange(3, 40)))
    run(f"{GIT} init -q && {GIT} add -A && {GIT} commit -qm base", root, home)


def work(rng, agent):
    """One random step that changes files."""
    files = [f for f in subprocess.run(["find", ".", "-type", "f", "-not", "-path", "./.git/*"], cwd=agent.cwd, text=True, capture_output=True).stdout.split()]
    name = rng.choice(files)[2:] if files else "src/a.rs"
    new = f"new-{rng.randrange(99)}.txt"
    lines = open(f"{agent.cwd}/{name}").read().splitlines(keepends=True) if os.path.exists(f"{agent.cwd}/{name}") else []
    steps = ["write", "touch", "heredoc", "append", "rm", "mv", "gitmv", "cp", "sed", "sed-none", "come-and-go", "failed", "forced", "restore", "cd", "loop"]
    step = rng.choice(steps + ["edit"] * 6 if lines else ["write", "touch"])
    if step == "edit":
        at = rng.randrange(len(lines))
        old = "".join(lines[at:at + rng.randrange(1, 4)])
        return agent.edit(name, old, text(rng, rng.randrange(0, 4)) + f"edited {rng.randrange(99)}\n")
    if step == "write":
        return agent.write(rng.choice([name, f"src/{new}"]), text(rng, rng.randrange(1, 30)))
    shell = {
        "touch": f"touch {new}", "heredoc": f"cat > {new} <<'E'\n{text(rng, 3)}E", "append": f"echo 'one more' >> {name}", "rm": f"rm {name}",
        "mv": f"mv {name} moved-{new}", "gitmv": f"git mv {name} git-{new}", "cp": f"cp {name} copy-{new}",
        "sed": f"sed -i 's/limit=10/limit={rng.randrange(100, 999)}/' {name}", "sed-none": f"sed -n 1,3p {name}",
        "come-and-go": f"touch tmp-{new} && rm tmp-{new}", "failed": f"rm missing-{new}", "forced": f"rm -f missing-{new}",
        "restore": f"git checkout -- {name}", "cd": f"mkdir -p sub && cd sub && touch {new}", "loop": f"for f in 1 2; do touch loop-$f.txt; done",
    }
    return agent.shell(shell[step])


def play(rng, agent):
    """A session of random work; returns what is true of it."""
    truth = {"decisions": [], "validation": {}, "tasks": set()}
    if rng.random() < 0.5:
        agent.prompt(rng.choice(["hi", "hey, good morning!", "hello there"]))
        agent.say("Hello. What shall we do?")
    asked = [f"Change part {rng.randrange(99)} of the program as the ticket says." for _ in range(rng.randrange(1, 4))]
    items = [(f"Item {n} of {rng.randrange(999)}", rng.choice(["completed", "pending", "in_progress"])) for n in range(rng.randrange(2, 6))]
    has_plan = rng.random() < 0.5
    for task in asked:
        agent.prompt(task)
        for _ in range(rng.randrange(1, 7)):
            work(rng, agent)
        if rng.random() < 0.6:
            line, output, code, true = rng.choice(CHECKS)
            agent.shell(line, output, code)
            truth["validation"].pop(line, None)
            truth["validation"][line] = true
        line, output = rng.choice(NO_CHECKS)
        agent.shell(line, output, 0)
        decide(rng, agent, truth)
        if has_plan:
            agent.plan(items)
        agent.say("That is done.")
    done = [it for it, status in items if status == "completed"] if has_plan else asked
    left = [it for it, status in items if status != "completed"] if has_plan else []
    truth["tasks"] = {("done", it) for it in done} | {("open", it) for it in left}
    return truth


def decide(rng, agent, truth):
    kind = rng.choice(["refuse", "refuse-words", "allow", "config", "ask", "ask-notes", "none"])
    word = f"zq{rng.randrange(9999)}"
    if kind.startswith("ask"):
        notes = f"because of {word}" if kind == "ask-notes" and agent.agent == "claude-code" else None
        agent.ask(f"Which name for {word}?", ["North", "South"], "South", notes)
        truth["decisions"].append((f"Which name for {word}?", "South", notes))
    elif agent.agent == "claude-code" and kind.startswith("refuse"):
        words = f"no, {word} is shared" if kind == "refuse-words" else None
        agent.refuse(f"drop {word}", words)
        truth["decisions"].append((f"drop {word}", "denied", words))
    elif agent.agent == "claude-code" and kind in ("allow", "config"):
        agent.allow(f"serve {word}", "user_temporary" if kind == "allow" else "config")
        if kind == "allow":
            truth["decisions"].append((f"serve {word}", "allowed", None))


def changed(root, home):
    """What git says has changed: action and line counts by path."""
    run("git add -AN", root, home)
    counts = dict()
    for line in run("git diff --numstat --no-renames HEAD", root, home)[0].splitlines():
        added, removed, path = line.split("\t")
        counts[path] = (int(added), int(removed))
    actions = {}
    for line in run("git diff --name-status --no-renames HEAD", root, home)[0].splitlines():
        letter, path = line.split("\t")
        actions[path] = {"A": "created", "M": "modified", "D": "deleted"}[letter]
    return actions, counts


class Score:
    def __init__(self):
        self.right, self.wrong, self.missed, self.notes = 0, 0, 0, collections.Counter()

    def compare(self, got, true, kind):
        self.right += len(got & true)
        self.wrong += len(got - true)
        self.missed += len(true - got)
        for it in (got - true) | (true - got):
            self.notes[f"{kind}: {'wrong' if it in got else 'missing'} {it}"] += 1

    def row(self):
        share = lambda a, b: a / (a + b) if a + b else 1.0  # noqa: E731
        return share(self.right, self.wrong), share(self.right, self.missed)


def documents(home, agent):
    env = {**os.environ, "HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state",
           "XDG_RUNTIME_DIR": home + "/run", "CODEX_HOME": home + "/.codex", "CLAUDE_CONFIG_DIR": home + "/.claude"}
    os.makedirs(home + "/run", exist_ok=True)
    call = lambda *a: json.loads(subprocess.run([BINARY, *a], env=env, text=True, capture_output=True, check=True).stdout)  # noqa: E731
    rows = call("ls", "--json", "--all", "--limit", "1000")["sessions"]
    name = next(it["id"] for it in rows if it["runtime_session_id"] == agent.id)
    return call("state", "export", name), call("snapshot", name)


def main():
    rng = random.Random(SEED)
    scores = collections.defaultdict(Score)
    counted, unequal = 0, []
    with tempfile.TemporaryDirectory() as top:
        for number in range(SESSIONS):
            home, root = f"{top}/{number}", f"{top}/{number}/app"
            os.makedirs(root)
            repository(rng, root, home)
            agent = rng.choice([Claude, Codex])(root, home)
            truth = play(rng, agent)
            state, snapshot = documents(home, agent)
            actions, counts = changed(root, home)
            files = {it["path"]: it for it in state["files_modified"]}
            scores["files"].compare({(p, it["action"]) for p, it in files.items()}, set(actions.items()), f"{agent.agent} {number}")
            for path, it in files.items():
                told = (it["lines_added"], it["lines_removed"])
                counted += told[0] is not None
                if told[0] is not None and told != counts.get(path):
                    unequal.append((number, path, told, counts.get(path)))
            made = {(c, it["chosen"], it["reasoning"]) for it in state["decisions_made"] for c, _, _ in truth["decisions"] if c in it["context"]}
            extra = {(it["context"], it["chosen"], it["reasoning"]) for it in state["decisions_made"] if not any(c in it["context"] for c, _, _ in truth["decisions"])}
            scores["decisions"].compare(made | extra, set(truth["decisions"]), agent.agent)
            told = snapshot["workers"][0]["outputs"]["validation"]
            got = {(it.split("`")[1], "failed" if "failed" in it.split("`")[-1] else "passed") for it in told if "unknown" not in it}
            scores["validation"].compare(got, {it for it in truth["validation"].items() if it[1]}, agent.agent)
            got = {("done", it) for it in state["completed_work"]} | {("open", it) for it in state["pending_tasks"]}
            scores["tasks"].compare(got, truth["tasks"], agent.agent)
    report(scores, counted, unequal)


def report(scores, counted, unequal):
    names = ["files", "decisions", "validation", "tasks"]
    rows = [(name, *scores[name].row(), scores[name]) for name in names]
    for name, precision, recall, score in rows:
        print(f"{name}: precision {precision:.3f}, recall {recall:.3f}; {score.right} right, {score.wrong} wrong, {score.missed} missing")
        for note, _ in score.notes.most_common(25):
            print("   ", note)
    print(f"line counts: {counted} given, {len(unequal)} differ from git's", *unequal[:10], sep="\n    ")
    if "--write" in sys.argv:
        write(rows, counted, len(unequal))


def write(rows, counted, unequal):
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(f"{folder}/page.md") as page:
        text = page.read()
    table = "".join(f"| {name} | {precision:.2f} | {recall:.2f} | {score.right} | {score.wrong} | {score.missed} |\n" for name, precision, recall, score in rows)
    text = text.replace("SESSIONS", str(SESSIONS)).replace("ROWS\n", table).replace("COUNTED", str(counted)).replace("UNEQUAL", str(unequal))
    with open(f"{folder}/../../docs/truth.md", "w") as out:
        out.write(text)


main()
