#!/usr/bin/env python3
"""A scripted model for Claude Code (Anthropic's messages) and Codex (OpenAI's responses), on loopback.

    model.py SCRIPT.json LOG.jsonl      # prints its port

The script maps a prompt to the answers to it, one for each request: an answer is a list of texts and tool calls. The last scripted prompt
in a request selects the list, and the number of tool results since then the answer. So the server keeps no state, and a sub-agent has
answers of its own. Requests without tools, such as those for a title, get the script's `title`.
"""
import itertools
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS = {"input_tokens": 1000, "output_tokens": 25}
NUMBERS = itertools.count(1)


def texts(content):
    if isinstance(content, str):
        return content
    return "\n".join(it.get("text") or "" for it in content or [] if isinstance(it, dict))


def said(body):
    """What the user said and which results came, in order: (text, whether it is a step of results)."""
    for message in body.get("messages") or []:
        if message["role"] == "user":
            blocks = message["content"] if isinstance(message["content"], list) else []
            yield "", any(it.get("type") == "tool_result" for it in blocks)
            yield texts(message["content"]), False
    after_result = False
    items = body.get("input") or []
    for item in items if isinstance(items, list) else [{"role": "user", "content": items}]:
        is_result = str(item.get("type", "")).endswith("_output")
        yield (texts(item.get("content")) if item.get("role") == "user" else ""), is_result and not after_result
        after_result = is_result


def answer_to(body, script):
    """The scripted prompt that a request is about, and the answer to it."""
    prompt, step = None, 0
    for text, is_step in said(body):
        step += is_step
        found = [it for it in script["answers"] if it in text]
        if found:
            prompt, step = max(found, key=text.rindex), 0
    is_side = not body.get("tools") or "concise, single-line task title" in json.dumps(body.get("input"))
    if is_side:
        return None, [{"text": json.dumps({"title": script["title"]})}]
    if prompt is None:
        return None, [{"text": "What shall we do?"}]
    answers = script["answers"][prompt]
    return prompt, answers[step] if step < len(answers) else [{"text": f"Nothing is left to do after {step} steps."}]


def messages(body, parts, number):
    """The events of Anthropic's API."""
    blocks = [{"type": "text", "text": it["text"]} if "text" in it else
              {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": it["tool"], "input": it["input"]} for at, it in enumerate(parts)]
    stop = "tool_use" if any(it["type"] == "tool_use" for it in blocks) else "end_turn"
    usage = {**TOKENS, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model"), "content": blocks,
             "stop_reason": stop, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for at, block in enumerate(blocks):
        begun, delta = ({"text": ""}, {"type": "text_delta", "text": block["text"]}) if block["type"] == "text" else \
            ({"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
        events += [{"type": "content_block_start", "index": at, "content_block": {**block, **begun}},
                   {"type": "content_block_delta", "index": at, "delta": delta}, {"type": "content_block_stop", "index": at}]
    events += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}, {"type": "message_stop"}]
    return whole, events


def item(part, number, at):
    name = f"{number}_{at}"
    if "text" in part:
        content = [{"type": "output_text", "text": part["text"], "annotations": []}]
        return {"type": "message", "id": f"msg_{name}", "role": "assistant", "status": "completed", "content": content}
    if "patch" in part:
        return {"type": "custom_tool_call", "id": f"ctc_{name}", "call_id": f"call_{name}", "name": "apply_patch", "input": part["patch"], "status": "completed"}
    more = {"namespace": part["group"]} if "group" in part else {}
    return {"type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "name": part["tool"], "arguments": json.dumps(part["input"]), "status": "completed", **more}


def responses(body, parts, number):
    """The events of OpenAI's API."""
    items = [item(part, number, at) for at, part in enumerate(parts)]
    usage = {**TOKENS, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": sum(TOKENS.values())}
    whole = {"id": f"resp_{number}", "object": "response", "status": "completed", "model": body.get("model"), "output": items, "usage": usage}
    events = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}]
    for at, it in enumerate(items):
        begun = {"content": []} if it["type"] == "message" else {"input": ""} if "input" in it else {"arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": at, "item": {**it, **begun, "status": "in_progress"}})
        if it["type"] == "message":
            events.append({"type": "response.output_text.delta", "item_id": it["id"], "output_index": at, "content_index": 0, "delta": it["content"][0]["text"]})
        events.append({"type": "response.output_item.done", "output_index": at, "item": it})
    return whole, [*events, {"type": "response.completed", "response": whole}]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script, log = {}, None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(200, "application/json", b"")

    def do_GET(self):
        self.answer(200, "application/json", json.dumps({"object": "list", "data": [], "models": []}).encode())

    def do_POST(self):
        body = json.loads(self.body() or b"{}")
        path = self.path.split("?")[0]
        known = {"/v1/messages": messages, "/v1/responses": responses}.get(path)
        if path.endswith("/count_tokens"):
            return self.answer(200, "application/json", b'{"input_tokens": 1000}')
        if known is None:
            return self.answer(404, "application/json", b'{"error": {"message": "not scripted"}}')
        prompt, parts = answer_to(body, self.script)
        self.log.write(json.dumps({"prompt": prompt, "tools": [it.get("name") for it in body.get("tools") or []], "answer": parts}) + "\n")
        self.log.flush()
        whole, events = known(body, parts, next(NUMBERS))
        if not body.get("stream"):
            return self.answer(200, "application/json", json.dumps(whole).encode())
        stream = "".join(f"event: {it['type']}\ndata: {json.dumps(it)}\n\n" for it in events)
        return self.answer(200, "text/event-stream", stream.encode())

    def body(self):
        if (self.headers.get("transfer-encoding") or "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def answer(self, status, kind, data):
        self.send_response(status)
        for name, value in (("content-type", kind), ("content-length", str(len(data))), ("connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        try:
            self.wfile.write(data)
        except BrokenPipeError:
            pass  # The agent gave the request up.


def main():
    with open(sys.argv[1]) as file:
        Handler.script = json.load(file)
    Handler.log = open(sys.argv[2], "a")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
