//! What a page reads of transcripts: images, whole outputs, refused calls, the time of questions, and
//! the files that sessions edited.

use super::{FIRST, Machine, id};
use serde_json::{Value, json};
use taffrail_testkit::claude::Line;

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
/// `<html><script>alert(1)</script>`
const PAGE: &str = "PGh0bWw+PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==";
/// `<svg onload="alert(1)">`
const DRAWING: &str = "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIj4=";
/// What the agent writes into the result of a call that its user refused.
const REFUSAL: &str =
    "The user doesn't want to proceed with this tool use. The tool use was rejected.";

/// Lines of the first session, a second each, from the tenth minute on.
struct Script<'m> {
    machine: &'m Machine,
    second: u32,
}

impl Script<'_> {
    fn new(machine: &Machine) -> Script<'_> {
        Script { machine, second: 600 }
    }

    fn line(&mut self, after: u32, write: impl Fn(Line<'_>) -> String) {
        self.second += after;
        let uuid = format!("00000000-0000-4000-8000-{:012}", self.second);
        let line = Line { session: FIRST, uuid: &uuid, parent: None, second: self.second };
        self.machine.append(FIRST, &write(line));
    }

    fn call(&mut self, call: &str, tool: &str, input: &Value) {
        self.line(1, |line| line.call(call, tool, input));
    }

    fn result(&mut self, after: u32, call: &str, (output, is_error): (&Value, bool)) {
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": output,
            "is_error": is_error});
        let message = json!({"role": "user", "content": [block]});
        self.line(after, |line| line.with(&json!({"type": "user", "message": message})));
    }
}

fn image(media_type: &str, data: &str) -> Value {
    let source = json!({"type": "base64", "media_type": media_type, "data": data});
    json!({"type": "image", "source": source})
}

/// The events of the first session of a kind.
fn events(machine: &Machine, kind: &str) -> Vec<Value> {
    let window = machine.get(&format!("/api/sessions/{}/window", id(FIRST))).json();
    let all = window["events"].as_array().unwrap().iter();
    all.filter(|it| it["kind"] == kind).cloned().collect()
}

fn event_path(event: &Value) -> String {
    format!("/api/sessions/{}/events/{}", id(FIRST), event["id"].as_str().unwrap())
}

#[test]
fn an_image_is_served_by_its_bytes_and_a_page_that_calls_itself_one_is_refused() {
    let machine = Machine::new();
    let mut script = Script::new(&machine);
    let content = json!([
        {"type": "text", "text": "What is this?"},
        image("image/png", PNG), image("image/png", PAGE), image("image/png", DRAWING),
        image("image/svg+xml", "PHN2Zz4="), image("text/html", "PGI+"), image("image/gif", "!"),
    ]);
    let prompt = json!({"type": "user", "message": {"role": "user", "content": content}});
    script.line(1, |line| line.with(&prompt));
    script.call("c1", "Read", &json!({"file_path": "/w/app/a.png"}));
    script.result(1, "c1", (&json!([image("image/jpeg", PNG)]), false));
    machine.read_all();
    let prompt = events(&machine, "user.prompt").pop().unwrap();
    let types = ["image/png", "image/png", "image/png", "image/svg+xml", "image/gif"];
    assert_eq!(prompt["images"], json!(types));
    let path = event_path(&prompt);
    let get = |number: usize| machine.get(&format!("{path}/images/{number}"));
    let answer = get(0);
    assert_eq!(answer.status, 200, "{answer:?}");
    for header in [
        "content-type: image/png",
        "x-content-type-options: nosniff",
        "content-security-policy: default-src 'none'; sandbox",
        "cache-control: no-store",
    ] {
        assert!(answer.head.contains(header), "{header}: {answer:?}");
    }
    for (number, status) in [(1, 415), (2, 415), (3, 415), (4, 404), (5, 404), (99, 404)] {
        let answer = get(number);
        assert_eq!(answer.status, status, "{number}: {answer:?}");
        assert!(answer.head.contains("content-type: application/json"), "{answer:?}");
    }
    // The bytes decide, whatever the record claims.
    let result = events(&machine, "tool.result").pop().unwrap();
    assert_eq!(result["images"], json!(["image/jpeg"]));
    let answer = machine.get(&format!("{}/images/0", event_path(&result)));
    assert!(answer.head.contains("content-type: image/png"), "{answer:?}");
    let stranger = machine.plain("GET", &format!("{path}/images/0"), "", "");
    assert_eq!(stranger.status, 401);
}

#[test]
fn a_long_output_says_how_long_it_is_and_can_be_read_whole() {
    let machine = Machine::new();
    let mut script = Script::new(&machine);
    let text = "a line of a file\n".repeat(4_000);
    script.call("c1", "Read", &json!({"file_path": "/w/app/long.txt"}));
    script.result(1, "c1", (&json!(text), false));
    machine.read_all();
    let result = events(&machine, "tool.result").pop().unwrap();
    assert_eq!((&result["length"], &result["lines"]), (&json!(text.len()), &json!(4_000)));
    let path = event_path(&result);
    let event = machine.get(&path).json();
    assert_eq!(event["data"]["full_bytes"], text.len());
    assert!(event["text"].as_str().unwrap().len() < text.len());
    let whole = machine.get(&format!("{path}?full=true")).json();
    assert_eq!(whole["text"], text);
    assert!(whole["data"].get("truncated").is_none(), "{whole}");
}

