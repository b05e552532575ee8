//! Reads a transcript line by line: finds the session of each record and dispatches by its type.

use super::record::Line;
use super::{answers, record_types, session, system_records, user};
use taffrail_kit::{SideRecord, Speaker, lenient, records};

/// Reads one line; `None` if it cannot be parsed.
pub(super) fn read(bytes: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
    if !record_types::is_bulky_bookkeeping(bytes) && !bytes.trim_ascii().is_empty() {
        take(&lenient::record_in(bytes)?, speaker);
    }
    Some(())
}

fn take(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let version = line.version.as_deref();
    let Some(kind) = line.kind.as_deref() else {
        return speaker.unknown_in(version, "untyped");
    };
    let is_emitted = matches!(kind, "user" | "assistant" | "system" | "attachment");
    if system_records::is_noted(kind) {
        system_records::note(kind, line, speaker);
    } else if !is_emitted && !record_types::is_silent_type(kind) {
        speaker.unknown_in(version, kind);
    }
    match line.uuid.as_deref().filter(|it| !it.is_empty()) {
        Some(uuid) => take_record(kind, uuid, line, speaker),
        // An event needs its record's id.
        None if is_emitted => speaker.unknown_in(version, kind),
        None => {}
    }
}

fn take_record(kind: &str, uuid: &str, line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    speaker.pass(uuid);
    if !is_seated(uuid, line, speaker) {
        return unknown("session", Some(kind), line, speaker);
    }
    session::note(uuid, line, speaker);
    speaker.id(uuid);
    speaker.at(line.timestamp.as_deref().and_then(records::time));
    match kind {
        "user" => user::emit(line, speaker),
        "assistant" => answers::emit(line, speaker),
        "system" => system_records::emit_system(line, speaker),
        "attachment" => system_records::emit_attachment(line, speaker),
        _ => {}
    }
}

/// Lets the session of a record speak; `false` if it is not known.
///
/// Versions 1.x wrote sub-agents among the records of their session, versions 2.0 beside its file: their
/// records name the parent.
fn is_seated(uuid: &str, line: &Line<'_>, speaker: &mut Speaker<'_, '_>) -> bool {
    if line.is_sidechain == Some(true) && speaker.name("session").is_some() {
        let (agent, answers) = (line.agent_id.as_deref(), line.parent_uuid.as_deref());
        return speaker.side_chain(&SideRecord { id: uuid, agent, answers });
    }
    speaker.main_chain();
    if let (false, Some(parent)) = (speaker.has_session(), line.session_id.as_deref())
        && let Some(worker) = speaker.name("worker")
    {
        speaker.worker_session(parent, worker);
    }
    if speaker.begin() {
        session::learn(speaker);
    }
    speaker.has_session()
}

/// Counts an unknown part of a record.
pub(super) fn unknown(
    within: &str,
    kind: Option<&str>,
    line: &Line<'_>,
    speaker: &mut Speaker<'_, '_>,
) {
    let kind = format!("{within}/{}", kind.unwrap_or_default());
    speaker.unknown_in(line.version.as_deref(), &kind);
}

#[cfg(test)]
mod tests {
    use super::super::ADAPTER;
    use proptest::prelude::*;
    use taffrail_kit::{Adapter, Reader, Source};
    use taffrail_model::{
        Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TitleRank, TurnId,
    };

    /// A sink that ignores everything.
    struct Deaf;

    impl Sink for Deaf {
        fn event(&mut self, _: &RuntimeIdentity, _: Draft<'_>) {}
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, _: &str, _: Option<&str>) {}
    }

    fn read(reader: &mut dyn Reader, bytes: &[u8]) {
        let at = Cursor::Pointer { pointer: String::new() };
        reader.read(&Record { bytes, at }, &mut Deaf);
    }

    /// Reads lines with a reader that starts from this memory.
    fn survive(saved: Option<&str>, lines: &[&[u8]]) -> Box<dyn Reader> {
        let source =
            Source { path: "projects/-w/s1.jsonl", key: "", scope: "", beside: &[], written: None };
        let mut reader = ADAPTER.reader(&source, saved);
        for bytes in lines {
            read(reader.as_mut(), bytes);
        }
        reader
    }

    const RECORD: &str = concat!(
        r#"{"type":"user","uuid":"u1","isSidechain":true,"parentUuid":"u0","message":{"content":"#,
        r#"[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"\u00e9"}],"#,
        r#""is_error":true}]},"permissionDecision":{"decision":"accept","source":"hook"}}"#
    );

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, saved: String) {
            survive(Some(&saved), &[&bytes]);
        }

        #[test]
        fn any_change_of_a_record_is_survived(at in 0..RECORD.len(), byte: u8, again: u8) {
            let mut record = RECORD.as_bytes().to_vec();
            record[at] = byte;
            record.insert(at, again);
            survive(None, &[&record, RECORD.as_bytes()]);
        }
    }

    #[test]
    fn a_worker_keeps_its_title_when_its_reader_is_restored() {
        let path = "projects/-w/s1/subagents/agent-a1.jsonl";
        let beside = [("agent-a1.meta.json".to_owned(), br#"{"description":"first"}"#.to_vec())];
        let source = Source { path, key: "", scope: "", beside: &beside, written: None };
        let title = |reader: &dyn Reader| {
            let facts = reader.facts().pop().map(|(_, facts)| facts);
            facts.and_then(|it| it.title).map(|it| (it.rank, it.text))
        };
        let of = |text: &str| Some((TitleRank::Generated, text.to_owned()));
        let mut reader = ADAPTER.reader(&source, None);
        read(reader.as_mut(), br#"{"type":"mode","uuid":"u1"}"#);
        assert_eq!(title(reader.as_ref()), of("first"));
        read(reader.as_mut(), br#"{"type":"ai-title","aiTitle":"second"}"#);
        let mut restored = ADAPTER.reader(&source, Some(&reader.save()));
        read(restored.as_mut(), br#"{"type":"mode","uuid":"u2"}"#);
        assert_eq!(title(restored.as_ref()), of("second"));
    }

    #[test]
    fn a_session_exists_with_its_first_record() {
        let check = |lines: &[&str], expected: &[(&str, &str)]| {
            let lines: Vec<_> = lines.iter().map(|it| it.as_bytes()).collect();
            let facts = survive(None, &lines).facts();
            let got = facts.iter().map(|(who, _)| (who.scope.as_str(), who.id.as_str()));
            assert_eq!(got.collect::<Vec<_>>(), expected);
        };
        check(&[r#"{"type":"summary","summary":"of another","leafUuid":"u9"}"#], &[]);
        check(&[r#"{"type":"mode","uuid":"u1"}"#], &[("", "s1")]);
        check(&[RECORD], &[("s1", "u1")]);
        check(&[RECORD, r#"{"type":"mode","uuid":"u2"}"#], &[("", "s1"), ("s1", "u1")]);
    }

    #[test]
    fn a_memory_that_cannot_be_read_is_none() {
        let record = br#"{"type":"mode","uuid":"u1"}"#;
        let fresh = survive(None, &[record]).save();
        for saved in ["", "nonsense", "[]", r#"{"sessions":7}"#] {
            assert_eq!(survive(Some(saved), &[record]).save(), fresh, "{saved}");
        }
    }
}
