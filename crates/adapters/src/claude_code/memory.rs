//! The reader's state between records, saved with every checkpoint.

use super::place;
use super::record::Line;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use taffrail_kit::records;
use taffrail_model::{AgentId, EventId, Facts, RuntimeIdentity, TurnId, hash};

/// The most calls without a result that are remembered.
const OPEN_CALLS: usize = 512;
/// The most records of side chains that can still get an answer.
const SIDE_RECORDS: usize = 512;
/// How many records back the leaf of a summary may be.
const RECENT_RECORDS: usize = 16;

/// The whole state.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// The session of the file, once it is known.
    pub(super) own: Option<Chain>,
    /// The sub-agents whose records are among the session's own, as versions 1.x wrote them.
    sides: Vec<Chain>,
    /// Hashes of the latest records of side chains, with the number of their chain.
    side_records: VecDeque<(u64, usize)>,
    /// The file's latest records.
    recent: VecDeque<String>,
    /// Calls without a result.
    pub(super) calls: OpenCalls,
}

/// The conversation of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seat {
    /// The session of the file.
    Own,
    /// A side chain, by its number.
    Side(usize),
}

impl Memory {
    /// The facts about every session in the file.
    pub(super) fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        let met = self.own.iter().filter(|chain| chain.is_met);
        met.chain(&self.sides).map(|chain| (chain.who.clone(), chain.facts.clone())).collect()
    }

    /// Finds the side chain of a record, or opens one for it.
    pub(super) fn side_of(&mut self, line: &Line<'_>, uuid: &str) -> Seat {
        let known = match &line.agent_id {
            Some(agent) => self.side_named(agent),
            None => self.side_answered(line.parent_uuid.as_deref()),
        };
        let root = line.agent_id.as_deref().unwrap_or(uuid);
        let number = known.unwrap_or_else(|| self.open_side(root));
        push_bounded(&mut self.side_records, SIDE_RECORDS, (mark(uuid), number));
        Seat::Side(number)
    }

    fn side_named(&self, agent: &str) -> Option<usize> {
        self.sides.iter().rposition(|side| side.who.id.as_str() == agent)
    }

    fn side_answered(&self, parent: Option<&str>) -> Option<usize> {
        let parent = mark(parent?);
        let mut latest = self.side_records.iter().rev();
        latest.find(|(record, _)| *record == parent).map(|(_, number)| *number)
    }

    fn open_side(&mut self, root: &str) -> usize {
        let nobody = place::session("");
        let own = self.own.as_ref().map_or(&nobody, |own| &own.who);
        let side = Chain::of_worker(&own.agent, own.id.as_str(), root);
        self.sides.push(side);
        self.sides.len() - 1
    }

    /// The chain of a seat, and the calls beside it.
    pub(super) fn seated(&mut self, seat: Seat) -> Option<(&mut Chain, &mut OpenCalls)> {
        let chain = match seat {
            Seat::Own => self.own.as_mut(),
            Seat::Side(number) => self.sides.get_mut(number),
        };
        Some((chain?, &mut self.calls))
    }

    /// Remembers that a record was just read.
    pub(super) fn pass(&mut self, uuid: &str) {
        // Reuses the buffer of the oldest entry: this runs for every record.
        let room = (self.recent.len() >= RECENT_RECORDS).then(|| self.recent.pop_front());
        let mut latest = room.flatten().unwrap_or_default();
        latest.clear();
        latest.push_str(uuid);
        self.recent.push_back(latest);
    }

    /// Whether the record was read recently.
    pub(super) fn passed(&self, uuid: &str) -> bool {
        self.recent.iter().any(|recent| recent == uuid)
    }
}

/// One conversation: the session of the file, or a side chain in it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Chain {
    /// The session.
    pub(super) who: RuntimeIdentity,
    /// The open turn.
    pub(super) turn: Option<TurnId>,
    /// The facts.
    pub(super) facts: Facts,
    /// Whether any record of it was read.
    is_met: bool,
    /// Whether the project path is the one the project folder is named after.
    is_at_home: bool,
}

impl Chain {
    /// A conversation without any facts.
    pub(super) fn of(who: RuntimeIdentity) -> Self {
        Self { who, turn: None, facts: Facts::default(), is_met: false, is_at_home: false }
    }

