//! The facts derived from a session's calls, whichever agent's tool was called.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use taffrail_contracts::captured::{AgentSession, Captured, Carried, Disk, Here, Remarks};
use taffrail_contracts::derived::{calls, changes, choices, plan, seeds, trouble};
use taffrail_model::status::Status;
use taffrail_model::{
    AgentId, Confidence, Cursor, DeviceId, Event, EventId, Kind, Lifecycle, Origin, Provenance,
    RecordKey, RuntimeIdentity, Timestamp, Tokens,
};

/// A call: the tool, its input, the result, and whether it failed.
pub(crate) type Made<'a> = (&'a str, Value, &'a str, bool);

pub(crate) fn event(number: u64, kind: Kind, text: &str, data: &Value) -> Event {
    let who = RuntimeIdentity::new(AgentId::new("agent"), "", "s");
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(number).unwrap()).unwrap();
    let provenance = Provenance {
        source_kind: "runtime_transcript".to_owned(),
        backend: AgentId::new("agent"),
        runtime_session_id: who.id.clone(),
        runtime_source_uri: "x:y".to_owned(),
        source_cursor: Cursor::Bytes { byte_offset: 0, length: 0 },
        source_event_id: None,
        observed_by_peer_id: DeviceId::new("d"),
        observed_at: at,
    };
    Event {
        id: EventId::of(who.session(), &RecordKey::Ordinal(number), 0),
        session_id: who.session(),
        provider: AgentId::new("agent"),
        provider_session_id: who.id,
        source: Origin::Transcript,
        kind,
        created_at: at,
        observed_at: at,
        sequence: number,
        generation: "g".to_owned(),
        revision: 1,
        turn_id: None,
        parent_id: None,
        answer: None,
        text: Some(text.to_owned()),
        data: data.as_object().cloned().unwrap_or_else(Map::new),
        confidence: Confidence::High,
        provenance,
    }
}

