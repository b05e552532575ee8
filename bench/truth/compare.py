"""Compares exported documents with what is true, field by field."""
import collections
import hashlib
import json
import os
import subprocess

FIELDS = ["files", "decisions", "validation", "tasks", "goal", "status", "branch", "commit", "agents"]


def git(root, *arguments):
    """The output of git in the way that users see it: no settings of this machine."""
    env = {"PATH": os.environ["PATH"], "HOME": root, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", "-c", "safe.directory=*", *arguments], cwd=root, env=env, capture_output=True, check=True).stdout


def changed(root, truth):
    """What git says has changed since a commit: action, line counts and hashes by path."""
    base, start, end = truth["base"], truth.get("start", truth["base"]), truth.get("end")
    git(root, "add", "-AN")
    out = {}
    for line in git(root, "diff", "--numstat", "--no-renames", base).decode().splitlines():
        added, removed, path = line.split("\t")
        out[path] = {"counts": (int(added), int(removed))}
    for line in git(root, "diff", "--name-status", "--no-renames", base).decode().splitlines():
        letter, path = line.split("\t")
        out[path]["action"] = {"A": "created", "M": "modified", "D": "deleted"}[letter]
        out[path]["before"] = sha(git(root, "show", f"{start}:{path}")) if letter != "A" else None
        out[path]["after"] = sha(content(root, end, path)) if letter != "D" else None
    return out


def content(root, commit, path):
    """A file in a commit, or on disk."""
    if commit:
        return git(root, "show", f"{commit}:{path}")
    with open(f"{root}/{path}", "rb") as file:
        return file.read()


def sha(content):
    return hashlib.sha256(content).hexdigest()


class Score:
    """Right, wrong and missing values of one field."""

    def __init__(self):
        self.right, self.wrong, self.missed, self.notes = 0, 0, 0, []

    def compare(self, got, true, name):
        self.right += len(got & true)
        self.wrong += len(got - true)
        self.missed += len(true - got)
        self.notes += [f"{name}: wrong {it}" for it in sorted(got - true, key=str)] + [f"{name}: missing {it}" for it in sorted(true - got, key=str)]

    def row(self):
        share = lambda other: self.right / (self.right + other) if self.right + other else 1.0  # noqa: E731
        return share(self.wrong), share(self.missed)


class Result:
    """The scores of several sessions."""

    def __init__(self, fields):
        self.fields, self.scores, self.sessions = fields, collections.defaultdict(Score), 0
        self.exact = {"line counts": [0, []], "hashes": [0, []]}
        self.possible = 0

    def add(self, name, documents, truth, root):
        """Compares a session's documents with its truth."""
        self.sessions += 1
        state, snapshot = documents
        files = changed(root, truth)
        told = {it["path"]: it for it in state["files_modified"]}
        score = lambda field, got, true: self.scores[field].compare(got, true, name)  # noqa: E731
        score("files", {(path, it["action"]) for path, it in told.items()}, {(path, it["action"]) for path, it in files.items()})
        self.compare_exact(name, told, files)
        score("decisions", decisions(state, truth["decisions"]), set(truth["decisions"]))
        score("validation", validation(snapshot), {it for it in truth["validation"].items() if it[1]})
        score("tasks", {("done", it) for it in state["completed_work"]} | {("open", it) for it in state["pending_tasks"]}, truth["tasks"])
        if "goal" not in self.fields:
            return
        score("goal", {state["goal"].rstrip(".")}, {truth["goal"].rstrip(".")})
        score("status", {state["status"]}, {truth["status"]})
        known = state["metadata"]
        score("branch", {known["git_branch"]} - {None}, {git(root, "branch", "--show-current").decode().strip()})
        score("commit", {known["git_commit"]} - {None}, {git(root, "rev-parse", "HEAD").decode().strip()})
        roles = {(path, "main" if it["agent_id"] == "main" else "worker") for path, it in told.items()}
        score("agents", roles, set(truth["agents"].items()) or {(path, "main") for path in files})

    def compare_exact(self, name, told, files):
        self.possible += len(files)
        for path, it in told.items():
            true = files.get(path, {})
            given = {"line counts": [((it["lines_added"], it["lines_removed"]), true.get("counts"))] if it["lines_added"] is not None else [],
                     "hashes": [(it[f"hash_{when}"], true.get(when)) for when in ("before", "after") if it[f"hash_{when}"]]}
            for kind, pairs in given.items():
                self.exact[kind][0] += len(pairs)
                self.exact[kind][1] += [f"{name}: {path} {pair}" for pair in pairs if pair[0] != pair[1]]

    def show(self, title):
        print(f"{title}: {self.sessions} sessions")
        for field in self.fields:
            score = self.scores[field]
            precision, recall = score.row()
            print(f"  {field}: precision {precision:.3f}, recall {recall:.3f}; {score.right} right, {score.wrong} wrong, {score.missed} missing")
            for note in score.notes[:25]:
                print("     ", note)
        for kind, (given, unequal) in self.exact.items():
            print(f"  {kind}: {given} given for {self.possible} files, {len(unequal)} differ", *unequal[:10], sep="\n      ")

    def table(self):
        rows = ["| field | precision | recall | right | wrong | missing |", "|---|---|---|---|---|---|"]
        for field in self.fields:
            score = self.scores[field]
            rows.append("| {} | {:.2f} | {:.2f} | {} | {} | {} |".format(field, *score.row(), score.right, score.wrong, score.missed))
        (counts, unequal), (hashes, others) = self.exact.values()
        rows.append(f"\nLine counts: given for {counts} of {self.possible} files; {len(unequal)} differ from `git diff --numstat`. "
                    f"Hashes: {hashes} given; {len(others)} differ from the files' contents. The others are `null`.")
        return "\n".join(rows)


def decisions(state, true):
    """The decisions of a document, each under the name that the script has for it."""
    names = sorted((it[0] for it in true), key=len, reverse=True)
    named = lambda context: next((it for it in names if context.endswith(it)), context)  # noqa: E731
    return {(named(it["context"]), it["chosen"], it["reasoning"]) for it in state["decisions_made"]}


def validation(snapshot):
    told = snapshot["workers"][0]["outputs"]["validation"]
    return {(it.split("`")[1], "failed" if "failed" in it.split("`")[-1] else "passed") for it in told if "unknown" not in it}


def documents(call, runtime_id=None):
    """The session state and the snapshot of the one session that no other started."""
    rows = json.loads(call("ls", "--json", "--all", "--limit", "1000"))["sessions"]
    own = [it["id"] for it in rows if (it["runtime_session_id"] == runtime_id if runtime_id else not it.get("parent_id"))]
    if len(own) != 1:
        raise RuntimeError(f"{len(own)} sessions instead of one")
    return tuple(json.loads(call(*words, own[0])) for words in (("state", "export"), ("snapshot",)))
