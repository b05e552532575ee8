//! Recorded homes of agents, read through their adapters as the daemon reads them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, Source, by_id};
use taffrail_contracts::captured::{AgentSession, Captured, Carried, Disk, Here, Remarks};
use taffrail_model::observed::Marks;
use taffrail_model::status::Status;
use taffrail_model::turn::{TurnInput, turns};
use taffrail_model::{
    AgentId, Cursor, DeviceId, Draft, Event, EventId, Lifecycle, NewUsage, Provenance, Record,
    RuntimeIdentity, SessionId, Sink, Timestamp, TitleRank, Tokens, TurnId,
};

/// Every session of a home that is not a sub-agent's, with its sub-agents. All of them are long
/// over.
pub(crate) fn sessions(agent: &str, home: &Path) -> Vec<Captured> {
    let adapter = by_id(agent).unwrap();
    let mut files = Vec::new();
    files_below(home, &mut files);
    let mut recorder = Recorder { agent: agent.to_owned(), ..Recorder::default() };
    for file in files {
        let path = file.strip_prefix(home).unwrap().to_str().unwrap().to_owned();
        if adapter.place(&path).is_some() {
            recorder.read(adapter, home, &path, &std::fs::read(&file).unwrap());
        }
    }
    recorder.sessions()
}

#[derive(Default)]
struct Recorder {
    agent: String,
    locator: String,
    at: Option<Timestamp>,
    events: BTreeMap<String, Vec<(Event, Marks)>>,
    usage: BTreeMap<String, HashMap<[u8; 16], Tokens>>,
    facts: Vec<(RuntimeIdentity, taffrail_model::Facts, String)>,
}

impl Recorder {
    fn read(&mut self, adapter: &dyn Adapter, home: &Path, path: &str, bytes: &[u8]) {
        let place = adapter.place(path).unwrap();
        let beside = place.beside.iter();
        let beside = beside.filter_map(|p| Some((p.clone(), std::fs::read(home.join(p)).ok()?)));
        let beside: Vec<_> = beside.collect();
        let source = Source { path, key: "", scope: "", beside: &beside, written: None };
        let mut reader = adapter.reader(&source, None);
        (self.locator, self.at) = (place.locator.clone(), None);
        let mut byte_offset = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let at = Cursor::Bytes { byte_offset, length: line.len() as u64 - 1 };
            reader.read(&Record { bytes: line.trim_ascii_end(), at }, self);
            byte_offset += line.len() as u64;
        }
        for (who, facts) in reader.facts() {
            self.facts.push((who, facts, place.locator.clone()));
        }
    }

    fn sessions(self) -> Vec<Captured> {
        let mut known: BTreeMap<String, (RuntimeIdentity, taffrail_model::Facts, String)> =
            BTreeMap::new();
        for (who, facts, locator) in &self.facts {
            let id = who.id.as_str().to_owned();
            let (_, joined, _) = known
                .entry(id)
                .or_insert_with(|| (who.clone(), Default::default(), locator.clone()));
            *joined = std::mem::take(joined).joined(facts.clone());
        }
        let all: Vec<AgentSession> = known.values().map(|it| self.session(it)).collect();
        let root_of = |session: &AgentSession| root_of(&all, session.id);
        let roots = all.iter().filter(|session| root_of(session) == session.id);
        let captured = roots.map(|main| {
            let of_it = |it: &&AgentSession| it.id != main.id && root_of(it) == main.id;
            captured(main.clone(), all.iter().filter(of_it).cloned().collect())
        });
        captured.collect()
    }

    fn session(
        &self,
        (who, facts, locator): &(RuntimeIdentity, taffrail_model::Facts, String),
    ) -> AgentSession {
        let id = who.id.as_str();
        let mut recorded = self.events.get(id).cloned().unwrap_or_default();
        recorded.sort_by_key(|(event, _)| event.created_at);
        let labels: Vec<_> = recorded.iter().map(|(event, _)| label(event)).collect();
        let inputs = recorded.iter().zip(&labels).map(|((event, marks), label)| TurnInput {
            kind: &event.kind,
            at: event.created_at,
            turn: event.turn_id,
            marks: *marks,
            text: event.text.as_deref().unwrap_or_default(),
            label: label.as_deref(),
            signal: None,
        });
        let turns = turns(inputs, None);
        let events: Vec<Event> = recorded.into_iter().map(|(event, _)| event).collect();
        let title = facts.title.clone().filter(|it| it.rank > TitleRank::FirstPrompt);
        AgentSession {
            id: who.session(),
            agent: AgentId::new(self.agent.clone()),
            runtime_id: who.id.clone(),
            parent: facts.parent.as_ref().map(RuntimeIdentity::session),
            listed_as: facts.title.clone().map(|it| it.text),
            title: title.map(|it| it.text),
            project_path: facts.project_path.clone(),
            git_branch: facts.git_branch.clone(),
            model: facts.model.clone(),
            started_at: facts.started_at,
            last_event_at: events.last().map(|it| it.created_at),
            status: Status::Exited,
            waiting_for: None,
            // As in the program: a sub-agent cannot be resumed on its own.
            lifecycle: if facts.parent.is_some() {
                Lifecycle::Detached
            } else {
                Lifecycle::Resumable
            },
            process: None,
            executor: None,
            tokens: self.usage.get(id).into_iter().flat_map(HashMap::values).copied().sum(),
            context: None,
            command: None,
            source_uri: locator.clone(),
            turns,
            events,
        }
    }
}

