//! Side chains: records of sub-agents in the file of their session, which name no more than the record
//! that they answer.

use super::driver::{MOST_SESSIONS, Memory};
use super::speaker::Speaker;
use crate::records::LONGEST_ID;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use taffrail_model::{Facts, RuntimeIdentity, TurnId};

/// The most records of side chains that can still get an answer.
const SIDE_RECORDS: usize = 512;
/// How many records back a record counts as recent.
const RECENT_RECORDS: usize = 16;

/// The latest records, and whose they are.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Chains {
    /// Hashes of the file's latest records.
    recent: VecDeque<u64>,
    /// Hashes of the latest records of side chains, with the number of their session.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    sides: VecDeque<(u64, usize)>,
    /// The open turns of the sessions that do not speak, by their number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    turns: BTreeMap<usize, TurnId>,
}

/// A record of a side chain.
pub struct SideRecord<'a> {
    /// Its own id.
    pub id: &'a str,
    /// The sub-agent, if the record names it.
    pub agent: Option<&'a str>,
    /// The record that it answers.
    pub answers: Option<&'a str>,
}

impl Speaker<'_, '_> {
    /// Remembers that a record was just read.
    pub fn pass(&mut self, record: &str) {
        push_bounded(&mut self.memory.chains.recent, RECENT_RECORDS, mark(record));
    }

    /// Whether the record was read recently.
    pub fn has_passed(&self, record: &str) -> bool {
        self.memory.chains.recent.contains(&mark(record))
    }

    /// Whether the session that speaks is known.
    pub fn has_session(&self) -> bool {
        !self.memory.sessions.is_empty()
    }

    /// The session of the source is a sub-agent, whose id is unique within its parent only.
    pub fn worker_session(&mut self, parent: &str, id: &str) {
        if parent.len() <= LONGEST_ID {
            self.memory.switch(self.place.below(parent, id));
            self.child_of(parent);
        }
    }

    /// The session of the path exists: this record is its own. Whether it is the first one.
    pub fn begin(&mut self) -> bool {
        std::mem::take(&mut self.memory.is_guess)
    }

    /// The session of the source speaks.
    pub fn main_chain(&mut self) {
        self.memory.speak_as(0);
    }

    /// A sub-agent speaks: the one that the record names, else that of the record it answers, else a new
    /// one. Whether it can be remembered.
    pub fn side_chain(&mut self, record: &SideRecord<'_>) -> bool {
        let known = match record.agent {
            Some(agent) => self.memory.side_named(agent),
            None => record.answers.and_then(|it| self.memory.chains.side_of(it)),
        };
        let root = record.agent.unwrap_or(record.id);
        let Some(number) = known.or_else(|| self.open_side(root)) else { return false };
        push_bounded(&mut self.memory.chains.sides, SIDE_RECORDS, (mark(record.id), number));
        self.memory.speak_as(number);
        true
    }

    fn open_side(&mut self, root: &str) -> Option<usize> {
        let (own, _) = self.memory.sessions.first()?;
        let number = self.memory.sessions.len();
        if number >= MOST_SESSIONS || root.len() > LONGEST_ID {
            return None;
        }
        let (side, parent) = (self.place.below(own.id.as_str(), root), Some(own.clone()));
        self.memory.sessions.push((side, Facts { parent, ..Facts::default() }));
        Some(number)
    }
}

impl Memory {
    fn side_named(&self, agent: &str) -> Option<usize> {
        let is_side = |(who, _): &(RuntimeIdentity, Facts)| who.id.as_str() == agent;
        self.sessions.iter().rposition(is_side).filter(|number| *number > 0)
    }

    /// Another session speaks, in the turn that it had open.
    fn speak_as(&mut self, number: usize) {
        if number == self.current {
            return;
        }
        let turn = self.turn.take().map(|it| (self.current, it));
        self.chains.turns.extend(turn);
        (self.turn, self.model) = (self.chains.turns.remove(&number), None);
        self.current = number;
    }
}

impl Chains {
    /// Whether no record was remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.recent.is_empty() && self.sides.is_empty() && self.turns.is_empty()
    }

    /// The session of a record.
    fn side_of(&self, record: &str) -> Option<usize> {
        let record = mark(record);
        self.sides.iter().rev().find(|(it, _)| *it == record).map(|(_, number)| *number)
    }
}

