//! Claude Code: sessions, their sub-agents' files, and forks that replay records.

use super::Shelf;
use super::telling::{Generator, lines_of};
use serde_json::{Value, json};

/// A transcript while it is written.
struct Transcript {
    session: String,
    agent: Option<String>,
    project: &'static str,
    branch: &'static str,
    parent: Option<String>,
    records: Vec<Value>,
    bytes: usize,
}

/// Writes sessions up to a number of bytes; every fifth is forked.
pub(super) fn write(out: &mut Shelf<'_>, teller: &mut Generator, target: usize) {
    let begin = out.written.bytes;
    let mut number = 0;
    while out.written.bytes - begin < target {
        teller.pause();
        let size = teller.chance.between(target / 20 + 2_000, target / 6 + 4_000);
        let transcript = session(out, teller, size);
        if number % 5 == 2 {
            let fork = fork(teller, &transcript, size / 3);
            put(out, &fork);
        }
        put(out, &transcript);
        number += 1;
    }
}

fn put(out: &mut Shelf<'_>, transcript: &Transcript) {
    let path = format!(".claude/projects/{}/{}.jsonl", folder(transcript), transcript.session);
    out.put(&path, &lines_of(&transcript.records));
}

/// The agent replaces everything but letters and digits by dashes.
fn folder(transcript: &Transcript) -> String {
    let dash = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    transcript.project.chars().map(dash).collect()
}

fn session(out: &mut Shelf<'_>, teller: &mut Generator, size: usize) -> Transcript {
    let project = teller.project();
    let mut transcript = Transcript::new(teller.chance.uuid(), None, project);
    if teller.chance.one_in(3) {
        let record = json!({"type": "summary", "summary": teller.words(6), "leafUuid": teller.chance.uuid()});
        transcript.push(record);
    }
    let mut workers = 0;
    while transcript.bytes < size {
        transcript.turn(teller);
        if teller.chance.one_in(40) && workers < 2 {
            workers += 1;
            delegate(out, teller, &mut transcript, size / 8);
        }
    }
    transcript
}

/// A call of the sub-agent tool, and the file the sub-agent writes.
fn delegate(out: &mut Shelf<'_>, teller: &mut Generator, transcript: &mut Transcript, size: usize) {
    let agent = teller.chance.uuid().replace('-', "")[..17].to_owned();
    let (call, prompt) = (tool_id(teller), teller.words(20));
    let input = json!({"description": "count", "prompt": prompt, "subagent_type": "general"});
    transcript
        .answer(teller, json!({"type": "tool_use", "id": call, "name": "Task", "input": input}));
    let mut worker =
        Transcript::new(transcript.session.clone(), Some(agent.clone()), transcript.project);
    worker.user(teller, json!(prompt));
    while worker.bytes < size {
        worker.step(teller);
    }
    worker.end(teller);
    let below = format!(".claude/projects/{}/{}/subagents", folder(transcript), transcript.session);
    let meta = json!({"agentType": "general", "description": "count", "toolUseId": call});
    out.put(&format!("{below}/agent-{agent}.meta.json"), meta.to_string().as_bytes());
    out.put(&format!("{below}/agent-{agent}.jsonl"), &lines_of(&worker.records));
    transcript.result(teller, &call, "Done.");
}

/// A new session that starts with a copy of another's first records, including uuids and times.
fn fork(teller: &mut Generator, origin: &Transcript, size: usize) -> Transcript {
    let mut fork = Transcript::new(teller.chance.uuid(), None, origin.project);
    let shared = teller.chance.between(2, origin.records.len());
    for record in origin.records.iter().take(shared) {
        let mut copy = record.clone();
        if copy.get("sessionId").is_some() {
            copy["sessionId"] = json!(fork.session);
            fork.parent = copy["uuid"].as_str().map(str::to_owned);
        }
        fork.push(copy);
    }
    let end = fork.bytes + size;
    while fork.bytes < end {
        fork.turn(teller);
    }
    fork
}

fn tool_id(teller: &mut Generator) -> String {
    format!("toolu_01{:016x}", teller.chance.bits())
}

impl Transcript {
    fn new(session: String, agent: Option<String>, project: &'static str) -> Self {
        let (branch, parent, records) = ("main", None, Vec::new());
        Self { session, agent, project, branch, parent, records, bytes: 0 }
    }

    fn push(&mut self, record: Value) {
        self.bytes += record.to_string().len() + 1;
        self.records.push(record);
    }

    /// Adds a record of the conversation.
    fn say(&mut self, teller: &mut Generator, kind: &str, more: &Value) {
        let uuid = teller.chance.uuid();
        let mut record = json!({
            "parentUuid": self.parent, "isSidechain": self.agent.is_some(), "cwd": self.project,
            "sessionId": self.session, "version": "2.1.239", "gitBranch": self.branch,
            "type": kind, "uuid": uuid, "timestamp": teller.time(),
        });
        if let Some(agent) = &self.agent {
            record["agentId"] = json!(agent);
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            record[name.as_str()] = value.clone();
        }
        self.parent = Some(uuid);
        self.push(record);
    }

    fn user(&mut self, teller: &mut Generator, content: Value) {
        self.say(teller, "user", &json!({"message": {"role": "user", "content": content}}));
    }

    fn answer(&mut self, teller: &mut Generator, block: Value) {
        let stop = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
        let id = format!("msg_{:016x}", teller.chance.bits());
        self.part(teller, &id, block, Some(stop));
    }

    fn part(&mut self, teller: &mut Generator, id: &str, block: Value, stop: Option<&str>) {
        let usage = json!({
            "input_tokens": teller.chance.between(1, 30),
            "cache_creation_input_tokens": teller.chance.below(4000),
            "cache_read_input_tokens": teller.chance.below(160_000),
            "output_tokens": teller.chance.between(5, 900),
        });
        let message = json!({
            "model": "claude-x-1", "id": id, "type": "message", "role": "assistant",
            "content": [block], "stop_reason": stop, "usage": usage,
        });
        self.say(
            teller,
            "assistant",
            &json!({"message": message, "requestId": format!("req_{id}")}),
        );
    }

    fn result(&mut self, teller: &mut Generator, call: &str, output: &str) {
        let failed = teller.chance.one_in(16);
        let block = json!({
            "tool_use_id": call, "type": "tool_result", "content": output, "is_error": failed,
        });
        self.user(teller, json!([block]));
    }

    /// Sometimes a thought, then a call and its result.
    fn step(&mut self, teller: &mut Generator) {
        let id = format!("msg_{:016x}", teller.chance.bits());
        if teller.chance.one_in(4) {
            let thought =
                json!({"type": "thinking", "thinking": teller.words(30), "signature": "c"});
            self.part(teller, &id, thought, None);
        }
        let call = tool_id(teller);
        let input = json!({"command": teller.words(5), "description": teller.words(4)});
        let block = json!({"type": "tool_use", "id": call, "name": "Bash", "input": input});
        self.part(teller, &id, block, Some("tool_use"));
        let output = teller.output();
        self.result(teller, &call, &output);
    }

    fn end(&mut self, teller: &mut Generator) {
        let text = teller.words(40);
        self.answer(teller, json!({"type": "text", "text": text}));
    }

    fn turn(&mut self, teller: &mut Generator) {
        let prompt = teller.words(30);
        self.user(teller, json!(prompt));
        for _ in 0..teller.chance.between(1, 8) {
            self.step(teller);
        }
        self.end(teller);
        let took = teller.chance.between(2_000, 400_000);
        self.say(teller, "system", &json!({"subtype": "turn_duration", "durationMs": took}));
    }
}
