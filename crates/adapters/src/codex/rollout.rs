//! Reads the records of one rollout and dispatches each by its type.

use super::calls::Calls;
use super::recent::Recent;
use super::record::{Line, Payload};
use super::turns::OpenTurn;
use serde::{Deserialize, Serialize};
use taffrail_kit::lenient::{Lenient, Text, record_in};
use taffrail_kit::{Speaker, StatefulDialect, records};
use taffrail_model::{Detail, Draft, Kind, Tokens};

/// What a rollout needs remembered beyond its session and line keys.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rollout {
    /// The first record of the thread's own, for sub-agents that inherit context.
    pub(super) starts_at: Option<u64>,
    /// The open turn.
    pub(super) turn: Option<OpenTurn>,
    /// The last turns, for roll-backs.
    pub(super) recent: Recent,
    /// Recent tool calls.
    pub(super) calls: Calls,
    /// The thread's total at the last `token_count`.
    pub(super) total: Option<Tokens>,
    /// Whether a `token_usage_record` came since then.
    pub(super) usage_is_told: bool,
}

/// A record that is read now.
pub(super) struct Reading<'r, 'c, 's> {
    pub(super) own: &'r mut Rollout,
    pub(super) speaker: &'r mut Speaker<'c, 's>,
    pub(super) bytes: &'r [u8],
    ordinal: Option<u64>,
}

/// Starts a file, or continues from an earlier memory.
pub(super) fn dialect(saved: Option<&str>) -> Box<dyn StatefulDialect> {
    let saved = saved.and_then(|saved| serde_json::from_str::<Rollout>(saved).ok());
    Box::new(saved.unwrap_or_default())
}

impl StatefulDialect for Rollout {
    fn read(&mut self, bytes: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
        let Some(line) = record_in::<Line<'_, Payload<'_>>>(bytes) else {
            return bytes.trim_ascii().is_empty().then_some(());
        };
        speaker.only_at(line.timestamp.as_deref().and_then(records::time));
        speaker.only_turn(None);
        let mut reading = Reading { own: self, speaker, bytes, ordinal: line.ordinal };
        reading.identify_record();
        match line.payload {
            Some(payload) => reading.enveloped(line.kind.as_deref().unwrap_or_default(), payload),
            None => reading.bare()?,
        }
        Some(())
    }

    fn save(&self) -> String {
        // Without a saved memory, the file is read again from its start.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The name of a rollout's own id in the patterns of paths: only reverted threads have one.
const REVERTED: &str = "rollout";

impl<'r> Reading<'r, '_, '_> {
    /// Parses the payload for fields beyond the common ones.
    pub(super) fn payload<P: Default + Lenient<'r>>(&self) -> P {
        let line = record_in::<Line<'_, P>>(self.bytes);
        line.and_then(|line| line.payload).unwrap_or_default()
    }

    /// Takes the ordinal as the record's key, for events without an id of their own. The ordinals of a
    /// reverted thread restart at the cut. Records of older files have none.
    fn identify_record(&mut self) {
        match (self.ordinal, self.speaker.name(REVERTED)) {
            (Some(ordinal), Some(rollout)) => self.speaker.made_id(format!("{rollout}:{ordinal}")),
            (Some(ordinal), None) => self.speaker.number(ordinal),
            (None, _) => self.speaker.by_line(),
        }
    }

    /// Takes an item's id as the key, if it has one.
    pub(super) fn identify(&mut self, kind: &str, id: Option<&str>) {
        if let Some(id) = id {
            self.speaker.made_id(format!("item:{kind}:{id}"));
        }
    }

    /// Whether the thread was reverted, and continues in this file.
    pub(super) fn is_reverted(&self) -> bool {
        self.speaker.name(REVERTED).is_some()
    }

    fn enveloped(&mut self, kind: &str, payload: Payload<'_>) {
        if kind == "session_meta" {
            return self.session_meta(&self.payload());
        }
        if self.is_inherited() {
            return;
        }
        let turn = self.turn_of(payload.turn_id.as_deref());
        self.speaker.only_turn(turn);
        match kind {
            "turn_context" => self.turn_context(&payload),
            "event_msg" => self.event(payload),
            "response_item" => self.response_item(payload),
            "compacted" => self.compacted(payload),
            "token_usage_record" => self.token_usage_record(&payload),
            "world_state"
            | "inter_agent_communication"
            | "inter_agent_communication_metadata"
            | "security_risk_score" => {}
            other => self.unknown("", other),
        }
    }

    /// Whether a record is context that a sub-agent inherited from its parent.
    fn is_inherited(&self) -> bool {
        let starts_at = self.own.starts_at.unwrap_or_default();
        self.ordinal.is_some_and(|ordinal| ordinal < starts_at)
    }

    fn compacted(&mut self, payload: Payload<'_>) {
        let text = payload.message.filter(|text| !text.is_empty());
        let detail = Detail::Compacted { trigger: None, tokens_before: None };
        self.say(Kind::ContextCompacted, text, detail);
    }

    /// Says an event of the current record.
    pub(super) fn say<'a>(&mut self, kind: Kind, text: Text<'a>, detail: Detail<'a>) {
        self.say_with((kind, text, detail), |_| {});
    }

