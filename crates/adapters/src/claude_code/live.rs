//! Claude Code's list of live sessions: `sessions/<pid>.json`.
//!
//! Beside each entry is a secret, `<pid>.<hash>.key`, which we never open. The agent removes an
//! entry when its process exits, but not when the process is killed, so an entry counts only while
//! its process is alive.

use super::place;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use taffrail_kit::journal::{EntrySink, labelled};
use taffrail_kit::lenient::{self, Text, filled, made_of_objects, whole};
use taffrail_kit::records::{LONGEST_ID, time_ms};
use taffrail_kit::{LiveEntry, LivePlan};
use taffrail_model::{Confidence, Facts, Kind, Process, Signal, hash};

/// How to read the list.
pub(super) const PLAN: LivePlan = LivePlan { folder: "sessions", is_entry, read: entry };

/// An entry, as far as the journal keeps it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Listed<'a> {
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    pid: Option<u64>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    session_id: Text<'a>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    proc_start: Option<u64>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    version: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    entrypoint: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    status: Text<'a>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing_if = "Option::is_none")]
    waiting_for: Text<'a>,
    #[serde(deserialize_with = "whole", skip_serializing_if = "Option::is_none")]
    status_updated_at: Option<u64>,
    #[serde(borrow, deserialize_with = "filled", skip_serializing)]
    pid_domain: Text<'a>,
}

made_of_objects! { Listed<'de> }

impl Listed<'_> {
    fn session(&self) -> Option<&str> {
        self.session_id.as_deref().filter(|id| id.len() <= LONGEST_ID)
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: u32::try_from(self.pid?).ok()?, start: self.proc_start? })
    }
}

/// Whether a file is an entry: a number and `.json`.
fn is_entry(name: &str) -> bool {
    let number = name.strip_suffix(".json").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn entry(bytes: &[u8]) -> Option<LiveEntry> {
    let listed: Listed<'_> = lenient::record_in(bytes)?;
    let session = place::session(listed.session()?);
    let payload = serde_json::to_string(&listed).ok()?;
    Some(LiveEntry {
        session,
        process: listed.process(),
        domain: listed.pid_domain.as_deref().map(str::to_owned),
        mark: hash::digest("live-entry", &[payload.as_bytes()]),
        payload,
    })
}

/// Reads an entry of the list from the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    let listed: Option<Listed<'_>> = lenient::value_in(sink.entry.payload.get());
    let Some((listed, id)) = listed.as_ref().and_then(|it| Some((it, it.session()?))) else {
        return sink.unknown("registry/unreadable");
    };
    let who = place::session(id);
    let changed = listed.status_updated_at.and_then(|ms| i64::try_from(ms).ok());
    let changed = changed.and_then(time_ms);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(signal(listed, sink));
    draft.at = changed.or(draft.at);
    // Without its own time the entry may be older than later evidence.
    draft.confidence = changed.map_or(Confidence::Low, |_| Confidence::High);
    draft.text = listed.waiting_for.as_deref().or(listed.status.as_deref()).map(Cow::Borrowed);
    let words = [("status", &listed.status), ("waiting_for", &listed.waiting_for)];
    let words = words.into_iter().filter_map(|(name, it)| Some((name, it.as_deref()?.into())));
    draft.detail =
        labelled("registry", words.chain(listed.pid.map(|it| ("pid", it.into()))).collect());
    let owned = |text: &Text<'_>| text.as_deref().map(str::to_owned);
    let facts = Facts {
        project_path: owned(&listed.cwd),
        agent_version: owned(&listed.version),
        entrypoint: owned(&listed.entrypoint),
        process: listed.process(),
        ..Facts::default()
    };
    sink.add_facts(&who, facts);
    sink.emit(&who, draft);
}

fn signal(listed: &Listed<'_>, sink: &mut EntrySink<'_, '_>) -> Signal {
    match listed.status.as_deref() {
        Some("idle") => Signal::Quiet,
        Some("busy") => Signal::Busy,
        Some("waiting") => asked(listed.waiting_for.as_deref()),
        None => Signal::Alive,
        Some(other) => {
            sink.unknown(&format!("registry/{other}"));
            Signal::Alive
        }
    }
}

