"""Situations that real agents are led through. What the scripted model asks for, they really do."""
import os
import subprocess

from compare import FIELDS, Result, documents
from machine import AGENTS, Machine

FILES = {
    "src/parser.py": "LIMIT = 10\n\n\ndef parse(text):\n    return text.split(',')[:LIMIT]\n",
    "src/names.py": "".join(f"NAME_{number} = {number}\n" for number in range(30)),
    "tests/test_parser.py": "import sys\nimport unittest\n\nsys.path.insert(0, 'src')\nimport parser_under_test\n",
    "conf.ini": "limit=10\nmode=slow\n", "notes.md": "# Notes\n\nNothing yet.\n", "old.txt": "old\n", "from.txt": "one\ntwo\n", "junk/a.log": "x\n",
    "Makefile": "check:\n\tpython3 -m unittest -q test_limit\n\nlint:\n\t@echo 'src/parser.py:1: error: LIMIT is never used'\n\t@exit 1\n",
    "limit.py": "LIMIT = 10\n",
    "test_limit.py": "import unittest\n\nimport limit\n\n\nclass Limit(unittest.TestCase):\n    def test_limit(self):\n        self.assertEqual(limit.LIMIT, 20)\n",
    "deploy.sh": "#!/bin/sh\necho deployed\n",
}
ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.org", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@b.org"}


def shell(line, cwd):
    done = subprocess.run(["bash", "-c", line], cwd=cwd, env={**ENV, "HOME": os.path.dirname(cwd)}, text=True, capture_output=True, check=True)
    return done.stdout


class Claude:
    kind = "claude-code"

    def __init__(self, root):
        self.root = root

    def sh(self, line):
        return [{"tool": "Bash", "input": {"command": line, "description": "A scripted command"}}],

    def edit(self, path, old, new):
        path = f"{self.root}/{path}"
        return [{"tool": "Read", "input": {"file_path": path}}], [{"tool": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}]

    def write(self, path, _old, new):
        path = f"{self.root}/{path}"
        known = ([{"tool": "Read", "input": {"file_path": path}}],) if os.path.exists(path) else ()
        return *known, [{"tool": "Write", "input": {"file_path": path, "content": new}}]

    def plan(self, items):
        find = [{"tool": "ToolSearch", "input": {"query": "select:TaskCreate,TaskUpdate", "max_results": 5}}]
        made = [[{"tool": "TaskCreate", "input": {"subject": text, "description": text}}] for text, _ in items]
        moved = [[{"tool": "TaskUpdate", "input": {"taskId": str(at), "status": status}}] for at, (_, status) in enumerate(items, 1) if status != "pending"]
        return find, *made, *moved

    def ask(self, question, options):
        options = [{"label": it, "description": "so"} for it in options]
        return [{"tool": "AskUserQuestion", "input": {"questions": [{"question": question, "header": "Name", "multiSelect": False, "options": options}]}}],

    def worker(self, prompt):
        return [{"tool": "Agent", "input": {"description": "helper", "prompt": prompt, "subagent_type": "general-purpose"}}],


class Codex:
    kind = "codex"

    def __init__(self, root):
        self.root = root

    def sh(self, line):
        return [{"tool": "exec_command", "input": {"cmd": line}}],

    def patch(self, body):
        return [{"patch": f"*** Begin Patch\n{body}*** End Patch\n"}],

    def edit(self, path, old, new):
        lines = [f"-{it}\n" for it in old.splitlines()] + [f"+{it}\n" for it in new.splitlines()]
        return self.patch(f"*** Update File: {path}\n@@\n{''.join(lines)}")

    def write(self, path, old, new):
        if old is not None:
            return self.edit(path, old, new)
        return self.patch(f"*** Add File: {path}\n" + "".join(f"+{it}\n" for it in new.splitlines()))

    def plan(self, items):
        return [{"tool": "update_plan", "input": {"plan": [{"step": text, "status": status} for text, status in items]}}],

    def ask(self, question, options):
        options = [{"label": it, "description": "so"} for it in options]
        return [{"tool": "request_user_input", "input": {"questions": [{"id": "name", "question": question, "header": "Name", "options": options}]}}],

    def worker(self, prompt):
        return [{"tool": "spawn_agent", "input": {"message": prompt}, "group": "multi_agent_v1"}],