fn root_of(all: &[AgentSession], id: SessionId) -> SessionId {
    let parent = all.iter().find(|it| it.id == id).and_then(|it| it.parent);
    let parent = parent.filter(|parent| all.iter().any(|it| it.id == *parent));
    parent.map_or(id, |parent| root_of(all, parent))
}

/// Why an agent stopped, which distinguishes an interruption from an end.
fn label(event: &Event) -> Option<String> {
    let names = ["tool", "reason", "decision", "label", "model"];
    names.iter().find_map(|name| event.data.get(*name)?.as_str()).map(str::to_owned)
}

fn captured(main: AgentSession, workers: Vec<AgentSession>) -> Captured {
    let here = Here {
        now: "2026-12-01T00:00:00Z".parse().unwrap(),
        device: "north".to_owned(),
        // Only a Git checkout has a commit.
        repo_root: main.project_path.clone(),
        git_commit: Some("ab".repeat(20)),
        former_project: None,
        version: "0.0.0".to_owned(),
    };
    let (remarks, carried, disk) = (Remarks::default(), Carried::default(), Disk::default());
    Captured { main, workers, target: None, here, remarks, carried, disk }
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.at = draft.at.or(self.at);
        let at = self.at.unwrap_or(Timestamp::UNIX_EPOCH);
        let provenance = Provenance {
            source_kind: "runtime_transcript".to_owned(),
            backend: AgentId::new(self.agent.clone()),
            runtime_session_id: who.id.clone(),
            runtime_source_uri: self.locator.clone(),
            source_cursor: Cursor::Bytes { byte_offset: 0, length: 0 },
            source_event_id: draft.key.provider_id(),
            observed_by_peer_id: DeviceId::new("device-north"),
            observed_at: at,
        };
        let mut marks = Marks::default();
        for (is, mark) in [
            (draft.opens_turn, Marks::OPENS_TURN),
            (draft.ends_turn, Marks::ENDS_TURN),
            (draft.detail.failed(), Marks::FAILED),
        ] {
            marks = if is { marks.with(mark) } else { marks };
        }
        let own = self.events.entry(who.id.as_str().to_owned()).or_default();
        let event = Event {
            id: EventId::of(who.session(), &draft.key, draft.part),
            session_id: who.session(),
            provider: AgentId::new(self.agent.clone()),
            provider_session_id: who.id.clone(),
            source: draft.origin.clone(),
            kind: draft.kind.clone(),
            created_at: at,
            observed_at: at,
            sequence: own.len() as u64 + 1,
            generation: "g1".to_owned(),
            revision: 1,
            turn_id: draft.turn,
            parent_id: draft.parent,
            answer: None,
            text: draft.text.as_deref().map(str::to_owned),
            data: draft.detail.to_json(),
            confidence: draft.confidence.clone(),
            provenance,
        };
        own.push((event, marks));
    }

    fn remove(&mut self, who: &RuntimeIdentity, event: EventId) {
        let own = self.events.entry(who.id.as_str().to_owned()).or_default();
        own.retain(|(it, _)| it.id != event);
    }

    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId) {
        let own = self.events.entry(who.id.as_str().to_owned()).or_default();
        own.retain(|(it, _)| it.turn_id != Some(turn));
    }

    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        let own = self.usage.entry(who.id.as_str().to_owned()).or_default();
        let known = own.entry(usage.key).or_default();
        *known = known.later_of(usage.tokens);
    }

    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}
