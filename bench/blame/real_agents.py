"""How each agent makes an edit: the tool calls that the scripted model answers with."""


class Agent:
    def __init__(self, root):
        self.root = root

    def answers(self, edits):
        """One answer of the model for each step."""
        return [step for edit in edits for step in getattr(self, edit["how"])(edit)]

    def commit(self, edit):
        return [self.shell(f"git add -A && git commit -q --allow-empty -m '{edit['message']}'")]

    def move(self, edit):
        return [self.shell(f"git add -A && git mv {edit['path']} {edit['to']}")]


class Claude(Agent):
    def shell(self, line):
        return [{"tool": "Bash", "input": {"command": line, "description": "A scripted command"}}]

    def read(self, edit):
        return [{"tool": "Read", "input": {"file_path": f"{self.root}/{edit['path']}"}}]

    def edit(self, edit):
        words = {"file_path": f"{self.root}/{edit['path']}", "old_string": edit["old"], "new_string": edit["new"]}
        return [self.read(edit), [{"tool": "Edit", "input": words}]]

    def write(self, edit):
        known = [self.read(edit)] if edit["old"] is not None else []
        return [*known, [{"tool": "Write", "input": {"file_path": f"{self.root}/{edit['path']}", "content": edit["new"]}}]]


class Codex(Agent):
    def shell(self, line):
        return [{"tool": "exec_command", "input": {"cmd": line}}]

    def patch(self, body):
        return [[{"patch": f"*** Begin Patch\n{body}*** End Patch\n"}]]

    def edit(self, edit):
        head, tail = edit["head"].splitlines(), edit["tail"].splitlines()
        old, new = (edit[it].splitlines()[len(head):] for it in ("old", "new"))
        old, new = (it[:len(it) - len(tail)] for it in (old, new))
        lines = [" " + it for it in head] + ["-" + it for it in old] + ["+" + it for it in new] + [" " + it for it in tail]
        return self.patch(f"*** Update File: {edit['path']}\n@@\n" + "".join(it + "\n" for it in lines))

    def write(self, edit):
        return self.patch(f"*** Add File: {edit['path']}\n" + "".join(f"+{it}\n" for it in edit["new"].splitlines()))