    /// A sub-agent's conversation.
    pub(super) fn of_worker(program: &AgentId, parent: &str, agent: &str) -> Self {
        let mut chain = Self::of(place::worker_of(program, parent, agent));
        chain.facts.parent = Some(place::session_of(program, parent));
        chain
    }

    /// Takes the project from outside its records, whose folders then do not count.
    pub(super) fn settle(&mut self, project: &str) {
        self.is_at_home = true;
        keep_last(&mut self.facts.project_path, Some(project));
    }

    /// Takes the facts about the whole session from a record.
    pub(super) fn note(&mut self, line: &Line<'_>, project: &str) {
        self.is_met = true;
        self.note_project(line.cwd.as_deref(), project);
        let facts = &mut self.facts;
        let branch = line.git_branch.as_deref();
        keep_last(&mut facts.git_branch, branch.filter(|name| *name != "HEAD"));
        keep_last(&mut facts.agent_version, line.version.as_deref());
        keep_last(&mut facts.slug, line.slug.as_deref());
        if facts.entrypoint.is_none() {
            keep_last(&mut facts.entrypoint, line.entrypoint.as_deref());
        }
        let origin = line.forked_from.as_ref();
        if let Some(origin) = origin.and_then(|origin| origin.session_id.as_deref()) {
            let program = &self.who.agent;
            facts.forked_from.get_or_insert_with(|| place::session_of(program, origin));
        }
    }

    fn note_project(&mut self, cwd: Option<&str>, project: &str) {
        let Some(cwd) = cwd.filter(|cwd| !self.is_at_home && !cwd.is_empty()) else {
            return;
        };
        self.is_at_home = place::is_folder_of(project, cwd);
        if self.is_at_home || self.facts.project_path.is_none() {
            keep_last(&mut self.facts.project_path, Some(cwd));
        }
    }

    /// Remembers the first record, which a fork of the session would share.
    pub(super) fn note_first_record(&mut self, uuid: &str) {
        self.facts
            .first_record
            .get_or_insert_with(|| hash::digest("claude-record", &[uuid.as_bytes()]));
    }

    /// Remembers the model of an answer.
    pub(super) fn note_model(&mut self, model: Option<&str>) {
        keep_last(&mut self.facts.model, model);
    }
}

fn keep_last(slot: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty())
        && slot.as_deref() != Some(value)
    {
        *slot = Some(value.to_owned());
    }
}

/// Calls that wait for their result, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OpenCalls(VecDeque<(String, EventId)>);

impl OpenCalls {
    /// Remembers a call.
    pub(super) fn open(&mut self, call_id: &str, event: EventId) {
        if !call_id.is_empty() && call_id.len() <= records::LONGEST_ID {
            push_bounded(&mut self.0, OPEN_CALLS, (call_id.to_owned(), event));
        }
    }

    /// Forgets a call that has its result, and returns its event.
    pub(super) fn close(&mut self, call_id: &str) -> Option<EventId> {
        let place = self.0.iter().rposition(|(id, _)| id == call_id)?;
        self.0.remove(place).map(|(_, event)| event)
    }
}

fn push_bounded<T>(queue: &mut VecDeque<T>, bound: usize, item: T) {
    if queue.len() >= bound {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// A short hash of an id (FNV-1a); enough to distinguish a few hundred random ids.
fn mark(id: &str) -> u64 {
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |mark, byte| {
        (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_small() {
        let mut memory = Memory { own: Some(Chain::of(place::session("s"))), ..Memory::default() };
        let event = EventId::from_bytes([0; 16]);
        for number in 0..5000 {
            let uuid = format!("00000000-0000-4000-8000-{number:012}");
            let parent = Some(format!("00000000-0000-4000-8000-{:012}", number - 1).into());
            let line = Line { parent_uuid: parent, ..Line::default() };
            memory.pass(&uuid);
            assert_eq!(memory.side_of(&line, &uuid), Seat::Side(0));
            memory.calls.open(&uuid, event);
        }
        let saved = serde_json::to_string(&memory).unwrap();
        assert!(saved.len() < 64 * 1024, "{} bytes", saved.len());
    }
}