fn push_bounded<T>(queue: &mut VecDeque<T>, bound: usize, item: T) {
    if queue.len() >= bound {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// A short hash of an id, eight bytes at a time; enough to distinguish a few hundred random ids.
fn mark(id: &str) -> u64 {
    id.as_bytes().chunks(8).fold(0, |mark: u64, chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        (mark.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Agent, Begins, Reads, Store};
    use crate::{Adapter, Descriptor, Encoding, Reader, Shape, Source};
    use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, Sink};

    static TOY: Agent = Agent::new(
        &Descriptor { id: "toy", ..Descriptor::NOTHING },
        &[Store {
            begins: Begins::WithRecord,
            ..Store::of("{session}.txt", Shape::Lines(Encoding::Plain), Reads::Bytes(read))
        }],
    );

    /// Reads `id` of the session's own, or `id agent answered` of a side chain; `-` for none.
    fn read(bytes: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
        let words: Vec<_> = std::str::from_utf8(bytes).ok()?.split(' ').collect();
        let given = |word: &&str| *word != "-";
        match *words.as_slice() {
            [id, agent, answers] => {
                let (agent, answers) = (Some(agent), Some(answers));
                let (agent, answers) = (agent.filter(given), answers.filter(given));
                speaker.side_chain(&SideRecord { id, agent, answers }).then_some(())?;
            }
            _ => {
                speaker.main_chain();
                speaker.begin();
            }
        }
        let id = words.first()?;
        speaker.pass(id);
        speaker.id(id);
        if id.starts_with('p') {
            speaker.prompt(id);
        } else {
            speaker.answer(id);
        }
        Some(())
    }

    /// Who said which record, in the turn of which record.
    #[derive(Default)]
    struct Recorder {
        turns: Vec<(TurnId, String)>,
        lines: Vec<String>,
    }

    impl Sink for Recorder {
        fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
            let text = draft.text.as_deref().unwrap_or_default().to_owned();
            if draft.opens_turn {
                self.turns.extend(draft.turn.map(|turn| (turn, text.clone())));
            }
            let turn = self.turns.iter().find(|(it, _)| Some(*it) == draft.turn);
            let turn = turn.map_or("-", |(_, opener)| opener);
            self.lines.push(format!("{}/{} {text} {turn}", who.scope, who.id.as_str()));
        }
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, kind: &str, _: Option<&str>) {
            self.lines.push(kind.to_owned());
        }
    }

    fn reader(saved: Option<&str>) -> Box<dyn Reader> {
        let source = Source { path: "s.txt", key: "", scope: "", beside: &[], written: None };
        TOY.reader(&source, saved)
    }

    fn feed(reader: &mut dyn Reader, line: &str, recorder: &mut Recorder) {
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes: line.as_bytes(), at }, recorder);
    }

    #[test]
    fn sessions_speak_in_turns_of_their_own_also_when_a_reader_is_restored() {
        let mut recorder = Recorder::default();
        let mut saved = None;
        for line in ["p1", "p2 - p1", "p3 a -", "m4", "m5 - p2", "m6 a p2", "m7 - m5", "m8 - -"] {
            let mut reader = reader(saved.as_deref());
            feed(reader.as_mut(), line, &mut recorder);
            saved = Some(reader.save());
        }
        let expected = [
            "/s p1 p1",
            "s/p2 p2 p2",
            "s/a p3 p3",
            "/s m4 p1",
            "s/p2 m5 p2",
            "s/a m6 p3",
            "s/p2 m7 p2",
            "s/m8 m8 -",
        ];
        assert_eq!(recorder.lines, expected);
    }

    #[test]
    fn an_id_that_cannot_be_remembered_opens_no_chain() {
        let (mut reader, mut recorder) = (reader(None), Recorder::default());
        feed(reader.as_mut(), &format!("m1 {} -", "x".repeat(LONGEST_ID + 1)), &mut recorder);
        assert_eq!((recorder.lines, reader.facts()), (vec!["unreadable".to_owned()], Vec::new()));
    }

    #[test]
    fn memory_stays_small() {
        let (mut reader, mut recorder) = (reader(None), Recorder::default());
        for number in 1..5000 {
            feed(reader.as_mut(), &format!("m{number} - m{}", number - 1), &mut recorder);
        }
        assert_eq!(recorder.lines.last().map(String::as_str), Some("s/m1 m4999 -"));
        assert!(reader.save().len() < 16 * 1024, "{} bytes", reader.save().len());
    }
}
