//! Collects what a reader emits into pieces that can be stored as they are.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::{Marks, NewEvent, NewUsage, Outcome, UnknownRecords};
use taffrail_model::quota::Observation;
use taffrail_model::search_text::{is_searched, searched};
use taffrail_model::{
    Cursor, Draft, EventId, Facts, Kind, Record, RuntimeIdentity, SessionId, Sink, Timestamp,
    TurnId, text,
};

/// Which texts are included with events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Texts {
    /// None; a text is read back from its source when it is needed.
    #[default]
    None,
    /// The text that search indexes.
    Searched,
}

/// How a source is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Habits {
    /// The agent writes a record again with more in it.
    pub(crate) rewrites_records: bool,
    pub(crate) texts: Texts,
}

/// How far back an equal report of a limit is looked for: an agent has a few limits.
const NEAR: usize = 32;

/// The events of the records read since the last piece.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    pub(crate) sessions: Vec<(RuntimeIdentity, Facts)>,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) removed: Vec<(usize, EventId)>,
    pub(crate) removed_turns: Vec<(usize, TurnId)>,
    pub(crate) usage: Vec<(usize, NewUsage)>,
    pub(crate) quotas: Vec<Observation>,
    pub(crate) outcome: Outcome,
    unknown: BTreeMap<(String, Option<String>), u64>,
    /// The record being read.
    at: Option<Cursor>,
    raw: Digest16,
    /// The latest time in the source so far; records without a time take it.
    time: Option<Timestamp>,
    /// The number of events so far that have no time yet.
    timeless: usize,
    /// The session looked up last, and its index.
    last: Option<(SessionId, usize)>,
    habits: Habits,
    /// The index in `usage` of each model answer.
    answers: HashMap<(usize, Digest16), usize>,
}

impl Collector {
    /// Continues a source whose latest time is known.
    pub(crate) fn after(time: Option<Timestamp>, habits: Habits) -> Self {
        Self { time, habits, ..Self::default() }
    }

    /// Starts a record: all events until the next call belong to it.
    pub(crate) fn begin(&mut self, record: &Record<'_>) {
        self.at = Some(record.at.clone());
        self.raw = hash::checksum(record.bytes);
        self.outcome.records += 1;
    }

    /// The hash of the record being read.
    pub(crate) fn raw(&self) -> Digest16 {
        self.raw
    }

    /// Whether events still wait for a time.
    pub(crate) fn waits_for_time(&self) -> bool {
        self.timeless > 0
    }

    /// The latest time so far.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.time
    }

    /// The index of a session in this piece.
    pub(crate) fn index(&mut self, who: &RuntimeIdentity) -> usize {
        let session = who.session();
        if let Some((last, index)) = self.last
            && last == session
        {
            return index;
        }
        let known = self.sessions.iter().position(|(known, _)| known.session() == session);
        let index = known.unwrap_or_else(|| {
            self.sessions.push((who.clone(), Facts::default()));
            self.sessions.len() - 1
        });
        self.last = Some((session, index));
        index
    }

    /// The records that the adapter did not recognize, by type and version.
    pub(crate) fn take_unknown(&mut self) -> Vec<UnknownRecords> {
        let unknown = std::mem::take(&mut self.unknown).into_iter();
        unknown
            .map(|((raw_type, version), count)| UnknownRecords { raw_type, version, count })
            .collect()
    }

    /// Drops events that were added and removed within this piece: they never reach the store.
    fn drop_events(&mut self, is_gone: impl Fn(&NewEvent) -> bool) {
        self.events.retain(|known| !is_gone(known));
        // If any event waits for a time, all events do.
        self.timeless = self.timeless.min(self.events.len());
    }

    fn resolve(&mut self, at: Option<Timestamp>) -> Timestamp {
        match (at, self.time) {
            (Some(at), None) => {
                for event in self.events.iter_mut().take(self.timeless) {
                    event.at = at;
                }
                self.timeless = 0;
                self.time = Some(at);
                at
            }
            (Some(at), Some(_)) => {
                self.time = Some(at);
                at
            }
            (None, Some(time)) => time,
            (None, None) => {
                self.timeless += 1;
                Timestamp::UNIX_EPOCH
            }
        }
    }
}

