"""A repository in which sessions, hands and a bot take turns: what each of them does, and who wrote every line in the end."""
import random

# Lines that everybody writes.
COMMON = ["}", "", "    return None", "    else {"]
AGENTS = ["claude-code", "codex"]
# After so many turns, an agent begins another session.
LONGEST = 12


class World:
    """Plans the work from a seed. Lines are (text, author); an author is (session, turn), or None for a hand or the bot."""

    def __init__(self, seed, commits):
        self.chance, self.wanted = random.Random(seed), commits
        self.made, self.commits, self.tasks = 0, 0, 0
        self.files, self.acts, self.open, self.turns, self.is_dirty = {}, [], {}, {}, False
        while self.commits < commits:
            self.step()
        if self.is_dirty:
            self.commit("Ana", "the rest")

    def step(self):
        what = self.chance.choices(["turn", "hand", "bot", "indent", "copy", "rename", "squash", "rebase"], [48, 22, 10, 4, 3, 6, 4, 3])[0]
        getattr(self, what)()

    # What somebody writes.

    def line(self, is_edge):
        self.made += 1
        if not is_edge and self.chance.random() < 0.25:
            return self.chance.choice(COMMON)
        return f"    let value_{self.made} = compute_it({self.chance.randrange(1000)});"

    def path(self, among=None):
        if among is None and (len(self.files) < 3 or self.chance.random() < 0.08):
            self.made += 1
            return f"src/part_{self.made}.rs"
        return self.chance.choice(sorted(self.files))

    def change(self, path, author):
        """Replaces a few lines of a file; returns their range before, and their end after."""
        had = self.files.get(path, [])
        given = self.chance.randint(1, 6) if had else self.chance.randint(6, 25)
        start = self.chance.randint(0, len(had))
        end = min(start + self.chance.randrange(4), len(had))
        new = [(self.line(at in (0, given - 1)), author) for at in range(given)]
        removed = had[start:end]
        for at, (text, _) in enumerate(new):
            # A line that is replaced by an equal one is the same line.
            same = next((number for number, it in enumerate(removed) if it[0] == text), None)
            if same is not None:
                new[at] = removed[same]
                del removed[:same + 1]
        self.files[path] = had[:start] + new + had[end:]
        return start, end, start + given

    # What happens.

    def act(self, what, **more):
        self.acts.append({"what": what, **more})

    def commit(self, who, message):
        self.act("commit", who=who, message=message)
        self.commits, self.is_dirty = self.commits + 1, False

    def by_hand(self, who, path, is_committed):
        self.act("write", path=path, text=text_of(self.files[path]))
        self.is_dirty = True
        if is_committed:
            self.commit(who, f"work by {who}")

    def hand(self):
        path = self.path()
        self.change(path, None)
        # Other changes by hand wait in the working tree for the next commit, whoever makes it.
        self.by_hand("Ana", path, self.chance.random() < 0.6)

    def bot(self):
        path = self.path()
        self.change(path, None)
        self.by_hand("dependabot[bot]", path, True)

    def indent(self):
        """A hand indents lines, whoever wrote them."""
        if not self.files:
            return
        path = self.path(among=self.files)
        lines = self.files[path]
        start = self.chance.randrange(len(lines))
        for at in range(start, min(start + 4, len(lines))):
            if lines[at][0]:
                lines[at] = ("  " + lines[at][0], None)
        self.by_hand("Ana", path, self.chance.random() < 0.5)

    def copy(self):
        """A hand copies a line into another file."""
        if len(self.files) < 2:
            return
        source, target = self.chance.sample(sorted(self.files), 2)
        known = [text for text, author in self.files[source] if author and text not in COMMON]
        if known:
            if self.is_dirty:
                # Git follows a copy within one commit; this one is on its own.
                self.commit("Ana", "before the copy")
            place = self.chance.randint(0, len(self.files[target]))
            self.files[target].insert(place, (self.chance.choice(known), None))
            self.by_hand("Ana", target, True)

    def rename(self):
        if len(self.files) > 1:
            path = self.path(among=self.files)
            self.made += 1
            to = f"src/moved_{self.made}.rs"
            self.files[to] = self.files.pop(path)
            self.act("move", path=path, to=to)
            self.commit("Ana", "rename")

    def squash(self):
        self.act("squash", last=self.chance.randint(2, 5))
        self.commits, self.is_dirty = self.commits + 1, False

    def rebase(self):
        if not self.is_dirty:
            self.act("rebase", last=5)

    # What agents do.

    def turn(self):
        kind = self.chance.choice(AGENTS)
        session = self.open.get(kind)
        if session is None or self.turns[session] >= LONGEST:
            session = self.open[kind] = len(self.turns)
            self.turns[session] = 0
        self.turns[session] += 1
        self.tasks += 1
        author = (session, self.turns[session])
        edits = [it for it in (self.edit(kind, author) for _ in range(self.chance.randint(1, 3))) if it]
        is_committed = self.chance.random() < 0.8
        if is_committed:
            edits.append({"how": "commit", "message": f"task {self.tasks}"})
            self.commits += 1
        self.is_dirty = not is_committed
        self.act("turn", kind=kind, session=session, prompt=f"Please do the task {self.tasks}.", words=f"The task {self.tasks} is over.", edits=edits)

    def edit(self, kind, author):
        path = self.path()
        had = self.files.get(path)
        if had and self.chance.random() < 0.05:
            return self.moved(kind, path)
        before = text_of(had) if had is not None else None
        start, end, after = self.change(path, author)
        lines = self.files[path]
        if before is None:
            return {"how": "write", "path": path, "old": None, "new": text_of(lines)}
        for around in range(1, 4):
            low, high = max(start - around, 0), min(end + around, len(had))
            old, new = text_of(had[low:high]), text_of(lines[low:after + high - end])
            # The place must be certain, also where a line is a part of another.
            if old.strip() and ("\n" + before).count("\n" + old) == 1 and before.count(old) == 1:
                break
        else:
            old = None
        if kind == "claude-code" and (old is None or self.chance.random() < 0.2):
            return {"how": "write", "path": path, "old": before, "new": text_of(lines)}
        if old is None:
            self.files[path] = had
            return None
        head, tail = text_of(had[low:start]), text_of(had[end:high])
        return {"how": "edit", "path": path, "old": old, "new": new, "head": head, "tail": tail}

    def moved(self, kind, path):
        """An agent renames a file by its shell."""
        self.made += 1
        to = f"src/sent_{self.made}.rs"
        self.files[to] = self.files.pop(path)
        return {"how": "move", "path": path, "to": to}


def text_of(lines):
    return "".join(text + "\n" for text, _ in lines)