fn asked(waiting_for: Option<&str>) -> Signal {
    match waiting_for {
        Some("permission prompt" | "sandbox request" | "worker request") => {
            Signal::AskedApproval { input: String::new() }
        }
        Some(_) | None => Signal::Asked { call: String::new(), options: Vec::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn listed(more: &Value) -> Vec<u8> {
        let mut all = json!({"pid": 479, "sessionId": "s", "procStart": "71869", "cwd": "/w", "peerProtocol": 1});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all.to_string().into_bytes()
    }

    #[test]
    fn only_entries_are_opened() {
        for (name, expected) in [
            ("479.json", true),
            ("479.0a1b2c.key", false),
            ("479.key", false),
            (".json", false),
            ("4x.json", false),
            ("479.json.tmp", false),
        ] {
            assert_eq!((PLAN.is_entry)(name), expected, "{name}");
        }
    }

    #[test]
    fn an_entry_names_its_session_and_process() {
        let it =
            entry(&listed(&json!({"pidDomain": "linux:m:pid:[1]", "status": "busy"}))).unwrap();
        assert_eq!(it.session, place::session("s"));
        assert_eq!(it.process, Some(Process { pid: 479, start: 71869 }));
        assert_eq!(it.domain.as_deref(), Some("linux:m:pid:[1]"));
        let expected =
            r#"{"pid":479,"sessionId":"s","procStart":71869,"cwd":"/w","status":"busy"}"#;
        assert_eq!(it.payload, expected);
        assert!(entry(b"{\"pid\":1}").is_none() && entry(b"{\"sessionId\":\"s").is_none());
    }

    #[test]
    fn the_same_word_has_the_same_mark() {
        let mark = |more: Value| entry(&listed(&more)).unwrap().mark;
        let first = mark(json!({"status": "busy", "updatedAt": 1, "statusUpdatedAt": 1}));
        assert_eq!(first, mark(json!({"status": "busy", "updatedAt": 9, "statusUpdatedAt": 1})));
        assert_ne!(first, mark(json!({"status": "idle", "updatedAt": 9, "statusUpdatedAt": 1})));
    }

    #[test]
    fn what_the_list_says() {
        use taffrail_kit::Adapter;
        use taffrail_model::{
            Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId,
        };
        #[derive(Default)]
        struct Recorder(Vec<(String, String, String)>);
        impl Sink for Recorder {
            fn event(&mut self, _: &RuntimeIdentity, draft: Draft<'_>) {
                let signal = draft.signal.as_ref().map(Signal::to_text).unwrap_or_default();
                let at = draft.at.map(|it| it.to_string()).unwrap_or_default();
                self.0.push((signal, at, draft.confidence.as_str().to_owned()));
                assert_eq!(draft.detail.label(), Some("registry"));
            }
            fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
            fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
            fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
            fn unknown(&mut self, _: &str, _: Option<&str>) {}
        }
        let check = |more: Value, expected: (&str, &str, &str)| {
            let payload = entry(&listed(&more)).unwrap().payload;
            let line = format!(
                r#"{{"at":"2026-11-15T10:00:00Z","nonce":"n","agent":"claude-code","via":"registry","payload":{payload}}}"#
            );
            let mut recorder = Recorder::default();
            let at = Cursor::Bytes { byte_offset: 0, length: 0 };
            let record = Record { bytes: line.as_bytes(), at };
            super::super::ADAPTER.journal().read(&record, &mut recorder);
            let expected = (expected.0.to_owned(), expected.1.to_owned(), expected.2.to_owned());
            assert_eq!(recorder.0, [expected], "{payload}");
        };
        let (now, then) = ("2026-11-15T10:00:00Z", "2026-11-15T09:00:00Z");
        let since =
            |status: &str| json!({"status": status, "statusUpdatedAt": 1_794_733_200_000_u64});
        check(since("idle"), ("quiet", then, "high"));
        check(since("busy"), ("busy", then, "high"));
        check(since("dreaming"), ("alive", then, "high"));
        check(json!({"status": "busy"}), ("busy", now, "low"));
        check(json!({}), ("alive", now, "low"));
        let waits = |what: &str| json!({"status": "waiting", "waitingFor": what, "statusUpdatedAt": 1_794_733_200_000_u64});
        check(waits("permission prompt"), ("asked-approval:", then, "high"));
        check(waits("sandbox request"), ("asked-approval:", then, "high"));
        check(waits("worker request"), ("asked-approval:", then, "high"));
        check(waits("input needed"), ("asked", then, "high"));
        check(waits("dialog open"), ("asked", then, "high"));
    }
}
