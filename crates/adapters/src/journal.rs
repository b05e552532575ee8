//! Reads the journal: what hooks, live registries and the process table said.

use crate::{Descriptor, Reader};
use std::borrow::Cow;
use std::collections::HashMap;
use taffrail_model::journal::{Entry, Gone, Loss};
use taffrail_model::{
    AgentId, Confidence, Detail, Draft, Facts, Kind, Origin, Process, Record, RecordKey,
    RuntimeIdentity, SessionId, Signal, Sink,
};

/// Reads the journal of one agent; it remembers nothing from one record to the next.
pub(crate) struct JournalReader {
    descriptor: &'static Descriptor,
    hear: fn(&mut Heard<'_, '_>),
    known: Known,
}

/// What was learned of the sessions met so far.
#[derive(Default)]
struct Known {
    sessions: Vec<(RuntimeIdentity, Facts)>,
    places: HashMap<SessionId, usize>,
}

/// An entry at hand, and who is told.
pub(crate) struct Heard<'e, 's> {
    pub(crate) entry: &'e Entry<'e>,
    /// The process above the writer that is the agent's.
    pub(crate) process: Option<Process>,
    sink: &'s mut dyn Sink,
    known: &'s mut Known,
}

impl JournalReader {
    /// `hear` makes events of what the agent itself said: hooks and its registry.
    pub(crate) fn new(descriptor: &'static Descriptor, hear: fn(&mut Heard<'_, '_>)) -> Self {
        Self { descriptor, hear, known: Known::default() }
    }

    fn process_of(&self, entry: &Entry<'_>) -> Option<Process> {
        let is_agent = |name: &str| self.descriptor.processes.contains(&name);
        let above = entry.ancestors.iter().find(|it| is_agent(&it.name))?;
        Some(Process { pid: above.pid, start: above.start })
    }
}

impl Reader for JournalReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if record.bytes.trim_ascii().is_empty() {
            return;
        }
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(record.bytes) else {
            return sink.unknown("journal/unreadable", None);
        };
        let process = self.process_of(&entry);
        let heard = &mut Heard { entry: &entry, process, sink, known: &mut self.known };
        match &entry.via {
            Origin::Hook | Origin::Registry => (self.hear)(heard),
            Origin::Process => gone(heard, self.descriptor.id),
            Origin::Transcript
            | Origin::Pty
            | Origin::Input
            | Origin::Telemetry
            | Origin::Unknown(_) => heard.unknown(&format!("journal/{}", entry.via.as_str())),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.known.sessions.clone()
    }

    fn save(&self) -> String {
        String::new()
    }
}

impl<'e> Heard<'e, '_> {
    /// An event of this entry, with nothing but what all of them share.
    pub(crate) fn draft(&self, part: u32, kind: Kind) -> Draft<'e> {
        let mut draft =
            Draft::new(RecordKey::Provider(Cow::Borrowed(&self.entry.nonce)), part, kind);
        draft.at = Some(self.entry.at);
        draft.origin = self.entry.via.clone();
        draft
    }

    /// Tells an event.
    pub(crate) fn tell(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.sink.event(who, draft);
    }

    /// Tells what is so of a session.
    pub(crate) fn learn(&mut self, who: &RuntimeIdentity, facts: Facts) {
        self.known.learn(who, facts);
    }

    /// Counts something this version does not know.
    pub(crate) fn unknown(&mut self, raw_type: &str) {
        self.sink.unknown(raw_type, None);
    }
}

impl Known {
    fn learn(&mut self, who: &RuntimeIdentity, facts: Facts) {
        let next = self.sessions.len();
        let place = *self.places.entry(who.session()).or_insert(next);
        match self.sessions.get_mut(place) {
            Some((_, known)) => *known = std::mem::take(known).joined(facts),
            None => self.sessions.push((who.clone(), facts)),
        }
    }
}

/// The detail of what has no name of its own.
pub(crate) fn labelled<'a>(
    label: &'static str,
    fields: Vec<(&'static str, serde_json::Value)>,
) -> Detail<'a> {
    Detail::Live { field: "label", name: Cow::Borrowed(label), fields }
}

/// A session lost its process.
fn gone(heard: &mut Heard<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Gone>(heard.entry.payload.get()) else {
        return heard.unknown("process/unreadable");
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = heard.draft(0, Kind::Heartbeat);
    draft.signal = Some(match it.gone {
        Loss::Died => Signal::Died,
        Loss::Left => Signal::Ended,
    });
    draft.confidence = Confidence::High;
    draft.detail = labelled("process", vec![("pid", it.process.pid.into())]);
    heard.tell(&who, draft);
}
