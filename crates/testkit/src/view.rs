//! The canonical view through the command line: everything that must be equal for equal bytes.

use crate::Home;
use serde_json::{Value, json};

/// The fields of a session in the view.
const SESSION: [&str; 15] = [
    "id",
    "agent",
    "runtime_session_id",
    "parent_id",
    "usage",
    "prompts",
    "tool_calls",
    "turns",
    "title",
    "project_path",
    "git_branch",
    "model",
    "lineage",
    "started_at",
    "last_event_at",
];
/// The fields of an event in the view.
const EVENT: [&str; 6] = ["id", "kind", "createdAt", "turnId", "parentId", "text"];

/// Every session by id, each followed by its events in order, one line each.
#[must_use]
pub fn canonical_view(home: &Home) -> Vec<String> {
    let mut sessions = home.sessions();
    sessions.sort_by_key(|it| it["id"].to_string());
    let mut out = Vec::new();
    for session in &sessions {
        out.push(chosen(session, &SESSION).to_string());
        let id = session["id"].as_str().expect("an id is text");
        out.extend(home.events(id).iter().map(|event| of_event(event).to_string()));
    }
    out
}

fn of_event(event: &Value) -> Value {
    let mut view = chosen(event, &EVENT);
    view["source_cursor"] = event["provenance"]["source_cursor"].clone();
    view
}

fn chosen(from: &Value, names: &[&str]) -> Value {
    let mut out = json!({});
    for name in names {
        out[*name] = from[*name].clone();
    }
    out
}

/// Compares two views and shows the first lines that differ.
pub fn check_same(what: &str, got: &[String], wanted: &[String]) {
    if got == wanted {
        return;
    }
    let at = got.iter().zip(wanted).take_while(|(got, wanted)| got == wanted).count();
    let show = |view: &[String]| view.get(at).map_or("(nothing)".to_owned(), Clone::clone);
    panic!(
        "{what}: another view ({} lines for {}) from line {at}:\n got {}\nwant {}",
        got.len(),
        wanted.len(),
        show(got),
        show(wanted)
    );
}