impl Sink for Collector {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let at = self.resolve(draft.at);
        let session = self.index(who);
        let cursor = match (&draft.pointer, &self.at) {
            (Some(pointer), Some(Cursor::Pointer { .. }) | None) => {
                Cursor::Pointer { pointer: pointer.clone() }
            }
            (_, Some(at)) => at.clone(),
            (None, None) => Cursor::Pointer { pointer: String::new() },
        };
        let searched = match self.habits.texts {
            Texts::Searched if is_searched(&draft.origin, &draft.kind) => {
                searched(&draft).into_owned()
            }
            Texts::Searched | Texts::None => String::new(),
        };
        self.events.push(NewEvent {
            session,
            id: EventId::of(who.session(), &draft.key, draft.part),
            source_event_id: draft.key.provider_id(),
            part: draft.part,
            marks: marks(&draft),
            origin: draft.origin.clone(),
            signal: draft.signal.clone(),
            confidence: draft.confidence.clone(),
            at,
            turn: draft.turn,
            parent: draft.parent,
            label: draft.detail.label().map(text::excerpt),
            excerpt: excerpt(&draft),
            content: draft.content(at, (!self.habits.rewrites_records).then_some(self.raw)),
            raw: self.raw,
            cursor,
            searched,
            kind: draft.kind,
        });
    }

    fn remove(&mut self, who: &RuntimeIdentity, event: EventId) {
        let session = self.index(who);
        self.drop_events(|known| known.session == session && known.id == event);
        self.removed.push((session, event));
    }

    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId) {
        let session = self.index(who);
        let is_gone = |known: &NewEvent| known.session == session && known.turn == Some(turn);
        // Another source may hold the same events, so the store must learn that they were removed.
        let gone = self.events.iter().filter(|known| is_gone(known)).map(|known| known.id);
        self.removed.extend(gone.map(|id| (session, id)));
        self.drop_events(is_gone);
        self.removed_turns.push((session, turn));
    }

    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        let session = self.index(who);
        let next = self.usage.len();
        match self.answers.entry((session, usage.key)) {
            Entry::Vacant(free) => {
                free.insert(next);
                self.usage.push((session, usage));
            }
            Entry::Occupied(known) => {
                if let Some((_, before)) = self.usage.get_mut(*known.get()) {
                    before.tokens = before.tokens.later_of(usage.tokens);
                }
            }
        }
    }

    fn quota(&mut self, seen: Observation) {
        let is_equal = |it: &Observation| it.is_of_window(&seen) && it.used == seen.used;
        let mut of_limit =
            self.quotas.iter_mut().rev().take(NEAR).filter(|it| it.limit == seen.limit);
        let last = of_limit.next().filter(|it| is_equal(it) && it.at <= seen.at);
        match last.zip(of_limit.next().filter(|it| is_equal(it))) {
            // Of equal figures in a row, the first and the last say all.
            Some((last, _)) => *last = seen,
            None => self.quotas.push(seen),
        }
    }

    fn unknown(&mut self, raw_type: &str, version: Option<&str>) {
        self.outcome.unknown_records += 1;
        let key = (text::excerpt(raw_type), version.map(text::excerpt));
        *self.unknown.entry(key).or_default() += 1;
    }
}

fn excerpt(draft: &Draft<'_>) -> String {
    let said = draft.text.as_deref().unwrap_or_default();
    match draft.kind {
        Kind::ToolCall | Kind::ToolResult => text::tool_excerpt(said),
        _ => text::excerpt(said),
    }
}

fn marks(draft: &Draft<'_>) -> Marks {
    let when = |true_of: bool, mark: Marks| if true_of { mark } else { Marks::default() };
    when(draft.opens_turn, Marks::OPENS_TURN)
        .with(when(draft.ends_turn, Marks::ENDS_TURN))
        .with(when(draft.detail.failed(), Marks::FAILED))
        .with(when(draft.detail.denied(), Marks::DENIED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, RecordKey};

    #[test]
    fn a_turn_taken_back_leaves_other_turns_and_what_is_said_later() {
        let [who, other] = ["a", "b"].map(|id| RuntimeIdentity::new(AgentId::new("agent"), "", id));
        let [one, two] = [1, 2].map(|byte| TurnId::from_bytes([byte; 16]));
        let mut collector = Collector::default();
        let say = |collector: &mut Collector, who: &RuntimeIdentity, number, turn| {
            let mut draft = Draft::new(RecordKey::Ordinal(number), 0, Kind::Notice);
            draft.turn = Some(turn);
            collector.event(who, draft);
        };
        say(&mut collector, &who, 1, one);
        say(&mut collector, &who, 2, two);
        say(&mut collector, &other, 3, two);
        collector.remove_turn(&who, two);
        say(&mut collector, &who, 4, two);
        let left: Vec<_> =
            collector.events.iter().filter_map(|event| event.source_event_id.as_deref()).collect();
        assert_eq!(left, ["1", "3", "4"]);
        assert_eq!(collector.removed_turns, [(0, two)]);
        assert_eq!(collector.removed.len(), 1, "the store must know of what it never sees");
        assert_eq!(collector.timeless, 3, "all of them wait for a time");
    }
}
