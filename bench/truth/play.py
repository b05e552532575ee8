"""Two agents played by hand, in the shapes of their recorded transcripts. What they do in a repository is really done there."""
import difflib
import json
import os
import subprocess
import time
import uuid


def stamp():
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)


def run(line, cwd, home):
    """Runs a command line; returns its output and exit code."""
    env = {"PATH": os.environ["PATH"], "HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["bash", "-c", line], cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode


def hunks(old, new):
    """The hunks of a change, as (old start, new start, marked lines)."""
    old, new = old.splitlines(), new.splitlines()
    for group in difflib.SequenceMatcher(None, old, new, False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in old[a:b]]
            else:
                lines += ["-" + line for line in old[a:b]] + ["+" + line for line in new[c:d]]
        yield group[0][1] + 1, group[0][3] + 1, lines


class Claude:
    agent = "claude-code"

    def __init__(self, cwd, home):
        self.cwd, self.home, self.id, self.last, self.calls = cwd, home, str(uuid.uuid4()), None, 0
        folder = f"{home}/.claude/projects/" + "".join(c if c.isalnum() else "-" for c in cwd)
        os.makedirs(folder, exist_ok=True)
        self.file = f"{folder}/{self.id}.jsonl"

    def record(self, kind, message, **more):
        own = str(uuid.uuid4())
        line = dict(parentUuid=self.last, isSidechain=False, type=kind, message=message, uuid=own, timestamp=stamp(), userType="external",
                    entrypoint="cli", cwd=self.cwd, sessionId=self.id, version="2.1.325", gitBranch="main", **more)
        self.last = own
        with open(self.file, "a") as out:
            out.write(json.dumps(line) + "\n")

    def prompt(self, text):
        self.record("user", {"role": "user", "content": text}, promptSource="typed")

    def answer(self, content, stop):
        name = uuid.uuid4().hex
        message = {"id": "msg_" + name, "type": "message", "role": "assistant", "model": "m", "content": [content], "stop_reason": stop,
                   "usage": {"input_tokens": 9, "output_tokens": 2}}
        self.record("assistant", message, requestId="req_" + name)

    def say(self, text):
        self.answer({"type": "text", "text": text}, "end_turn")

    def call(self, tool, given, content, result, failed=False, **more):
        self.calls += 1
        name = f"toolu_{self.id[:8]}_{self.calls}"
        self.answer({"type": "tool_use", "id": name, "name": tool, "input": given}, "tool_use")
        block = {"tool_use_id": name, "type": "tool_result", "content": content, **({"is_error": True} if failed else {})}
        self.record("user", {"role": "user", "content": [block]}, toolUseResult=result, **more)

    def shell(self, line, output=None, code=None):
        """Runs a line for real, or plays one whose output and exit code are given."""
        if output is None:
            output, code = run(line, self.cwd, self.home)
        told = f"Exit code {code}\n{output}" if code else output
        result = f"Error: {told}" if code else {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self.call("Bash", {"command": line}, told, result, failed=bool(code))

    def write(self, name, new):
        path = f"{self.cwd}/{name}"
        old = open(path).read() if os.path.exists(path) else None
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(new)
        kind, told = ("update", "has been updated") if old is not None else ("create", "File created successfully at:")
        patch = [] if old is None else self.patch(old, new)
        result = {"type": kind, "filePath": path, "content": new, "structuredPatch": patch, "originalFile": old, "userModified": False}
        self.call("Write", {"file_path": path, "content": new}, f"{told} {path}", result)

    def edit(self, name, old, new):
        path = f"{self.cwd}/{name}"
        before = open(path).read()
        after = before.replace(old, new, 1)
        with open(path, "w") as out:
            out.write(after)
        result = {"filePath": path, "oldString": old, "newString": new, "originalFile": before, "structuredPatch": self.patch(before, after),
                  "userModified": False, "replaceAll": False}
        self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, f"The file {path} has been updated.", result)

    def patch(self, old, new):
        return [{"oldStart": a, "newStart": b, "lines": lines} for a, b, lines in hunks(old, new)]

    def plan(self, items):
        todos = [{"content": text, "status": status, "activeForm": text} for text, status in items]
        self.call("TodoWrite", {"todos": todos}, "Todos have been modified successfully.", {"oldTodos": [], "newTodos": todos})

    def refuse(self, line, words):
        end = f"To tell you how to proceed, the user said:\n{words}" if words else "STOP what you are doing and wait for the user to tell you how to proceed."
        self.call("Bash", {"command": line}, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
                  "the new_string was NOT written to the file). " + end, "User rejected tool use", failed=True, toolDenialKind="user-rejected")

    def allow(self, line, source):
        self.call("Bash", {"command": line}, "ok", {"stdout": "ok", "stderr": ""}, permissionDecision={"decision": "accept", "source": source})

    def ask(self, question, options, chosen, notes):
        given = {"questions": [{"question": question, "header": "h", "multiSelect": False, "options": [{"label": it} for it in options]}]}
        told = f'"{question}"="{chosen}"' + (f" user notes: {notes}" if notes else "")
        self.call("AskUserQuestion", given, f"Your questions have been answered: {told}. You can now continue with these answers in mind.",
                  {"answers": {question: chosen}})


class Codex:
    agent = "codex"

    def __init__(self, cwd, home):
        self.cwd, self.home, self.id, self.turn, self.calls, self.lines = cwd, home, "01a1" + str(uuid.uuid4())[4:], 0, 0, 0
        day = time.strftime("%Y/%m/%d", time.gmtime())
        folder = f"{home}/.codex/sessions/{day}"
        os.makedirs(folder, exist_ok=True)
        self.file = f"{folder}/rollout-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime())}-{self.id}.jsonl"
        self.record("session_meta", {"session_id": self.id, "id": self.id, "timestamp": stamp(), "cwd": cwd, "originator": "codex-tui",
                                     "cli_version": "0.166.0", "source": "cli", "model_provider": "openai", "git": {"branch": "main"}})

    def record(self, kind, payload):
        with open(self.file, "a") as out:
            out.write(json.dumps({"timestamp": stamp(), "ordinal": self.lines, "type": kind, "payload": payload}) + "\n")
        self.lines += 1

    def prompt(self, text):
        self.turn += 1
        name = f"turn-{self.turn}"
        self.record("event_msg", {"type": "task_started", "turn_id": name})
        self.record("turn_context", {"turn_id": name, "cwd": self.cwd, "model": "m", "summary": "none"})
        self.record("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        item = {"type": "UserMessage", "id": f"u{self.turn}", "content": [{"type": "text", "text": text, "text_elements": []}]}
        self.record("event_msg", {"type": "item_completed", "thread_id": self.id, "turn_id": name, "item": item})

    def say(self, text):
        name = f"msg_{self.turn}"
        item = {"type": "AgentMessage", "id": name, "content": [{"type": "Text", "text": text}], "phase": "final_answer"}
        self.record("event_msg", {"type": "item_completed", "thread_id": self.id, "turn_id": f"turn-{self.turn}", "item": item})
        self.record("response_item", {"type": "message", "id": name, "role": "assistant", "content": [{"type": "output_text", "text": text}]})
        self.record("event_msg", {"type": "task_complete", "turn_id": f"turn-{self.turn}", "last_agent_message": None, "duration_ms": 5})

    def function(self, tool, given, output):
        self.calls += 1
        name = f"c{self.calls}"
        self.record("response_item", {"type": "function_call", "id": "fc_" + name, "name": tool, "arguments": json.dumps(given), "call_id": name})
        self.record("response_item", {"type": "function_call_output", "id": "fco_" + name, "call_id": name, "output": output})

    def shell(self, line, output=None, code=None):
        if output is None:
            output, code = run(line, self.cwd, self.home)
        self.function("exec_command", {"cmd": line}, f"Chunk ID: 1\nProcess exited with code {code}\nOutput:\n{output}")

    def apply(self, patch):
        self.calls += 1
        name, text = f"c{self.calls}", f"*** Begin Patch\n{patch}*** End Patch\n"
        self.record("response_item", {"type": "custom_tool_call", "id": "ctc_" + name, "call_id": name, "name": "apply_patch", "input": text, "status": "completed"})
        self.record("response_item", {"type": "custom_tool_call_output", "call_id": name, "output": "Exit code: 0\nOutput:\nSuccess.\n"})

    def write(self, name, new):
        path = f"{self.cwd}/{name}"
        old = open(path).read() if os.path.exists(path) else None
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(new)
        if old is None:
            self.apply(f"*** Add File: {name}\n" + "".join(f"+{line}\n" for line in new.splitlines()))
        else:
            self.update(name, old, new)

    def update(self, name, old, new):
        body = "".join("@@\n" + "".join(line + "\n" for line in lines) for _, _, lines in hunks(old, new))
        self.apply(f"*** Update File: {name}\n{body}")

    def edit(self, name, old, new):
        path = f"{self.cwd}/{name}"
        before = open(path).read()
        after = before.replace(old, new, 1)
        with open(path, "w") as out:
            out.write(after)
        self.update(name, before, after)

    def plan(self, items):
        self.function("update_plan", {"plan": [{"step": text, "status": status} for text, status in items]}, "Plan updated")

    def ask(self, question, options, chosen, _notes):
        given = {"questions": [{"id": "q", "header": "h", "question": question, "options": [{"label": it} for it in options]}]}
        self.function("request_user_input", given, json.dumps({"answers": {"q": {"answers": [chosen]}}}))
