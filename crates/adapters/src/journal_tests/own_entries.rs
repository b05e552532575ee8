//! Entries that Taffrail itself writes, and what holds for every entry.
#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

use super::*;

#[test]
fn a_lost_process_is_told() {
    let process = Process { pid: 7, start: 5 };
    let check = |loss: Loss, expected: &str| {
        let gone = Gone { gone: loss, session: "s".into(), scope: "p".into(), process };
        let recorder = read_payload("claude-code", "process", &json!(gone));
        assert_eq!(recorder.lines, [expected]);
        assert_eq!(recorder.events[0]["origin"], "process");
    };
    check(Loss::Died, "p/s session.exited died ''");
    check(Loss::Left, "p/s session.exited ended ''");
}

#[test]
fn a_decision_of_ours_is_told() {
    let check = |input: &str, expected: &str| {
        let answered = json!({"approval": "a1", "decision": "deny", "by": "cli", "session": "s",
            "scope": "p", "says": "rm -rf build", "input": input});
        let recorder = read_payload("claude-code", "ctm-input", &answered);
        assert_eq!(recorder.lines, [expected]);
        let data =
            json!({"label": "desk", "approval_id": "a1", "decision": "deny", "decided_by": "cli"});
        assert_eq!(
            (&recorder.events[0]["origin"], &recorder.events[0]["data"]),
            (&json!("ctm-input"), &data)
        );
    };
    check("00ff", "p/s approval.resolved settled:00ff: 'rm -rf build'");
    check("", "p/s approval.resolved alive 'rm -rf build'");
}

