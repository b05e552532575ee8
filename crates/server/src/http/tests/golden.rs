//! Requests and complete replies, stored in `tests/api`, each checked against its schema.
//! `UPDATE_GOLDEN=1` rewrites them; read the diff before you keep it.

use super::openapi::{described, faults};
use super::{FIRST, Machine, SECOND, id};
use serde_json::Value;
use std::path::Path;
use taffrail_model::findings::{Finding, FindingKind};
use taffrail_model::status::Status;
use taffrail_model::{Confidence, EventId};

/// Every read-only route with parameters, and the file of its reply.
const ASKED: [(&str, &str, &str); 49] = [
    ("sessions", "/api/sessions", "/api/sessions"),
    (
        "sessions-limit",
        "/api/sessions",
        "/api/sessions?all=true&limit=1&agent=claude&since=1h&project=/w",
    ),
    ("sessions-waiting", "/api/sessions", "/api/sessions?waiting=true"),
    ("session", "/api/sessions/{id}", "/api/sessions/@last"),
    ("resolve", "/api/resolve", "/api/resolve?id=.&here=/w/app/src"),
    ("waiting", "/api/sessions/{id}", "/api/sessions/@waiting"),
    ("summary", "/api/sessions/{id}/summary", "/api/sessions/@waiting/summary"),
    ("explain", "/api/sessions/{id}/explain", "/api/sessions/@waiting/explain"),
    (
        "stream",
        "/api/sessions/{id}/stream",
        "/api/sessions/22222222-2222-4222-8222-222222222222/stream?limit=2",
    ),
    (
        "changes",
        "/api/sessions/{id}/capture/events",
        "/api/sessions/@last/capture/events?after=1&limit=1",
    ),
    (
        "timeline",
        "/api/sessions/{id}/timeline",
        "/sessions/22222222-2222-4222-8222-222222222222/timeline",
    ),
    (
        "session-usage",
        "/api/sessions/{id}/usage",
        "/api/sessions/22222222-2222-4222-8222-222222222222/usage",
    ),
    (
        "transcript",
        "/api/sessions/{id}/transcript",
        "/sessions/22222222-2222-4222-8222-222222222222/transcript",
    ),
    ("binding", "/sessions/{id}/binding", "/sessions/@last/binding"),
    ("peers", "/peers", "/peers"),
    ("peer-timeline", "/peers/{name}/timeline", "/peers/tmux:%254/timeline"),
    (
        "peer-transcript",
        "/api/peers/{name}/transcript",
        "/api/peers/tmux:%254/transcript?session_id=22222222-2222-4222-8222-222222222222&limit=1",
    ),
    ("snapshot", "/api/sessions/{id}/snapshot", "/api/sessions/@waiting/snapshot"),
    ("state", "/api/sessions/{id}/state", "/api/sessions/@last/state"),
    ("schema", "/schemas/{name}", "/schemas/ecc.session.v1.json?strict=true"),
    (
        "messages",
        "/api/session/messages",
        "/api/session/messages?id=22222222-2222-4222-8222-222222222222",
    ),
    ("feed", "/api/feed", "/api/feed?limit=1"),
    ("findings", "/api/findings", "/api/findings"),
    ("findings-one", "/api/findings", "/api/findings?id=@last&all=true"),
    ("status", "/api/stream/status", "/api/stream/status"),
    ("search", "/api/search", "/api/search?q=Prompt%20number%200004&limit=1"),
    ("stats", "/api/stats", "/api/stats"),
    ("usage", "/api/usage", "/api/usage?by=agent"),
    ("budgets", "/api/budgets", "/api/budgets"),
    ("quota", "/api/quota", "/api/quota"),
    ("archive", "/api/archive", "/api/archive?entries=false"),
    ("health", "/api/health", "/api/health"),
    ("doctor", "/api/doctor", "/api/doctor"),
    ("activity", "/api/activity", "/api/activity?since=1h&ahead=60"),
    ("activity-one", "/api/activity", "/api/activity?id=@last"),
    (
        "window",
        "/api/sessions/{id}/window",
        "/api/sessions/22222222-2222-4222-8222-222222222222/window?turn=1&limit=4",
    ),
    (
        "window-end",
        "/api/sessions/{id}/window",
        "/api/sessions/22222222-2222-4222-8222-222222222222/window?limit=2",
    ),
    (
        "find",
        "/api/sessions/{id}/find",
        "/api/sessions/22222222-2222-4222-8222-222222222222/find?q=prompt%20number&limit=2",
    ),
    (
        "trace",
        "/api/sessions/{id}/trace",
        "/api/sessions/22222222-2222-4222-8222-222222222222/trace?turn=1",
    ),
    ("tools", "/api/tools", "/api/tools?project=/w/app"),
    ("rules", "/api/rules", "/api/rules?project=/w/app"),
    ("hooks", "/api/hooks", "/api/hooks"),
    (
        "sessions-sorted",
        "/api/sessions",
        "/api/sessions?sort=failures&order=asc&limit=1&facets=true",
    ),
    ("marks", "/api/sessions/{id}/marks", "/api/sessions/@last/marks"),
    ("stats-compared", "/api/stats", "/api/stats?since=1h&until=2026-10-01T10:30:00Z&compare=true"),
    ("projects", "/api/projects", "/api/projects"),
    ("project-files", "/api/projects/files", "/api/projects/files?project=/w/app"),
    ("denials", "/api/denials", "/api/denials?since=30d"),
    ("wait", "/api/wait", "/api/wait?for=waiting_approval&timeout=1"),
];