class Play:
    """A situation: what the model answers, what the user does, and what is true in the end."""

    def __init__(self, agent, root):
        self.agent, self.root, self.answers, self.acts = agent, root, {}, []
        self.truth = {"goal": None, "status": "completed", "decisions": set(), "validation": {}, "tasks": set(), "agents": {}, "base": "HEAD"}

    def turn(self, prompt, *steps, words=None, act=None, task=True):
        """A prompt, the steps of the model, the last words of its answer, and what the user does meanwhile."""
        words = words if words is not None else f"That was step {len(self.acts) + 1}."
        self.answers[prompt] = [answer for step in steps for answer in step] + [[{"text": words}]]
        self.acts.append((prompt, words, act))
        if task:
            self.truth["goal"] = self.truth["goal"] or prompt
            self.truth["tasks"].add(("done", prompt))


def edits(play, agent):
    play.turn("hi", words="Hello, what shall we do?", task=False)
    play.turn("Add a limit of 20 to the parser.", agent.edit("src/parser.py", "LIMIT = 10\n", "LIMIT = 20\nMORE = True\n"),
              agent.write("src/more.py", None, "def more():\n    return 1\n"), agent.edit("src/names.py", "NAME_3 = 3\nNAME_4 = 4\n", "NAME_3 = 33\n"),
              agent.edit("src/names.py", "NAME_20 = 20\n", "NAME_20 = 20\nNAME_21B = 21\n"))
    play.turn("Rewrite the notes.", agent.write("notes.md", FILES["notes.md"], "# Notes\n\nThe limit is 20.\n\nMore to come.\n"))


def by_shell(play, agent):
    play.turn("Clean the repository up.", agent.sh("git mv old.txt older.txt"), agent.sh("rm notes.md && mkdir -p docs && mv from.txt docs/"),
              agent.sh("sed -i 's/slow/fast/' conf.ini"), agent.sh("for part in one two three; do touch part-$part.txt; done"),
              agent.sh("cat > made.txt <<'E'\na\nb\nE"), agent.sh("echo 'LIMIT = 30' >> limit.py && cp limit.py limit_copy.py"),
              agent.sh("touch gone.txt && rm gone.txt"), agent.sh("rm missing.txt"), agent.sh("rm -r junk"))


def fixed_test(play, agent):
    play.turn("Fix the failing test.", agent.sh("python3 -m unittest -q test_limit"), agent.edit("limit.py", "LIMIT = 10\n", "LIMIT = 20\n"),
              agent.sh("python3 -m unittest -q test_limit"), agent.sh("make check 2>&1 | tail -3"), agent.sh("ls *.py | grep test"))
    play.truth["validation"] = {"python3 -m unittest -q test_limit": "passed", "make check 2>&1 | tail -3": "passed"}


def failed_check(play, agent):
    play.turn("Make the linter pass.", agent.edit("limit.py", "LIMIT = 10\n", "LIMIT = 11\n"), agent.sh("python3 -m unittest -q test_limit || true"),
              agent.sh("make lint 2>&1 | tail -2"))
    play.truth["validation"] = {"python3 -m unittest -q test_limit || true": "failed", "make lint 2>&1 | tail -2": "failed"}
    play.truth["status"] = "error"


def decisions(play, agent):
    def refuse(machine):
        machine.wait_for(machine.agent["dialog"])
        machine.press_until("Escape", "the denial", lambda screen: machine.agent["broken_off"] in screen)

    def refuse_with_words(machine):
        machine.wait_for(machine.agent["dialog"])
        machine.press_until("Down", "the other answer", lambda screen: "❯ 2. No" in screen)
        machine.press_until("Tab", "a line for words", lambda screen: "No, and tell Claude" in screen)
        machine.write("not on a Friday")
        machine.press_until("Enter", "the denial", lambda screen: machine.agent["dialog"] not in screen)

    def allow(machine):
        machine.wait_for(machine.agent["dialog"])
        machine.press_until(machine.agent["allow"], "the command", lambda screen: machine.agent["dialog"] not in screen)

    def choose_second(machine):
        machine.wait_for("Which name?")
        machine.press_until("Down", "the second answer", lambda screen: machine.agent["second"] in screen)
        machine.press("Enter")

    play.turn("Deploy the program.", agent.sh("./deploy.sh"), act=refuse, words="", task=False)
    play.turn("Deploy the program carefully.", agent.sh("./deploy.sh --now"), act=allow)
    play.turn("Rename the program.", agent.ask("Which name?", ["North", "South"]), act=choose_second)
    play.truth["goal"] = "Deploy the program."
    play.truth["decisions"] = {("./deploy.sh", "denied", None), ("./deploy.sh --now", "allowed", None), ("Which name?", "South", None)}
    if agent.kind == "claude-code":
        play.turn("Deploy the program at once.", agent.sh("./deploy.sh --fast"), act=refuse_with_words)
        play.truth["decisions"].add(("./deploy.sh --fast", "denied", "not on a Friday"))


