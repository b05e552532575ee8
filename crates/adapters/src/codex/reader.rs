//! Reads the records of one rollout and dispatches each by its type.

use super::memory::Memory;
use super::name::RolloutName;
use super::record::{Line, Payload};
use std::borrow::Cow;
use taffrail_kit::lenient::{Lenient, record_in};
use taffrail_kit::{Reader, records};
use taffrail_model::{
    AgentId, Detail, Draft, EventId, Facts, Kind, Record, RecordKey, RuntimeIdentity, Sink,
    Timestamp, TurnId,
};

/// Reads one rollout.
#[derive(Debug)]
pub(super) struct RolloutReader {
    pub(super) who: RuntimeIdentity,
    pub(super) memory: Memory,
    /// The rollout's own id, if the thread was reverted: its ordinals restart at the cut.
    pub(super) rollout: Option<String>,
}

/// The current record: the fields its events share, and their sink.
pub(super) struct Here<'r> {
    pub(super) bytes: &'r [u8],
    pub(super) ordinal: Option<u64>,
    pub(super) turn: Option<TurnId>,
    pub(super) at: Option<Timestamp>,
    pub(super) sink: &'r mut dyn Sink,
}

impl<'r> Here<'r> {
    /// Parses the payload for fields beyond the common ones.
    pub(super) fn payload<P: Default + Lenient<'r>>(&self) -> P {
        let line = record_in::<Line<'_, P>>(self.bytes);
        line.and_then(|line| line.payload).unwrap_or_default()
    }
}

impl Reader for RolloutReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(line) = record_in::<Line<'_, Payload<'_>>>(record.bytes) else {
            if !record.bytes.trim_ascii().is_empty() {
                sink.unknown("unreadable", None);
            }
            return;
        };
        let mut here = Here {
            bytes: record.bytes,
            ordinal: line.ordinal,
            turn: None,
            at: line.timestamp.as_deref().and_then(records::time),
            sink,
        };
        match line.payload {
            Some(payload) => {
                self.enveloped(&mut here, line.kind.as_deref().unwrap_or_default(), payload);
            }
            None => self.bare(&mut here),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        let is_met = self.memory.thread.is_some();
        let met = is_met.then(|| (self.who.clone(), self.memory.facts.clone()));
        met.into_iter().collect()
    }

    fn save(&self) -> String {
        // Without a saved memory, the file is read again from its start.
        serde_json::to_string(&self.memory).unwrap_or_default()
    }
}

impl RolloutReader {
    /// Starts a file, or continues from an earlier reader's state.
    pub(super) fn new(path: &str, saved: Option<&str>) -> Self {
        Self::of(super::DESCRIPTOR.id, path, saved)
    }

    /// The same for another agent that writes rollouts.
    pub(super) fn of(agent: &str, path: &str, saved: Option<&str>) -> Self {
        let memory = saved.and_then(|saved| serde_json::from_str(saved).ok());
        let memory: Memory = memory.unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or(path);
        let name = RolloutName::parse(file);
        let named = name.as_ref().map_or(file, |name| name.thread);
        Self {
            who: RuntimeIdentity::new(
                AgentId::new(agent),
                "",
                memory.thread.as_deref().unwrap_or(named),
            ),
            rollout: name.and_then(|name| name.rollout.map(str::to_owned)),
            memory,
        }
    }

    fn enveloped(&mut self, here: &mut Here<'_>, kind: &str, payload: Payload<'_>) {
        if kind == "session_meta" {
            return self.session_meta(here, &here.payload());
        }
        if self.is_inherited(here) {
            return;
        }
        here.turn = self.turn_of(payload.turn_id.as_deref());
        match kind {
            "turn_context" => self.turn_context(&payload),
            "event_msg" => self.event(here, payload),
            "response_item" => self.response_item(here, payload),
            "compacted" => self.compacted(here, payload),
            "token_usage_record" => self.token_usage_record(here, &payload),
            "world_state"
            | "inter_agent_communication"
            | "inter_agent_communication_metadata"
            | "security_risk_score" => {}
            other => self.unknown(here, "", other),
        }
    }

    /// Whether a record is context that a sub-agent inherited from its parent.
    fn is_inherited(&self, here: &Here<'_>) -> bool {
        let starts_at = self.memory.starts_at.unwrap_or_default();
        here.ordinal.is_some_and(|ordinal| ordinal < starts_at)
    }

    fn compacted(&mut self, here: &mut Here<'_>, payload: Payload<'_>) {
        let key = self.key(here);
        let mut draft = Draft::new(key, 0, Kind::ContextCompacted);
        draft.text = payload.message.filter(|text| !text.is_empty());
        draft.detail = Detail::Compacted { trigger: None, tokens_before: None };
        self.say(here, draft);
    }

    /// Emits an event of the current record.
    pub(super) fn say(&mut self, here: &mut Here<'_>, mut draft: Draft<'_>) {
        draft.at = here.at;
        draft.turn = here.turn;
        if let Some(turn) = here.turn {
            self.memory.recent.note(turn, draft.kind == Kind::UserPrompt);
        }
        self.meet();
        here.sink.event(&self.who, draft);
    }

    /// Counts a record of a type this version does not know.
    pub(super) fn unknown(&self, here: &mut Here<'_>, family: &str, kind: &str) {
        let version = self.memory.facts.agent_version.as_deref();
        let kind = if kind.is_empty() { "untyped" } else { kind };
        here.sink.unknown(&format!("{family}{kind}"), version);
    }

    /// Takes the thread from the file's name, if no record named it before the first event.
    pub(super) fn meet(&mut self) {
        if self.memory.thread.is_none() {
            self.memory.thread = Some(self.who.id.as_str().to_owned());
        }
    }

    /// Returns the key of a record that has no id of its own.
    pub(super) fn key(&mut self, here: &Here<'_>) -> RecordKey<'static> {
        match (here.ordinal, &self.rollout) {
            (Some(ordinal), Some(rollout)) => provider(format!("{rollout}:{ordinal}")),
            (Some(ordinal), None) => RecordKey::Ordinal(ordinal),
            (None, _) => self.memory.lines.key(here.bytes, here.at),
        }
    }

    /// Returns the id of an event of this session.
    pub(super) fn id_of(&self, key: &RecordKey<'_>, part: u32) -> EventId {
        EventId::of(self.who.session(), key, part)
    }

    /// Another thread of the same agent.
    pub(super) fn thread(&self, id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(self.who.agent.clone(), "", id)
    }

    fn turn_of(&self, provider_turn: Option<&str>) -> Option<TurnId> {
        self.memory.turn_of(self.who.session(), provider_turn)
    }
}

/// Wraps an id of Codex's own.
pub(super) fn provider(id: String) -> RecordKey<'static> {
    RecordKey::Provider(Cow::Owned(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use taffrail_model::{Cursor, NewUsage};

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

    fn survives(bytes: &[u8]) {
        let mut reader = RolloutReader::new("odd", None);
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes, at }, &mut Deaf);
        let saved = reader.save();
        assert_eq!(RolloutReader::new("odd", Some(&saved)).save(), saved);
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