fn machine() -> Machine {
    let machine = Machine::new();
    machine.stands(FIRST, Status::WaitingApproval);
    machine.stands(SECOND, Status::Running);
    machine.runs_at(SECOND, Status::Running, "tmux:%4");
    machine.handle.live().replace_findings(vec![finding(FIRST)]);
    machine
}

/// A finding of a session that repeats itself.
pub(super) fn finding(session: &str) -> Finding {
    Finding {
        kind: FindingKind::Loop,
        session_id: id(session),
        since: "2026-10-01T10:00:00Z".parse().unwrap(),
        confidence: Confidence::High,
        evidence: vec![EventId::from_bytes([7; 16])],
        says: "`make` failed the same way 4 times.".to_owned(),
        proposes: Some("Try another way.".to_owned()),
    }
}

/// Removes what differs from run to run.
fn steadied(machine: &Machine, body: &str) -> Value {
    let generation = machine.cursor(FIRST).generation;
    let folder = machine.path("").display().to_string();
    let text = body.replace(&generation, "GENERATION").replace(&folder, "/");
    let mut value: Value = serde_json::from_str(&text).unwrap();
    steady(&mut value);
    value
}

fn steady(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // Whether the kernel confines threads.
            if fields.get("id").is_some_and(|it| it == "confinement") {
                fields.retain(|name, _| name == "id");
            }
            for (name, field) in fields {
                let differs = matches!(
                    name.as_str(),
                    "pid" | "modified_at" | "disk_bytes" | "cap_bytes" | "score" | "evidence_text"
                );
                match differs && field.as_u64() != Some(417) && !field.is_null() {
                    true => *field = "ANY".into(),
                    false => steady(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(steady),
        _ => {}
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "only a person asks for new expectations")]
fn every_reply_is_as_it_was_and_as_its_schema_says() {
    let machine = machine();
    let document = described();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    for (name, route, path) in ASKED {
        let answer = machine.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let route = route.replace('/', "~1");
        let pointer = format!("/paths/{route}/get/responses/200/content/application~1json/schema");
        let schema = document.pointer(&pointer).unwrap_or_else(|| panic!("{pointer}"));
        assert_eq!(faults(&document, schema, &answer.json(), name), [""; 0]);
        let got = serde_json::to_string_pretty(&steadied(&machine, &answer.body)).unwrap() + "\n";
        let file = folder.join(format!("{name}.json"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &got).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(got, expected, "{path}");
    }
}

#[test]
fn every_question_that_is_not_understood_is_told_so() {
    let machine = machine();
    let document = described();
    let envelope = document.pointer("/components/schemas/Envelope").unwrap();
    let check = |path: &str, status: u16, kind: &str| {
        let answer = machine.get(path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        let body = answer.json();
        assert_eq!(faults(&document, envelope, &body, path), [""; 0]);
        assert_eq!(body["error"]["kind"], kind, "{path}");
    };
    check("/api/sessions?color=red", 400, "usage");
    check("/api/sessions?limit=many", 400, "usage");
    check("/api/sessions?all=perhaps", 400, "usage");
    check("/api/sessions?since=soon", 400, "usage");
    check("/api/sessions?agent=nobody", 400, "usage");
    check("/api/sessions?sort=nonsense", 400, "usage");
    check("/api/sessions?order=up", 400, "usage");
    check("/api/sessions?after=last.asc~1~x", 400, "usage");
    check("/api/sessions.csv?sort=nonsense", 400, "usage");
    check("/api/stats?compare=true", 400, "usage");
    check("/api/stats?sort=last", 400, "usage");
    check("/api/projects/files?sort=size", 400, "usage");
    check("/api/sessions/zzzz/marks", 404, "not_found");
    check("/api/sessions?waiting=true&agent=nobody", 400, "usage");
    check("/api/search?q=kind:nothing", 400, "usage");
    check("/api/search?words=x", 400, "usage");
    check("/api/resolve?id=.", 400, "usage");
    check("/api/sessions/%ff", 400, "usage");
    check("/api/findings?kind=loop", 400, "usage");
    check("/api/findings?id=zzzz", 404, "not_found");
    check("/api/sessions/zzzz", 404, "not_found");
    check("/api/sessions/ffffffff", 404, "not_found");
    check("/api/session/messages?id=zzzz", 404, "not_found");
    check("/sessions/@last/transcript?runtime_session_id=other", 404, "not_found");
    check("/api/sessions/@last/nothing", 404, "not_found");
    check("/api/nothing", 404, "not_found");
    check("/sessions/zzzz/binding", 404, "not_found");
    check("/peers/tmux:%259/timeline", 404, "not_found");
    check("/peers/tmux:%254/transcript?session_id=other", 404, "not_found");
    check("/api/peers/tmux:%254/timeline?color=red", 400, "usage");
    check("/api/sessions/zzzz/snapshot", 404, "not_found");
    check("/api/sessions/zzzz/state", 404, "not_found");
    check("/schemas/ecc.json", 404, "not_found");
    check("/schemas/ecc.session.v1", 404, "not_found");
    check("/schemas/ecc.session.v1.json?loose=true", 400, "usage");
    check("/api/activity?since=soon", 400, "usage");
    check("/api/activity?id=zzzz", 404, "not_found");
    check("/api/rules?color=red", 400, "usage");
    check("/api/blame?path=gone.rs&here=/w/app", 404, "not_found");
    check("/api/blame?path=gone.rs&line=many", 400, "usage");
    check("/api/commits?here=/w/app", 404, "not_found");
    check("/api/sessions/@last/window?turn=99999", 404, "not_found");
    check("/api/sessions/@last/window?event=77", 404, "not_found");
    check("/api/sessions/@last/window?time=soon", 400, "usage");
    check("/api/sessions/@last/window?turn=1&before=2", 400, "usage");
    check("/api/sessions/@last/events/77", 404, "not_found");
    check("/api/sessions/@last/find?q=", 400, "usage");
    check("/api/sessions/@last/trace?turn=99999", 404, "not_found");
    check("/api/tools?color=red", 400, "usage");
    check("/api/forget", 405, "usage");
    check("/ws", 400, "usage");
}

#[test]
fn sessions_are_chosen_by_what_they_are_at() {
    let machine = machine();
    let check = |query: &str, expected: &[&str]| {
        let answer = machine.get(&format!("/api/sessions?{query}"));
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
        let sessions = answer.json();
        let got: Vec<_> =
            sessions["sessions"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
        let expected: Vec<_> = expected.iter().map(|it| Value::from(id(it).to_string())).collect();
        assert_eq!(got, expected, "{query}");
    };
    check("", &[FIRST, SECOND]);
    check("waiting=true", &[FIRST]);
    check("waiting=true&agent=claude&project=/w/app&since=1h", &[FIRST]);
    check("waiting=true&project=/w/ap", &[]);
    check("waiting=true&since=1s", &[]);
    check("waiting=true&limit=0", &[]);
    check("failing=true", &[]);
    check("doing=test", &[]);
    machine.calls(SECOND, "cargo test --workspace");
    check("doing=TEST", &[SECOND]);
    check("doing=test&waiting=true", &[]);
    check("doing=deploy", &[]);
    machine.fails(SECOND);
    check("failing=true", &[SECOND]);
    check("failing=true&limit=1", &[SECOND]);
}

impl Machine {
    fn adds(&self, session: &str, line: &str) {
        use std::io::Write;
        let path = self.path("home").join(taffrail_testkit::claude::path(session));
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
        self.read_all();
    }

    fn calls(&self, session: &str, command: &str) {
        let line =
            taffrail_testkit::claude::Line { session, uuid: "u1", parent: None, second: 900 };
        let input = serde_json::json!({"command": command});
        self.adds(session, &line.call("toolu_1", "Bash", &input));
    }

    fn fails(&self, session: &str) {
        let line =
            taffrail_testkit::claude::Line { session, uuid: "u2", parent: Some("u1"), second: 901 };
        let block = serde_json::json!({"type": "tool_result", "tool_use_id": "toolu_1",
            "content": "exit 1", "is_error": true});
        let message = serde_json::json!({"role": "user", "content": [block]});
        self.adds(session, &line.with(&serde_json::json!({"type": "user", "message": message})));
    }
}

#[test]
fn counts_are_given_in_the_form_of_prometheus() {
    let machine = machine();
    let answer = machine.get("/metrics");
    assert!(answer.head.contains("text/plain; version=0.0.4"), "{answer:?}");
    for line in [
        "taffrail_sources 2",
        "taffrail_sessions 2",
        "taffrail_live_sessions{status=\"running\"} 1",
        "taffrail_live_sessions{status=\"waiting_approval\"} 1",
        "taffrail_streams 0",
        "taffrail_told_total 2",
        "taffrail_refused_total 0",
        "taffrail_summary_runs_total 0",
        "taffrail_summary_failures_total 0",
    ] {
        assert!(answer.body.lines().any(|it| it == line), "{line}\n{}", answer.body);
    }
    let comments = answer.body.lines().filter(|it| it.starts_with("# TYPE")).count();
    assert_eq!(comments, 13);
}
