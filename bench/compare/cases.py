#!/usr/bin/env python3
"""cases.py OUT: makes one home for each situation in which counts go wrong, in the shapes of Claude Code and Codex.

The records are made up; their shapes are those of the recordings. The tokens are round and the models have list prices,
so that a person can check every total."""
import json
import sys
import uuid
from pathlib import Path


def ident(number):
    return str(uuid.UUID(int=(0x7A << 100) + number, version=4))


def claude(home, session, answers, agent=None, bill=None):
    """A transcript. An answer is (key, instant, model, lines), a line its usage."""
    folder = home / ".claude/projects/-w-pier"
    path = folder / session / "subagents" / f"agent-{agent}.jsonl" if agent else folder / f"{session}.jsonl"
    out, last = [], None
    for key, at, model, lines in answers:
        place = {"isSidechain": bool(agent), "userType": "external", "cwd": "/w/pier", "sessionId": session, "version": "2.1.325",
                 "gitBranch": "main", "entrypoint": "cli", **({"agentId": agent} if agent else {})}
        prompt = {"role": "user", "content": f"paint {key}"}
        out.append({"parentUuid": last, **place, "type": "user", "uuid": f"u-{key}", "timestamp": f"{at}:00.000Z", "message": prompt})
        last = f"u-{key}"
        for number, usage in enumerate(lines):
            message = {"id": f"msg_{key}", "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
                       "content": [{"type": "text", "text": f"{key} {number}"}], "usage": usage}
            out.append({"parentUuid": last, **place, "type": "assistant", "uuid": f"a-{key}-{number}",
                        "timestamp": f"{at}:0{number + 1}.000Z", "requestId": f"req_{key}", "message": message})
            last = f"a-{key}-{number}"
    if bill is not None:
        out.append({"type": "cost-state", "sessionId": session, "totalCostUSD": bill, "hasUnknownModelCost": False})
    write(path, out)


def usage(prompt, output, read=0, write=0, hour=0):
    split = {"ephemeral_5m_input_tokens": write, "ephemeral_1h_input_tokens": hour}
    return {"input_tokens": prompt, "output_tokens": output, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write + hour, "cache_creation": split, "service_tier": "standard"}


def codex(home, session, counts, model="gpt-5.2-codex"):
    """A rollout with counts only. A count is (instant, usage, how often it is written)."""
    total, first, out = [0] * 4, counts[0][0], []

    def line(at, kind, payload):
        out.append({"timestamp": f"{at}:00.000Z", "type": kind, "payload": payload})

    line(first, "session_meta", {"id": session, "timestamp": f"{first}:00.000Z", "cwd": "/w/buoy", "originator": "codex_cli_rs",
                                 "cli_version": "0.98.0", "source": "cli", "model_provider": "openai"})
    for at, tokens, times in counts:
        line(at, "turn_context", {"cwd": "/w/buoy", "approval_policy": "never", "sandbox_policy": {"type": "read-only"}, "model": model})
        line(at, "response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "paint"}]})
        line(at, "event_msg", {"type": "user_message", "message": "paint", "images": []})
        line(at, "response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]})
        total = [one + more for one, more in zip(total, tokens)]
        for _ in range(times):
            info = {"total_token_usage": named(total), "last_token_usage": named(tokens), "model_context_window": 258400}
            line(at, "event_msg", {"type": "token_count", "info": info})
    day = first[:10].replace("-", "/")
    write(home / f".codex/sessions/{day}/rollout-{first.replace(':', '-')}-00-{session}.jsonl", out)


def named(tokens):
    kinds = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    return {**dict(zip(kinds, tokens)), "total_tokens": tokens[0] + tokens[2]}


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(it, separators=(",", ":")) + "\n" for it in records))


SONNET, TERRA = "claude-sonnet-4-6", "gpt-5.6-terra"
ONE, TWO, THREE = ("2026-09-01T10:00", "2026-09-01T10:05", "2026-09-01T10:10")
PLAIN = [usage(1000, 2000, 30000, 4000)]
COUNTS = [(ONE, (10000, 8000, 2000, 500), 1), (TWO, (20000, 16000, 4000, 1000), 1)]

CASES = {
    "an answer in three lines": lambda it: claude(it, ident(1), [("a", ONE, SONNET, PLAIN * 3)]),
    "an answer whose lines grow": lambda it: claude(it, ident(1), [("a", ONE, SONNET, [usage(1000, 1, 30000), usage(1000, 2000, 30000)])]),
    "a fork": lambda it: [
        claude(it, ident(1), [("a", ONE, SONNET, PLAIN), ("b", TWO, SONNET, PLAIN)]),
        claude(it, ident(2), [("a", ONE, SONNET, PLAIN), ("b", TWO, SONNET, PLAIN), ("c", THREE, SONNET, PLAIN)])],
    "a sub-agent": lambda it: [
        claude(it, ident(1), [("a", ONE, SONNET, PLAIN)]),
        claude(it, ident(1), [("s", TWO, SONNET, PLAIN)], agent="a0c0ffee0a0c0ffee")],
    "cache writes for an hour": lambda it: claude(it, ident(1), [("a", ONE, SONNET, [usage(1000, 2000, 30000, 4000, 50000)])]),
    "a long prompt at two prices": lambda it: claude(it, ident(1), [
        ("a", "2026-03-01T10:00", SONNET, [usage(1000, 2000, 240000)]), ("b", "2026-04-01T10:00", SONNET, [usage(1000, 2000, 240000)])]),
    "a long prompt": lambda it: claude(it, ident(1), [("a", ONE, "claude-sonnet-4-5", [usage(250000, 2000)])]),
    "a model without a price": lambda it: claude(it, ident(1), [("a", ONE, "nobody-knows-9", PLAIN)]),
    "the agent's own bill": lambda it: claude(it, ident(1), [("a", ONE, SONNET, PLAIN)], bill=0.123456),
    "reasoning and cache reads": lambda it: codex(it, ident(3), COUNTS),
    "a count written twice": lambda it: codex(it, ident(3), [(ONE, COUNTS[0][1], 2), (TWO, COUNTS[1][1], 3)]),
    "a price that fell": lambda it: [
        codex(it, ident(3), [("2026-07-01T10:00", (10000, 8000, 2000, 500), 1)], TERRA),
        codex(it, ident(4), [("2026-08-15T10:00", (10000, 8000, 2000, 500), 1)], TERRA)],
}

if __name__ == "__main__":
    for name, make in CASES.items():
        make(Path(sys.argv[1]) / name)
