"""A made-up history of four agents, and more of it while a run is under way."""

import json
import random
import sqlite3
from pathlib import Path

WORDS = ("the parser drops a byte at end of every line fix test build read index größe 漢字 cache "
         "src/lib.rs cargo run session quoted Überlauf retry_after getName").split()
# Rare enough to be counted exactly; said by some of the texts on purpose.
PHRASES = ["violet walrus", "amber narwhal", "zinnoberroter Zander", "quiet quokka"]
# Below the folder that GOOSE_PATH_ROOT names.
GOOSE = "goose/data/sessions/sessions.db"

GOOSE_SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user',
  working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
  extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER,
  output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
  accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER,
  accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER,
  accumulated_cache_write_tokens INTEGER, accumulated_cost REAL, schedule_id TEXT,
  recipe_json TEXT, user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT,
  goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP, project_id TEXT,
  parent_session_id TEXT);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP,
  tokens INTEGER, metadata_json TEXT);
"""


class Corpus:
    """Writes files below a home; a seed decides all of it."""

    def __init__(self, home: Path, seed: int):
        self.home = home
        self.chance = random.Random(seed)
        self.time = 0

    def uuid(self) -> str:
        bits = f"{self.chance.getrandbits(128):032x}"
        return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-a{bits[17:20]}-{bits[20:]}"

    def text(self) -> str:
        words = [self.chance.choice(WORDS) for _ in range(self.chance.randint(3, 60))]
        if self.chance.random() < 0.01:
            words.insert(self.chance.randrange(len(words)), self.chance.choice(PHRASES))
        return " ".join(words)

    def now(self) -> str:
        self.time += self.chance.randint(1, 3)
        minutes, seconds = divmod(self.time, 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        return f"2026-10-{1 + days % 28:02}T{hours:02}:{minutes:02}:{seconds:02}.000Z"

    def write(self, megabytes: float) -> None:
        """The files as they are before anything is read."""
        share = int(megabytes * 1_000_000)
        for _ in range(6):
            self._file(self._claude_path(), self.claude, share // 10)
        for _ in range(3):
            self._file(self._codex_path(), self.codex, share // 10)
        self._gemini(share // 20)
        self._goose(3, share // 60)

    def _file(self, path: str, line, size: int) -> None:
        out, length = [], 0
        while length < size:
            out.append(line(Path(path), not out))
            length += len(out[-1])
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(out))

    def _claude_path(self) -> str:
        return f".claude/projects/-w-app/{self.uuid()}.jsonl"

    def _codex_path(self) -> str:
        thread = self.uuid()
        return f".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{thread}.jsonl"

    def claude(self, path: Path, _first: bool) -> str:
        """One record of a transcript."""
        uuid, now = self.uuid(), self.now()
        record = {"parentUuid": None, "isSidechain": False, "cwd": "/w/app", "sessionId": path.stem,
                  "version": "2.1.239", "gitBranch": "main", "uuid": uuid, "timestamp": now}
        kind = self.chance.randrange(4)
        usage = {"input_tokens": 3, "output_tokens": 10}
        answer = {"id": f"msg_{uuid}", "type": "message", "role": "assistant", "model": "claude-x-1",
                  "usage": usage}
        if kind == 0:
            content = [{"type": "text", "text": self.text()}]
            record |= {"type": "assistant", "message": answer | {"content": content}}
        elif kind == 1:
            call = {"type": "tool_use", "id": f"t{uuid}", "name": "Bash",
                    "input": {"command": self.text()}}
            record |= {"type": "assistant", "message": answer | {"content": [call]}}
        else:
            record |= {"type": "user", "message": {"role": "user", "content": self.text()}}
        return json.dumps(record, ensure_ascii=False) + "\n"

    def codex(self, path: Path, first: bool) -> str:
        """One record of a rollout."""
        if first:
            thread = path.stem[len("rollout-2026-10-01T10-00-00-"):]
            kind, payload = "session_meta", {"id": thread, "cwd": "/w/api", "cli_version": "0.98.0"}
        else:
            said = self.chance.choice(["user_message", "agent_message"])
            kind, payload = "event_msg", {"type": said, "message": self.text()}
        record = {"timestamp": self.now(), "type": kind, "payload": payload}
        return json.dumps(record, ensure_ascii=False) + "\n"

    def _gemini(self, size: int) -> None:
        session, messages, length = self.uuid(), [], 0
        while length < size:
            text = self.text()
            messages.append({"id": f"m{len(messages)}", "timestamp": self.now(), "type": "user",
                             "content": [{"text": text}]})
            length += len(text)
        document = {"sessionId": session, "projectHash": "x", "startTime": self.now(),
                    "lastUpdated": self.now(), "messages": messages}
        folder = self.home / ".gemini/tmp/app"
        (folder / "chats").mkdir(parents=True, exist_ok=True)
        (folder / ".project_root").write_text("/w/app")
        path = folder / f"chats/session-2025-10-01T10-00-{session[:8]}.json"
        path.write_text(json.dumps(document, ensure_ascii=False))

    def _goose(self, sessions: int, size: int) -> None:
        path = self.home / GOOSE
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as database:
            database.executescript(GOOSE_SCHEMA)
            for number in range(sessions):
                name = f"20261001_{number + 1}"
                database.execute(
                    "INSERT INTO sessions (id, name, working_dir, created_at, updated_at) VALUES "
                    "(?, 'Named', '/w/app', '2026-10-01 10:00:00', '2026-10-01 10:05:00')", [name])
                length = 0
                while length < size:
                    length += goose_message(database, name, self.text(), self.time)
                    self.time += 1
        database.close()

    def append(self) -> None:
        """A little more of a session: lines, half a line, or a message in the database."""
        kind = self.chance.randrange(8)
        if kind == 0:
            with sqlite3.connect(self.home / GOOSE) as database:
                goose_message(database, "20261001_1", self.text(), self.time)
                database.execute("UPDATE sessions SET updated_at = ? WHERE id = '20261001_1'",
                                 [f"2026-10-02 10:{self.time // 60 % 60:02}:{self.time % 60:02}"])
            database.close()
            self.time += 1
            return
        files = sorted((self.home / ".claude").rglob("*.jsonl"))
        line, files = (self.claude, files) if kind < 6 else (
            self.codex, sorted((self.home / ".codex").rglob("*.jsonl")))
        path = self.chance.choice(files)
        lines = "".join(line(path, False) for _ in range(self.chance.randint(1, 40)))
        with path.open("a") as out:
            out.write(lines)


def goose_message(database, session: str, text: str, at: int) -> int:
    content = json.dumps([{"type": "text", "text": text}], ensure_ascii=False)
    database.execute(
        "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, "
        "timestamp) VALUES (?, ?, 'user', ?, ?, datetime(?, 'unixepoch'))",
        [f"msg_{at}", session, content, 1790848800 + at, 1790848800 + at])
    return len(content)
