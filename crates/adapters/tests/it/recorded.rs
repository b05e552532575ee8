//! What the readers of fixtures say, as evidence about sessions.

use crate::fixtures::Fixture;
use taffrail_adapters::Adapter;
use taffrail_model::evidence::{EventHead, Evidence, of_event};
use taffrail_model::observed::Marks;
use taffrail_model::{
    Draft, EventId, Facts, Kind, NewUsage, Record, RuntimeIdentity, SessionId, Sink, Timestamp,
    TurnId, text,
};

/// An event of a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) session: SessionId,
    pub(crate) kind: Kind,
    pub(crate) at: Timestamp,
    evidence: Option<Evidence>,
}

/// Everything that was said.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) sessions: Vec<(RuntimeIdentity, Facts)>,
    /// How often tokens were counted.
    pub(crate) usages: usize,
}

impl Recorder {
    pub(crate) fn read(&mut self, adapter: &dyn Adapter, fixture: &Fixture) {
        let mut reader = fixture.reader(adapter, None);
        for (at, bytes) in &fixture.records {
            reader.read(&Record { bytes, at: at.clone() }, self);
        }
        self.sessions.extend(reader.facts());
    }

    pub(crate) fn evidence_of(&self, session: SessionId) -> Vec<Evidence> {
        let mut here: Vec<_> = self.events.iter().filter(|it| it.session == session).collect();
        here.sort_by_key(|it| it.at);
        here.iter().filter_map(|it| it.evidence.clone()).collect()
    }
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let last = self.events.last().map_or(Timestamp::UNIX_EPOCH, |it| it.at);
        let (session, at) = (who.session(), draft.at.unwrap_or(last));
        let ends = if draft.ends_turn { Marks::ENDS_TURN } else { Marks::default() };
        let head = EventHead {
            id: EventId::of(session, &draft.key, draft.part),
            parent: draft.parent,
            kind: &draft.kind,
            origin: &draft.origin,
            signal: draft.signal.as_ref(),
            marks: ends,
            label: draft.detail.label(),
            excerpt: &text::excerpt(draft.text.as_deref().unwrap_or_default()),
            at,
            confidence: &draft.confidence,
        };
        let evidence = of_event(&head);
        self.events.push(Event { session, kind: draft.kind.clone(), at, evidence });
    }

    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {
        self.usages += 1;
    }
    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}
