//! Gemini CLI: chats whose records are rewritten, rewound and replaced, and a legacy document.

use super::Shelf;
use super::telling::{Generator, lines_of, weight};
use serde_json::{Value, json};

/// The largest legacy document, in bytes; real ones are short.
const DOCUMENT: usize = 60_000;

/// Writes chats up to a number of bytes, then one document as older versions wrote it.
pub(super) fn write(out: &mut Shelf<'_>, teller: &mut Generator, target: usize) {
    let begin = out.written.bytes;
    for slug in ["app", "api"] {
        let root = format!("/home/dev/{slug}");
        out.put(&format!(".gemini/tmp/{slug}/.project_root"), root.as_bytes());
    }
    while out.written.bytes - begin < target * 9 / 10 {
        teller.pause();
        let size = teller.chance.between(target / 12 + 2_000, target / 4 + 4_000);
        chat(out, teller, size);
    }
    document(out, teller, (target / 10).min(DOCUMENT));
}

fn chat(out: &mut Shelf<'_>, teller: &mut Generator, size: usize) {
    let slug = *teller.chance.pick(&["app", "api"]);
    let (session, stamp) = (teller.chance.uuid(), teller.stamp(16));
    let now = teller.time();
    let mut records = vec![json!({"sessionId": session, "projectHash": "5f1d", "startTime": now,
        "lastUpdated": now, "kind": "main"})];
    let mut number = 0;
    let mut bytes = 0;
    while bytes < size {
        let turn = turn(teller, &mut number);
        bytes += weight(&turn);
        records.extend(turn);
    }
    records.push(json!({"$set": {"summary": teller.words(6)}}));
    let path = format!(".gemini/tmp/{slug}/chats/session-{stamp}-{}.jsonl", &session[..8]);
    out.put(&path, &lines_of(&records));
}

/// A prompt, answers that are rewritten with more content, and sometimes a rewind.
fn turn(teller: &mut Generator, number: &mut usize) -> Vec<Value> {
    let prompt = user(teller, number);
    let mut records = vec![prompt.clone()];
    for _ in 0..teller.chance.between(1, 6) {
        let whole = answer(teller, number);
        let mut half = whole.clone();
        half["content"] = json!("Half an");
        half["toolCalls"] = json!([]);
        if teller.chance.one_in(2) {
            records.push(half);
        }
        records.push(json!({"$set": {"lastUpdated": teller.time()}}));
        records.push(whole);
    }
    if teller.chance.one_in(9) {
        records.push(json!({"$rewindTo": prompt["id"]}));
        records.push(user(teller, number));
    }
    if teller.chance.one_in(150) {
        let snapshot = "<state_snapshot>\nAll of it, folded.\n</state_snapshot>";
        let mut first = user(teller, number);
        first["content"] = json!([{"text": snapshot}]);
        let messages = json!([first, answer(teller, number)]);
        records.push(json!({"$set": {"messages": messages}}));
    }
    records
}

fn next_id(number: &mut usize) -> String {
    *number += 1;
    format!("m{number}")
}

fn user(teller: &mut Generator, number: &mut usize) -> Value {
    let content = json!([{"text": teller.words(30)}]);
    json!({"id": next_id(number), "timestamp": teller.time(), "type": "user", "content": content})
}

fn answer(teller: &mut Generator, number: &mut usize) -> Value {
    let output = teller.chance.between(1, 900);
    let tokens = json!({"input": 900, "output": output, "cached": 700, "thoughts": 12, "tool": 0,
        "total": 912 + output});
    let call = format!("call_{:016x}", teller.chance.bits());
    let response = json!({"id": call, "name": "shell", "response": {"output": teller.output()}});
    let calls = json!([{"id": call, "name": "shell", "args": {"command": teller.words(5)},
        "result": [{"functionResponse": response}], "status": "success",
        "timestamp": teller.time()}]);
    let thoughts =
        json!([{"subject": "Plan", "description": teller.words(9), "timestamp": teller.time()}]);
    json!({"id": next_id(number), "timestamp": teller.time(), "type": "gemini",
        "content": teller.words(40), "thoughts": thoughts, "tokens": tokens,
        "model": "gemini-2.5-pro", "toolCalls": calls})
}

fn document(out: &mut Shelf<'_>, teller: &mut Generator, size: usize) {
    let (session, now) = (teller.chance.uuid(), teller.time());
    let mut messages = Vec::new();
    let (mut number, mut bytes) = (0, 0);
    while bytes < size || messages.is_empty() {
        let pair = [user(teller, &mut number), answer(teller, &mut number)];
        bytes += weight(&pair);
        messages.extend(pair);
    }
    let whole = json!({"sessionId": session, "projectHash": "5f1d", "startTime": now,
        "lastUpdated": teller.time(), "messages": messages, "summary": teller.words(5),
        "kind": "main"});
    let path = format!(".gemini/tmp/app/chats/session-2025-10-01T10-00-{}.json", &session[..8]);
    out.put(&path, whole.to_string().as_bytes());
}
