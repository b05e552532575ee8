//! Codex: rollouts of both forms, sub-agents, and one compressed file.

use super::Shelf;
use super::telling::{Generator, lines_of};
use serde_json::{Value, json};

/// The form of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Without ordinals; events and items repeat each other.
    Legacy,
    /// With ordinals and complete items.
    Paginated,
}

/// A rollout while it is written.
struct Rollout {
    thread: String,
    stamp: String,
    form: Form,
    turn: usize,
    tokens: u64,
    records: Vec<Value>,
    bytes: usize,
}

/// Writes rollouts up to a number of bytes; the second is compressed.
pub(super) fn write(out: &mut Shelf<'_>, teller: &mut Generator, target: usize) {
    let begin = out.written.bytes;
    let mut number = 0;
    while out.written.bytes - begin < target || number < 4 {
        teller.pause();
        let form = if number % 2 == 1 { Form::Legacy } else { Form::Paginated };
        let size = teller.chance.between(target / 12 + 2_000, target / 4 + 4_000);
        let mut rollout = Rollout::new(teller, form, None);
        while rollout.bytes < size {
            rollout.turn(teller);
        }
        if number % 4 == 0 {
            worker(out, teller, &mut rollout, size / 6);
        }
        put(out, &rollout, number == 1);
        number += 1;
    }
}

fn put(out: &mut Shelf<'_>, rollout: &Rollout, packed: bool) {
    let date = rollout.stamp[..10].replace('-', "/");
    let path = format!(".codex/sessions/{date}/rollout-{}-{}.jsonl", rollout.stamp, rollout.thread);
    let lines = lines_of(&rollout.records);
    if packed {
        out.put(&format!("{path}.zst"), &zstd::encode_all(lines.as_slice(), 3).unwrap());
    } else {
        out.put(&path, &lines);
    }
}

/// A sub-agent with its own rollout, called by a tool.
fn worker(out: &mut Shelf<'_>, teller: &mut Generator, parent: &mut Rollout, size: usize) {
    let mut worker = Rollout::new(teller, Form::Paginated, Some(&parent.thread));
    while worker.bytes < size {
        worker.turn(teller);
    }
    let output = json!({"agent_id": worker.thread}).to_string();
    parent.call(teller, "spawn_agent", &json!({"message": "Do it."}), &output);
    put(out, &worker, false);
}

impl Rollout {
    fn new(teller: &mut Generator, form: Form, parent: Option<&str>) -> Self {
        let (thread, stamp) = (teller.chance.uuid(), teller.stamp(19));
        let (turn, tokens, records) = (0, 0, Vec::new());
        let mut rollout = Self { thread, stamp, form, turn, tokens, records, bytes: 0 };
        rollout.meta(teller, parent);
        rollout
    }

    fn meta(&mut self, teller: &mut Generator, parent: Option<&str>) {
        let mode = if self.form == Form::Paginated { "paginated" } else { "legacy" };
        let mut meta = json!({
            "id": self.thread, "session_id": parent.unwrap_or(&self.thread),
            "timestamp": teller.time(), "cwd": teller.project(), "originator": "codex-tui",
            "cli_version": "0.166.0", "source": "cli", "model_provider": "openai",
            "base_instructions": {"text": teller.words(200)}, "history_mode": mode,
            "git": {"branch": "main"},
        });
        if let Some(parent) = parent {
            let spawn = json!({"parent_thread_id": parent, "depth": 1});
            meta["source"] = json!({"subagent": {"thread_spawn": spawn}});
            meta["parent_thread_id"] = json!(parent);
        }
        self.say(teller, "session_meta", meta);
    }

    fn say(&mut self, teller: &mut Generator, kind: &str, payload: Value) {
        let mut record = json!({"timestamp": teller.time(), "type": kind, "payload": payload});
        if self.form == Form::Paginated {
            record["ordinal"] = json!(self.records.len());
        }
        self.bytes += record.to_string().len() + 1;
        self.records.push(record);
    }

    fn turn_id(&self) -> String {
        format!("turn-{}", self.turn)
    }

    /// A finished item, as in paginated rollouts.
    fn item(&mut self, teller: &mut Generator, item: Value) {
        let payload = json!({
            "type": "item_completed", "thread_id": self.thread, "turn_id": self.turn_id(),
            "item": item,
        });
        self.say(teller, "event_msg", payload);
    }

    fn message(&mut self, teller: &mut Generator, role: &str, text: &str) {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        let content = json!([{"type": kind, "text": text}]);
        let item = json!({"type": "message", "role": role, "content": content});
        self.say(teller, "response_item", item);
    }

    fn prompt(&mut self, teller: &mut Generator) {
        let text = teller.words(30);
        let id = teller.chance.uuid();
        self.message(teller, "user", &text);
        match self.form {
            Form::Legacy => {
                let payload = json!({"type": "user_message", "message": text, "images": []});
                self.say(teller, "event_msg", payload);
            }
            Form::Paginated => {
                let content = json!([{"type": "text", "text": text}]);
                self.item(teller, json!({"type": "UserMessage", "id": id, "content": content}));
            }
        }
    }

    fn call(&mut self, teller: &mut Generator, tool: &str, arguments: &Value, output: &str) {
        let call = format!("call_{:016x}", teller.chance.bits());
        let arguments = arguments.to_string();
        let asked =
            json!({"type": "function_call", "name": tool, "arguments": arguments, "call_id": call});
        self.say(teller, "response_item", asked);
        let answered = json!({"type": "function_call_output", "call_id": call, "output": output});
        self.say(teller, "response_item", answered);
    }

    fn cost(&mut self, teller: &mut Generator) {
        let spent = u64::try_from(teller.chance.between(200, 9_000)).unwrap();
        self.tokens += spent;
        let usage = |n: u64| {
            json!({"input_tokens": n, "cached_input_tokens": n * 3 / 4, "output_tokens": n / 20,
                   "reasoning_output_tokens": n / 40, "total_tokens": n + n / 20})
        };
        let info =
            json!({"total_token_usage": usage(self.tokens), "last_token_usage": usage(spent)});
        let payload = json!({"type": "token_count", "info": info, "rate_limits": null});
        self.say(teller, "event_msg", payload);
    }

    fn answer(&mut self, teller: &mut Generator) {
        let text = teller.words(40);
        let id = teller.chance.uuid();
        match self.form {
            Form::Legacy => {
                self.say(teller, "event_msg", json!({"type": "agent_message", "message": text}));
            }
            Form::Paginated => {
                let content = json!([{"type": "Text", "text": text}]);
                let item = json!({"type": "AgentMessage", "id": id, "content": content,
                                  "phase": "final_answer"});
                self.item(teller, item);
            }
        }
        self.message(teller, "assistant", &text);
    }

    fn turn(&mut self, teller: &mut Generator) {
        self.turn += 1;
        let id = self.turn_id();
        if self.form == Form::Paginated {
            self.say(teller, "event_msg", json!({"type": "task_started", "turn_id": id}));
        }
        let context = json!({"turn_id": id, "cwd": "/home/dev/app", "model": "gpt-5.5"});
        self.say(teller, "turn_context", context);
        self.prompt(teller);
        for _ in 0..teller.chance.between(1, 8) {
            let arguments = json!({"cmd": teller.words(5)});
            let output = teller.output();
            self.call(teller, "exec_command", &arguments, &output);
            self.cost(teller);
        }
        self.answer(teller);
        if self.form == Form::Paginated {
            self.say(teller, "event_msg", json!({"type": "task_complete", "turn_id": id}));
        }
    }
}
