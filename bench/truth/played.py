"""Sessions of random work, played by hand in the shapes of the agents' transcripts."""
import os
import random
import subprocess

from compare import Result, documents
from play import Claude, Codex, run

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


def call(binary, home):
    """Runs the program in a home, and returns its output."""
    env = {**os.environ, "HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state",
           "XDG_RUNTIME_DIR": home + "/run", "CODEX_HOME": home + "/.codex", "CLAUDE_CONFIG_DIR": home + "/.claude"}
    os.makedirs(home + "/run", exist_ok=True)
    return lambda *words: subprocess.run([binary, *words], env=env, text=True, capture_output=True, check=True).stdout


def result(binary, top):
    """Plays all sessions and compares their documents."""
    rng = random.Random(SEED)
    out = Result(["files", "decisions", "validation", "tasks"])
    for number in range(SESSIONS):
        home, root = f"{top}/{number}", f"{top}/{number}/app"
        os.makedirs(root)
        repository(rng, root, home)
        agent = rng.choice([Claude, Codex])(root, home)
        truth = {**play(rng, agent), "base": "HEAD"}
        out.add(f"{agent.agent} {number}", documents(call(binary, home), agent.id), truth, root)
    return out