    /// Says an event that has more than a text and details.
    pub(super) fn say_with<'a>(
        &mut self,
        (kind, text, detail): (Kind, Text<'a>, Detail<'a>),
        fill: impl FnOnce(&mut Draft<'a>),
    ) {
        if let Some(turn) = self.speaker.turn_now() {
            self.own.recent.note(turn, kind == Kind::UserPrompt);
        }
        // Without a header, the thread is the one that the file is named after.
        self.speaker.keep_guess();
        self.speaker.say_unlinked(kind, detail, |draft| {
            draft.text = text;
            fill(draft);
        });
    }

    /// Counts a record of a type this version does not know.
    pub(super) fn unknown(&mut self, family: &str, kind: &str) {
        let kind = if kind.is_empty() { "untyped" } else { kind };
        self.speaker.unknown_in_version(&format!("{family}{kind}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::ADAPTER;
    use proptest::prelude::*;
    use taffrail_kit::{Adapter, Reader, Source};
    use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId};

    const LINE: &str = r#"{"timestamp":"2026-10-01T10:00:00.000Z","ordinal":3,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"CommandExecution","id":"c","command":["sh","-c","ls"],"exit_code":0,"duration":{"secs":1,"nanos":2}}}}"#;

    /// A sink that ignores everything.
    struct Deaf;

    impl Sink for Deaf {
        fn event(&mut self, _: &RuntimeIdentity, _: Draft<'_>) {}
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, _: &str, _: Option<&str>) {}
    }

    fn reader(path: &str, saved: Option<&str>) -> Box<dyn Reader> {
        ADAPTER.reader(&Source { path, key: "", scope: "", beside: &[], written: None }, saved)
    }

    fn read(reader: &mut dyn Reader, bytes: &[u8]) {
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes, at }, &mut Deaf);
    }

    fn survives(bytes: &[u8]) {
        let mut odd = reader("odd", None);
        read(odd.as_mut(), bytes);
        let saved = odd.save();
        assert_eq!(reader("odd", Some(&saved)).save(), saved);
    }

    #[test]
    fn the_header_names_the_thread_and_otherwise_the_file_does() {
        let file = "01a1dc4a-98ab-7a52-8833-052a06111408";
        let path = format!("archived_sessions/rollout-2026-11-14T23-00-38-{file}.jsonl");
        let check = |lines: &[&str], expected: &[&str]| {
            let mut reader = reader(&path, None);
            lines.iter().for_each(|line| read(reader.as_mut(), line.as_bytes()));
            let facts = reader.facts();
            let named: Vec<_> = facts.iter().map(|(who, _)| who.id.as_str()).collect();
            assert_eq!(named, expected, "{lines:?}");
        };
        let prompt = r#"{"type":"event_msg","payload":{"type":"user_message","message":"hi"}}"#;
        let silent = r#"{"type":"event_msg","payload":{"type":"turn_diff"}}"#;
        let header = r#"{"type":"session_meta","payload":{"id":"other"}}"#;
        let nameless = r#"{"type":"session_meta","payload":{"id":""}}"#;
        check(&[silent, nameless], &[]);
        check(&[prompt], &[file]);
        check(&[silent, header, prompt], &["other"]);
        check(&[prompt, header], &[file]);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            survives(&bytes);
        }

        #[test]
        fn no_damage_is_too_odd(at in 0..LINE.len(), with in "[0-9a-z{}\\[\\]\",:\\-]{0,4}") {
            let mut bytes = LINE.as_bytes().to_vec();
            bytes.splice(at..(at + 2).min(LINE.len()), with.bytes());
            survives(&bytes);
        }
    }
}
