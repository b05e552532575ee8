//! Reads a transcript line by line: finds the session of each record and dispatches by its type.

use super::memory::{Chain, Memory, Seat};
use super::place::{self, Owner, Transcript};
use super::record::Line;
use super::record_sink::RecordSink;
use super::{ADAPTER_ID, answers, record_types, system_records, user};
use serde::Deserialize;
use taffrail_kit::{Reader, Source, lenient, records, surrogates};
use taffrail_model::{AgentId, Facts, Record, RuntimeIdentity, Sink, TitleRank};

/// Reads one transcript.
#[derive(Debug)]
pub(super) struct TranscriptReader {
    program: AgentId,
    project: String,
    role: Role,
    memory: Memory,
}

/// The kind of file.
#[derive(Debug)]
enum Role {
    /// A session's transcript, which may hold side chains.
    Session,
    /// A sub-agent's transcript.
    Worker,
    /// A sub-agent's transcript that names its parent only in its records.
    Orphan(String),
}

/// The side file of a sub-agent's transcript.
#[derive(Debug, Deserialize)]
struct Meta {
    description: Option<String>,
}

impl TranscriptReader {
    /// Starts reading, or continues from an earlier reader's state.
    pub(super) fn new(source: &Source<'_>, saved: Option<&str>) -> Self {
        Self::of(AgentId::new(ADAPTER_ID), source, saved)
    }

    /// The same for another agent that writes these transcripts.
    pub(super) fn of(program: AgentId, source: &Source<'_>, saved: Option<&str>) -> Self {
        let memory = saved.and_then(|saved| serde_json::from_str(saved).ok());
        let mut memory: Memory = memory.unwrap_or_default();
        let transcript = Transcript::at(source.path);
        let own = memory.own.take();
        memory.own = own.or_else(|| transcript.as_ref().and_then(|it| first_chain(&program, it)));
        if let (Some(own), Some(title)) = (&mut memory.own, described(source)) {
            // A later title is remembered; the description must not replace it again.
            let known = own.facts.title.as_ref();
            if known.is_none_or(|it| it.rank < TitleRank::Generated) {
                own.facts.offer_title(TitleRank::Generated, &title);
            }
        }
        Self {
            program,
            project: transcript.map_or_else(String::new, |t| t.project.to_owned()),
            role: transcript.map_or(Role::Session, |t| Role::of(t.owner)),
            memory,
        }
    }

    /// The session of the file, once it is known.
    pub(super) fn own(&mut self) -> Option<&mut Chain> {
        self.memory.own.as_mut()
    }

    fn take<'r>(&mut self, line: &'r Line<'r>, sink: &mut dyn Sink) {
        let Some(kind) = line.kind.as_deref() else {
            return sink.unknown("untyped", line.version.as_deref());
        };
        let is_emitted = matches!(kind, "user" | "assistant" | "system" | "attachment");
        if system_records::is_noted(kind) {
            system_records::note(kind, line, &mut self.memory);
        } else if !is_emitted && !record_types::is_silent_type(kind) {
            sink.unknown(kind, line.version.as_deref());
        }
        match line.uuid.as_deref() {
            Some(uuid) => self.take_record(kind, uuid, line, sink),
            // An event needs its record's id.
            None if is_emitted => sink.unknown(kind, line.version.as_deref()),
            None => {}
        }
    }

    fn take_record<'r>(
        &mut self,
        kind: &str,
        uuid: &'r str,
        line: &'r Line<'r>,
        sink: &mut dyn Sink,
    ) {
        let seat = self.seat_of(uuid, line);
        let Some((chain, calls)) = self.memory.seated(seat) else {
            return;
        };
        chain.note(line, &self.project);
        if matches!((seat, &self.role), (Seat::Own, Role::Session)) {
            chain.note_first_record(uuid);
        }
        let sink = &mut RecordSink {
            uuid,
            at: line.timestamp.as_deref().and_then(records::time),
            version: line.version.as_deref(),
            chain,
            calls,
            sink,
        };
        match kind {
            "user" => user::emit(line, sink),
            "assistant" => answers::emit(line, sink),
            "system" => system_records::emit_system(line, sink),
            "attachment" => system_records::emit_attachment(line, sink),
            _ => {}
        }
    }

    fn seat_of(&mut self, uuid: &str, line: &Line<'_>) -> Seat {
        self.memory.pass(uuid);
        match &self.role {
            Role::Session if line.is_sidechain == Some(true) => self.memory.side_of(line, uuid),
            Role::Session | Role::Worker => Seat::Own,
            Role::Orphan(agent) => {
                if let (None, Some(parent)) = (&self.memory.own, line.session_id.as_deref()) {
                    self.memory.own = Some(Chain::of_worker(&self.program, parent, agent));
                }
                Seat::Own
            }
        }
    }
}