/// A request in the event log could not be joined with the pending approval.
#[test]
fn a_request_carries_the_id_of_its_approval() {
    let payload = json!({"session_id": "s", "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "turn_id": "u1"});
    for agent in ["claude-code", "codex"] {
        let recorder = read_payload(agent, "hook", &payload);
        let id = taffrail_model::ApprovalId::of("n1");
        assert_eq!(recorder.events[0]["data"]["approval_id"], id.as_str(), "{agent}");
    }
}

#[test]
fn a_result_of_a_hook_names_its_call_and_says_how_it_went() {
    let events = |hook: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "hook_event_name": hook, "tool_name": "Bash",
            "tool_input": {"command": "make"}, "tool_use_id": "t1"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read_payload("claude-code", "hook", &payload)
    };
    let check = |hook: &str, more: Value, line: &str, data: Value| {
        let recorder = events(hook, more);
        assert_eq!((recorder.lines[1].as_str(), &recorder.events[1]["data"]), (line, &data));
    };
    let call = json!({"call_id": "t1", "tool": "Bash", "input": {"command": "make"}});
    check("PreToolUse", json!({}), "/s tool.call  'make'", call);
    let ok = json!({"tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}});
    check("PostToolUse", ok, "/s tool.result  'ok'", json!({"call_id": "t1"}));
    let text = json!({"tool_response": "done"});
    check("PostToolUse", text, "/s tool.result  'done'", json!({"call_id": "t1"}));
    let failed = json!({"error": "Exit code 2"});
    let data = json!({"call_id": "t1", "failed": true});
    check("PostToolUseFailure", failed, "/s tool.result  'Exit code 2'", data);
    let code = json!({"tool_response": {"output": "no", "exit_code": 2}});
    check("PostToolUse", code, "/s tool.result  'no'", json!({"call_id": "t1", "exit_code": 2}));
}

#[test]
fn what_the_daemon_concluded_is_read_again() {
    let concluded = json!({"session": "s", "scope": "p", "conclusions": [
        {"kind": "turn_started", "at": "2026-11-15T09:59:00Z"},
        {"kind": "status", "at": "2026-11-15T09:59:00Z", "status": "running", "before": "idle",
         "confidence": "high", "rule": "a turn is open"},
        {"kind": "turn_completed", "at": "2026-11-15T09:59:05Z",
         "started_at": "2026-11-15T09:59:00Z", "status": "lost"},
        {"kind": "finding", "at": "2026-11-15T09:58:00Z", "finding": "stuck",
         "holds": "raised", "says": "Nothing moves."},
    ]});
    for agent in ["claude-code", "codex", "gemini-cli", "goose"] {
        let recorder = read_payload(agent, "derived", &concluded);
        let expected = [
            "p/s turn.started  ''",
            "p/s status.changed  ''",
            "p/s turn.completed  ''",
            "p/s finding.raised  'Nothing moves.'",
        ];
        assert_eq!(recorder.lines, expected, "{agent}");
        assert_eq!(recorder.unknown, Vec::<String>::new());
        let data: Vec<_> = recorder.events.iter().map(|it| it["data"].clone()).collect();
        assert_eq!(
            data[1],
            json!({"status": "running", "before": "idle", "rule": "a turn is open"})
        );
        assert_eq!(
            data[2],
            json!({"status": "lost", "duration_ms": 5000,
            "started_at": "2026-11-15T09:59:00Z"})
        );
        assert_eq!(recorder.events[1]["at"], "2026-11-15T09:59:00Z");
    }
}

/// Our own entries about Gemini's sessions were counted as records that are not understood.
#[test]
fn our_own_entries_are_understood_for_every_agent() {
    let gone = Gone {
        gone: Loss::Died,
        session: "s".into(),
        scope: String::new(),
        process: Process { pid: 7, start: 5 },
    };
    let sent = json!({"message": "m1", "session": "s", "says": "go on"});
    for adapter in crate::owners() {
        let agent = adapter.descriptor().id;
        for (via, payload) in [("process", json!(gone)), ("ctm-input", sent.clone())] {
            let recorder = read_payload(agent, via, &payload);
            assert_eq!((recorder.lines.len(), recorder.unknown.len()), (1, 0), "{agent} {via}");
        }
    }
}

#[test]
fn what_an_agent_tried_is_told() {
    let tried = json!({"tried": "approve", "program": "claude", "approval": "a1", "session": "s", "scope": "p"});
    let recorder = read_payload("claude-code", "ctm-input", &tried);
    assert_eq!(recorder.lines, ["p/s heartbeat alive 'claude tried to approve'"]);
    let data = json!({"label": "tried", "approval_id": "a1", "tried": "approve"});
    assert_eq!(recorder.events[0]["data"], data);
}

#[test]
fn a_prompt_of_ours_is_told_and_is_no_prompt_of_its_own() {
    let sent = json!({"message": "m1", "session": "s", "scope": "p", "says": "go on"});
    let recorder = read_payload("claude-code", "ctm-input", &sent);
    assert_eq!(recorder.lines, ["p/s heartbeat alive 'go on'"]);
    let data = json!({"label": "sent", "correlation_id": "m1"});
    assert_eq!(
        (&recorder.events[0]["origin"], &recorder.events[0]["data"]),
        (&json!("ctm-input"), &data)
    );
}

#[test]
fn every_cut_of_every_entry_is_silence_and_every_entry_has_its_own_id() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
    for folder in std::fs::read_dir(root).unwrap() {
        let journal = folder.unwrap().path().join("journal.jsonl");
        let mut ids = std::collections::HashSet::new();
        for line in std::fs::read_to_string(&journal).unwrap().lines() {
            let agent = serde_json::from_str::<Value>(line).unwrap()["agent"].clone();
            let adapter = by_id(agent.as_str().unwrap()).unwrap();
            let (whole, _) = read_line(adapter, line);
            assert!(!whole.lines.is_empty() && whole.unknown.is_empty(), "{line}");
            assert!(whole.events.iter().all(|it| ids.insert(it["id"].to_string())), "{line}");
            for cut in (1..line.len()).filter_map(|end| line.get(..end)) {
                let (recorder, _) = read_line(adapter, cut);
                assert!(recorder.lines.is_empty() && recorder.unknown.len() == 1, "{cut}");
            }
        }
    }
}