pub(crate) fn session(prompt: &str, made: &[Made<'_>]) -> AgentSession {
    let mut events = vec![event(0, Kind::UserPrompt, prompt, &json!({}))];
    for (number, (tool, input, said, failed)) in (1_u64..).zip(made) {
        let id = format!("call_{number}");
        let asked = json!({ "call_id": id, "tool": tool, "input": input });
        events.push(event(number * 2, Kind::ToolCall, "", &asked));
        let answer = json!({ "call_id": id, "failed": failed });
        events.push(event(number * 2 + 1, Kind::ToolResult, said, &answer));
    }
    AgentSession {
        id: events[0].session_id,
        agent: AgentId::new("agent"),
        runtime_id: events[0].provider_session_id.clone(),
        parent: None,
        title: None,
        listed_as: None,
        project_path: Some("/w".to_owned()),
        git_branch: None,
        model: None,
        started_at: None,
        last_event_at: None,
        status: Status::Exited,
        waiting_for: None,
        lifecycle: Lifecycle::Resumable,
        process: None,
        executor: None,
        tokens: Tokens::default(),
        context: None,
        command: None,
        source_uri: "x:y".to_owned(),
        turns: Vec::new(),
        events,
    }
}

pub(crate) fn captured(main: AgentSession) -> Captured {
    let here = Here {
        now: Timestamp::UNIX_EPOCH,
        device: "north".to_owned(),
        repo_root: None,
        git_commit: None,
        former_project: None,
        version: "0".to_owned(),
    };
    let (remarks, carried, disk) = (Remarks::default(), Carried::default(), Disk::default());
    Captured { main, workers: Vec::new(), target: None, here, remarks, carried, disk }
}

pub(crate) fn sha(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The expected file changes: path, action, lines added and removed, the known content.
type Expected<'a> = (&'a str, &'a str, Option<(u64, u64)>, Option<&'a str>);

fn check_files(made: &[Made<'_>], expected: &[Expected<'_>], outside: usize) {
    let got = changes(&captured(session("", made)));
    let told: Vec<_> = got
        .files
        .iter()
        .map(|it| {
            (
                it.path.clone(),
                it.action.as_str().to_owned(),
                it.added.zip(it.removed),
                it.after.clone(),
            )
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(path, action, lines, content)| {
            ((*path).to_owned(), (*action).to_owned(), *lines, content.map(sha))
        })
        .collect();
    assert_eq!(told, expected, "{made:?}");
    assert_eq!(got.outside, outside, "{made:?}");
}

#[test]
fn files_are_followed_through_their_changes() {
    let write = |path: &str, content: &str| json!({ "file_path": path, "content": content });
    let edit =
        |old: &str, new: &str| json!({ "file_path": "/w/a", "old_string": old, "new_string": new });
    let created = "File created successfully";
    check_files(
        &[("Write", write("/w/a", "1\n2\n"), created, false)],
        &[("a", "created", Some((2, 0)), Some("1\n2\n"))],
        0,
    );
    // Nothing shows that the file is new, and its previous content is unknown.
    check_files(
        &[("write_file", json!({ "path": "b/../a", "content": "1\n" }), "Overwrote", false)],
        &[("a", "modified", None, Some("1\n"))],
        0,
    );
    // A fragment does not show the lines it is part of.
    check_files(&[("Edit", edit("1\n", "1\n2\n"), "", false)], &[("a", "modified", None, None)], 0);
    check_files(
        &[("Write", write("/w/a", "1\n1\n"), created, false), ("Edit", edit("1", "2"), "", false)],
        &[("a", "created", Some((2, 0)), Some("2\n1\n"))],
        0,
    );
    let everywhere = json!({ "path": "/w/a", "old_str": "1", "new_str": "2", "replace_all": true });
    check_files(
        &[
            ("Write", write("/w/a", "1\n1\n"), created, false),
            ("str_replace", everywhere.clone(), "", false),
        ],
        &[("a", "created", Some((2, 0)), Some("2\n2\n"))],
        0,
    );
    check_files(&[("str_replace", everywhere, "", false)], &[("a", "modified", None, None)], 0);
    let several =
        json!({ "file_path": "/w/a", "edits": [{ "old_string": "1", "new_string": "2" }] });
    check_files(&[("MultiEdit", several, "", false)], &[("a", "modified", None, None)], 0);
    let notebook = json!({ "notebook_path": "/w/n.ipynb", "new_source": "x" });
    check_files(
        &[("NotebookEdit", notebook, "", false)],
        &[("n.ipynb", "modified", None, None)],
        0,
    );
}

#[test]
fn what_failed_was_not_done_and_what_is_outside_is_counted() {
    let write = |path: &str| json!({ "file_path": path, "content": "x\n" });
    check_files(&[("Write", write("/w/a"), "refused", true)], &[], 0);
    check_files(&[("Write", write("/etc/a"), "created", false)], &[], 1);
    check_files(&[("Write", write("../a"), "created", false)], &[], 1);
    check_files(&[("Read", json!({ "file_path": "/w/a" }), "x", false)], &[], 0);
    check_files(
        &[("text_editor", json!({ "command": "view", "path": "/w/a" }), "x", false)],
        &[],
        0,
    );
    check_files(&[("create_issue", json!({ "message": "x" }), "ok", false)], &[], 0);
    let mut main = session("", &[("Write", write("/w/a"), "created", false)]);
    // Another session made the calls that a fork copied.
    main.events[1].data.insert("inherited_from".to_owned(), json!("another"));
    assert_eq!(changes(&captured(main)).files, []);
}

#[test]
fn patches_are_read_wherever_they_stand() {
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** Add File: c\n+x\n*** End Patch";
    let expected: &[Expected<'_>] = &[
        ("a", "deleted", None, None),
        ("b", "created", None, None),
        ("c", "created", Some((1, 0)), Some("x\n")),
    ];
    for input in [
        json!(patch),
        json!({ "input": patch }),
        json!({ "command": ["apply_patch", patch] }),
        json!({ "cmd": format!("apply_patch <<'E'\n{patch}\nE") }),
    ] {
        check_files(&[("shell", input, "", false)], expected, 0);
    }
    let by_file = json!({
        "/w/a": { "type": "delete" },
        "/w/c": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-1\n+2\n+3\n" },
    });
    check_files(
        &[("apply_patch", by_file, "", false)],
        &[("a", "deleted", None, None), ("c", "modified", Some((2, 1)), None)],
        0,
    );
}

fn check_plan(made: &[Made<'_>], expected: Option<(&[&str], &[&str])>) {
    let session = session("", made);
    let got = plan(&calls(&session)).map(|it| (it.done, it.open));
    let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    assert_eq!(got, expected.map(|(done, open)| (owned(done), owned(open))), "{made:?}");
}

#[test]
fn the_last_list_of_things_to_do_stands() {
    let todos = |items: Value| ("TodoWrite", json!({ "todos": items }), "ok", false);
    check_plan(&[], None);
    check_plan(
        &[
            todos(json!([{ "content": "a", "status": "pending" }])),
            todos(json!([
                { "content": "a", "status": "completed" },
                { "content": "b", "status": "in_progress" },
                { "content": "c", "status": "cancelled" },
            ])),
        ],
        Some((&["a"], &["b"])),
    );
    let steps = json!({ "plan": [{ "step": "a", "status": "completed" }, { "step": "b", "status": "pending" }] });
    check_plan(&[("update_plan", steps.clone(), "Plan updated", false)], Some((&["a"], &["b"])));
    check_plan(&[("update_plan", json!(steps.to_string()), "", false)], Some((&["a"], &["b"])));
    check_plan(&[todos(json!([]))], Some((&[], &[])));
    // A plan in prose is not a list.
    check_plan(&[("ExitPlanMode", json!({ "plan": "First this." }), "ok", false)], None);
}

#[test]
fn tasks_kept_one_by_one_are_a_list_too() {
    let create = |subject: &str, said: &'static str| {
        ("TaskCreate", json!({ "subject": subject }), said, false)
    };
    let update = |id: &str, status: &str| {
        ("TaskUpdate", json!({ "taskId": id, "status": status }), "ok", false)
    };
    check_plan(
        &[
            create("a", "Task #1 created successfully: a"),
            create("b", "Task #2 created successfully: b"),
            create("c", "Task #3 created successfully: c"),
            update("1", "completed"),
            update("3", "deleted"),
            update("9", "completed"),
            ("TaskCreate", json!({ "subject": "d" }), "no", true),
        ],
        Some((&["a"], &["b"])),
    );
}

#[test]
fn what_a_person_decided_is_told() {
    let check = |made: &[Made<'_>], expected: &[(&str, &[&str], &str)]| {
        let session = session("", made);
        let got = choices(&session, &calls(&session));
        let got: Vec<_> = got.into_iter().map(|it| (it.context, it.options, it.chosen)).collect();
        let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let expected: Vec<_> = expected
            .iter()
            .map(|(context, options, chosen)| {
                ((*context).to_owned(), owned(options), (*chosen).to_owned())
            })
            .collect();
        assert_eq!(got, expected, "{made:?}");
    };
    let ask = json!({ "questions": [{ "id": "n", "question": "Name?", "options": [{ "label": "A" }, "B"] }] });
    let options: &[&str] = &["A", "B"];
    check(
        &[(
            "ask",
            ask.clone(),
            "Answered: \"Name?\"=\"B\" user notes: short. You can go on.",
            false,
        )],
        &[("Name?", options, "B")],
    );
    check(
        &[("ask", ask.clone(), r#"{"answers":{"n":{"answers":["A","B"]}}}"#, false)],
        &[("Name?", options, "A, B")],
    );
    check(&[("ask", ask.clone(), r#"{"Name?":"A"}"#, false)], &[("Name?", options, "A")]);
    check(&[("ask", ask.clone(), r#"{"answers":{}}"#, false)], &[]);
    check(&[("ask", ask, "The user did not answer", true)], &[]);
    check(
        &[("ask_user", json!({ "question": "Go on?" }), "yes", false)],
        &[("Go on?", &[], "yes")],
    );
    let plan = json!({ "plan": "## Do this. Then that." });
    let both: &[&str] = &["approved", "rejected"];
    check(&[("ExitPlanMode", plan.clone(), "ok", false)], &[("Plan: Do this.", both, "approved")]);
    check(&[("exit_plan_mode", plan, "no", true)], &[("Plan: Do this.", both, "rejected")]);
    check(&[("Bash", json!({ "command": "ls" }), "a", false)], &[]);
}

#[test]
fn paths_a_prompt_gives_are_seeds() {
    let read = ("Read", json!({ "file_path": "/w/src/b.rs" }), "", false);
    let session =
        session("Look at @src/a.rs, `src/b.rs` and (c.rs). Not v1.2 or a@b.org!", &[read]);
    assert_eq!(seeds(&session, &calls(&session)), ["src/a.rs", "src/b.rs"]);
}

#[test]
fn the_last_failure_counts_how_often_it_was_tried_again() {
    let mut session = session("", &[]);
    assert_eq!(trouble(&session), None);
    for number in 1..=3 {
        let data = json!({ "code": "529", "retrying": number < 3 });
        session.events.push(event(number, Kind::Error, "Overloaded", &data));
    }
    let got = trouble(&session).unwrap();
    let told = (got.category.as_str(), got.message.as_str(), got.retries, got.last_retry);
    assert_eq!(told, ("transient", "Overloaded", 2, Some(session.events[2].created_at)));
}

proptest! {
    /// Whatever is written and replaced in a file, the reported hash is that of its content, and
    /// the reported lines lead from an empty file to it.
    #[test]
    fn the_hash_is_that_of_the_content(
        first in "[ab\n]{1,12}",
        edits in prop::collection::vec(("[ab\n]{1,3}", "[abc\n]{0,4}"), 0..6),
    ) {
        let mut made = vec![("Write", json!({ "file_path": "/w/f", "content": first }), "created", false)];
        let mut content = first;
        for (old, new) in &edits {
            if content.contains(old.as_str()) {
                content = content.replacen(old.as_str(), new, 1);
                let input = json!({ "file_path": "/w/f", "old_string": old, "new_string": new });
                made.push(("Edit", input, "ok", false));
            }
        }
        let got = changes(&captured(session("", &made)));
        prop_assert_eq!(got.files.len(), 1);
        prop_assert_eq!(got.files[0].after.clone(), Some(sha(&content)));
        prop_assert_eq!(got.files[0].added, Some(content.lines().count() as u64));
        prop_assert_eq!(got.files[0].removed, Some(0));
    }

    /// No input, however odd, breaks the export of a session.
    #[test]
    fn odd_calls_are_no_obstacle(
        tool in "(Edit|Write|apply_patch|TodoWrite|TaskUpdate|ask|ExitPlanMode|Bash)",
        field in "(file_path|content|edits|todos|plan|questions|question|command|taskId|input)",
        value in "(null|7|\"x\"|\\[\\]|\\[7\\]|\\{\\}|\"\\*\\*\\* Begin Patch\"|\"@@\")",
        said in "\\PC{0,40}",
    ) {
        let value: Value = serde_json::from_str(&value).unwrap();
        let session = session("@ ./ . é", &[(&tool, json!({ field: value }), &said, false)]);
        let captured = captured(session);
        let state = serde_json::to_value(taffrail_contracts::craft::of(&captured)).unwrap();
        let contract = taffrail_contracts::find("state").unwrap();
        let report = taffrail_contracts::validate(contract, &state, taffrail_contracts::Strictness::Strict);
        prop_assert!(report.is_valid(), "{:?}", report);
    }
}