impl Role {
    fn of(owner: Owner<'_>) -> Self {
        match owner {
            Owner::Session(_) => Self::Session,
            Owner::Worker { .. } => Self::Worker,
            Owner::Orphan { agent } => Self::Orphan(agent.to_owned()),
        }
    }
}

fn first_chain(program: &AgentId, transcript: &Transcript<'_>) -> Option<Chain> {
    match transcript.owner {
        Owner::Session(id) => Some(Chain::of(place::session_of(program, id))),
        Owner::Worker { agent, parent } => Some(Chain::of_worker(program, parent, agent)),
        Owner::Orphan { .. } => None,
    }
}

fn described(source: &Source<'_>) -> Option<String> {
    let meta = source.beside(".meta.json")?;
    serde_json::from_slice::<Meta>(meta).ok()?.description
}

impl Reader for TranscriptReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if record_types::is_bulky_bookkeeping(record.bytes) || record.bytes.trim_ascii().is_empty()
        {
            return;
        }
        if let Some(line) = lenient::record_in::<Line<'_>>(record.bytes) {
            return self.take(&line, sink);
        }
        let mended = surrogates::mended(record.bytes);
        match mended.as_deref().and_then(lenient::record_in::<Line<'_>>) {
            Some(line) => self.take(&line, sink),
            None => sink.unknown("unreadable", None),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.memory.facts()
    }

    fn save(&self) -> String {
        // Serializing the memory cannot fail; without a memory, reading starts over.
        serde_json::to_string(&self.memory).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use taffrail_model::{Cursor, Draft, EventId, NewUsage, TurnId};

    /// A sink that ignores everything.
    struct Deaf;

    impl Sink for Deaf {
        fn event(&mut self, _: &RuntimeIdentity, _: Draft<'_>) {}
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, _: &str, _: Option<&str>) {}
    }

    /// Reads lines with a reader that starts from this memory.
    fn survive(saved: Option<&str>, lines: &[&[u8]]) -> TranscriptReader {
        let source =
            Source { path: "projects/-w/s1.jsonl", key: "", scope: "", beside: &[], written: None };
        let mut reader = TranscriptReader::new(&source, saved);
        let at = Cursor::Pointer { pointer: String::new() };
        for bytes in lines {
            let at = at.clone();
            reader.read(&Record { bytes, at }, &mut Deaf);
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
        let mut reader = TranscriptReader::new(&source, None);
        let at = Cursor::Pointer { pointer: String::new() };
        let bytes = br#"{"type":"ai-title","aiTitle":"second"}"#;
        reader.read(&Record { bytes, at }, &mut Deaf);
        let saved = reader.save();
        assert!(saved.contains("second"), "{saved}");
        assert_eq!(TranscriptReader::new(&source, Some(&saved)).save(), saved);
    }

    #[test]
    fn a_memory_that_cannot_be_read_is_none() {
        let record = br#"{"type":"mode","uuid":"u1"}"#;
        let fresh = survive(None, &[record]).save();
        for saved in ["", "nonsense", "[]", r#"{"own":7}"#] {
            assert_eq!(survive(Some(saved), &[record]).save(), fresh, "{saved}");
        }
    }
}