#[test]
fn what_its_user_refused_in_the_agents_own_dialog_is_listed_and_is_no_failure() {
    let machine = Machine::new();
    let mut script = Script::new(&machine);
    script.call("c1", "Bash", &json!({"command": "rm -rf build"}));
    script.result(5, "c1", (&json!(REFUSAL), true));
    script.call("c2", "Bash", &json!({"command": "make"}));
    script.result(5, "c2", (&json!("Exit code 2\nno rule"), true));
    machine.read_all();
    let told = machine.get("/api/denials").json();
    let rows = told["denials"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{told}");
    let row = &rows[0];
    assert_eq!(
        (&row["command"], &row["tool"], &row["by"], &row["agent"]),
        (&json!("rm -rf build"), &json!("Bash"), &json!("dialog"), &json!("claude-code"))
    );
    let calls = events(&machine, "tool.call");
    assert_eq!(row["event_id"], calls[0]["id"]);
    let results = events(&machine, "tool.result");
    assert_eq!(
        (&results[0]["denied"], &results[0]["failed"], &results[1]["failed"]),
        (&json!(true), &json!(false), &json!(true))
    );
    assert!(results[1].get("denied").is_none());
    let tools = machine.get("/api/tools").json();
    let bash = &tools["tools"][0];
    assert_eq!((&bash["failed"], &bash["denied"]), (&json!(1), &json!(1)));
    let trace = machine.get(&format!("/api/sessions/{}/trace", id(FIRST))).json();
    let spans = trace["spans"].as_array().unwrap().iter().filter(|it| it["kind"] == "tool");
    let ends: Vec<_> = spans.map(|it| (it["failed"] == true, it["denied"] == true)).collect();
    assert_eq!(ends, [(false, true), (true, false)]);
    let found = machine.get("/api/search?q=kind:denied").json();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(machine.get("/api/denials?since=1m").json()["denials"], json!([]));
    assert_eq!(machine.get("/api/denials?since=whenever").status, 400);
}

#[test]
fn the_wait_for_an_answer_to_a_question_is_time_of_a_person() {
    let machine = Machine::new();
    let mut script = Script::new(&machine);
    script.line(1, |line| line.prompt("Which one?"));
    let questions = json!({"questions": [{"question": "Red or blue?", "options": []}]});
    script.call("c1", "AskUserQuestion", &questions);
    script.result(60, "c1", (&json!("Red"), false));
    script.call("c2", "ExitPlanMode", &json!({"plan": "Paint it."}));
    script.result(30, "c2", (&json!("Approved."), false));
    script.line(1, |line| line.answer("Done."));
    machine.read_all();
    let lane = machine.get(&format!("/api/activity?id={}", id(FIRST))).json()["lanes"][0].clone();
    let spans = lane["spans"].as_array().unwrap().iter();
    let sum = |kind: &str, all: Vec<Value>| {
        let own = all.into_iter().filter(|it| it["doing"] == kind || it["kind"] == kind);
        own.map(|it| it["to"].as_i64().unwrap() - it["from"].as_i64().unwrap()).sum::<i64>()
    };
    let all: Vec<_> = spans.cloned().collect();
    assert_eq!((sum("human", all.clone()), sum("tool", all)), (90_000, 0));
    let trace = machine.get(&format!("/api/sessions/{}/trace", id(FIRST))).json();
    let all = trace["spans"].as_array().unwrap().clone();
    assert_eq!((sum("human", all.clone()), sum("tool", all)), (90_000, 0), "{trace}");
}

#[test]
fn a_file_counts_edits_that_succeeded_and_names_sessions_and_prompts() {
    let machine = Machine::new();
    let mut script = Script::new(&machine);
    let edit = json!({"file_path": "/w/app/src/a.rs", "old_string": "a", "new_string": "b"});
    script.line(1, |line| line.prompt("Rename it."));
    script.call("c1", "Edit", &edit);
    script.result(1, "c1", (&json!("ok"), false));
    script.line(1, |line| line.prompt("Break it."));
    script.call("c2", "Edit", &edit);
    script.result(1, "c2", (&json!("String to replace not found"), true));
    script.call("c3", "Edit", &edit);
    script.result(1, "c3", (&json!(REFUSAL), true));
    script.call("c4", "Write", &json!({"file_path": "/w/app/never.rs", "content": "x"}));
    machine.read_all();
    for sort in ["edits", "last", "cost"] {
        let path = format!("/api/projects/files?project=/w/app&sort={sort}");
        let files = machine.get(&path).json();
        assert_eq!(files["total"], 1, "{files}");
        let file = &files["files"][0];
        assert_eq!((&file["path"], &file["edits"]), (&json!("src/a.rs"), &json!(1)));
        let change = &file["changes"][0];
        assert_eq!(
            (&change["prompt"], &change["agent"], &change["edits"]),
            (&json!("Rename it."), &json!("claude-code"), &json!(1))
        );
        assert_eq!(change["event_id"], events(&machine, "tool.call")[0]["id"]);
        assert_eq!(change["session_id"], id(FIRST).to_string());
    }
    assert_eq!(machine.get("/api/projects/files?project=/w/app&sort=size").status, 400);
}