def half_a_plan(play, agent):
    items = [("Read the parser", "completed"), ("Add the limit", "completed"), ("Test the limit", "in_progress"), ("Describe the limit", "pending")]
    play.turn("Work on the limit in four steps.", agent.plan(items), agent.edit("limit.py", "LIMIT = 10\n", "LIMIT = 20\n"))
    play.truth["tasks"] = {("done" if status == "completed" else "open", text) for text, status in items}
    play.truth["status"] = "paused"


def rebase(play, agent):
    shell("git switch -qc feature && git switch -q main && sed -i 's/^NAME_29 .*/NAME_29 = 0\\nNAME_30 = 0/' src/names.py && echo more > up.txt && git add -A"
          " && git commit -qm up && git switch -q feature", play.root)
    play.turn("Add a name and rebase the branch.", agent.edit("src/names.py", "NAME_1 = 1\n", "NAME_1 = 100\n"), agent.write("new.py", None, "NEW = 1\n"),
              agent.sh("git add -A && git commit -qm 'Another name'"), agent.sh("git rebase -q main && git log --oneline | head -3"))
    # The session's own changes are those of its commit before the rebase.
    play.truth |= {"base": "main", "start": "ORIG_HEAD~1", "end": "ORIG_HEAD"}


def sub_agent(play, agent):
    play.answers["Write the helper module, nothing else."] = [
        *agent.write("helper.py", None, "def helper():\n    return 2\n"), *agent.sh("echo 'see helper.py' >> notes.md"), [{"text": "The helper is written."}]]
    done = (lambda machine: machine.wait_until("the helper", lambda _: os.path.exists(f"{play.root}/helper.py") and "see helper.py" in open(f"{play.root}/notes.md").read()))
    play.turn("Let a helper write the helper module.", agent.worker("Write the helper module, nothing else."), act=done)
    play.turn("Use the helper module.", agent.edit("limit.py", "LIMIT = 10\n", "import helper\n\nLIMIT = helper.helper()\n"))
    play.truth["agents"] = {"helper.py": "worker", "notes.md": "worker", "limit.py": "main"}


SITUATIONS = [edits, by_shell, fixed_test, failed_check, decisions, half_a_plan, rebase, sub_agent]


def repository(root):
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(f"{root}/{name}"), exist_ok=True)
        with open(f"{root}/{name}", "w") as out:
            out.write(text)
    with open(f"{root}/.gitignore", "w") as out:
        out.write("__pycache__\n")
    shell("chmod +x deploy.sh && git -c init.defaultBranch=main init -q && git add -A && git commit -qm base", root)


def staged(situation, kind, home, binary):
    """A situation in a fresh repository, and a machine for it."""
    root = f"{home}/app"
    os.makedirs(root)
    repository(root)
    agent = {"claude-code": Claude, "codex": Codex}[kind](root)
    play = Play(agent, root)
    situation(play, agent)
    title = play.truth["goal"].rstrip(".")
    machine = Machine(home, kind, {"title": title, "answers": play.answers}, binary)
    return play, machine


def perform(play, machine):
    for prompt, words, act in play.acts:
        machine.prompt(prompt)
        if act:
            act(machine)
        if words:
            machine.finished(words)
    machine.quit()


def result(binary, top):
    """Leads both agents through every situation and compares the documents; a run that fails ends the bench."""
    out = {}
    for kind in AGENTS:
        out[kind] = Result(FIELDS)
        for situation in SITUATIONS:
            home = f"{top}/{kind}-{situation.__name__}"
            play, machine = staged(situation, kind, home, binary)
            with machine:
                perform(play, machine)
                found = documents(lambda *words: machine.run(binary, *words))
            out[kind].add(f"{kind} {situation.__name__}", found, play.truth, play.root)
    return out
