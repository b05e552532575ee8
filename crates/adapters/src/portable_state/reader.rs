//! A session state as events.

use super::document::{Document, text_of};
use super::identity;
use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::{Reader, records};
use taffrail_model::{
    Confidence, Detail, Draft, EventId, Facts, Imported, Kind, Record, RecordKey, RuntimeIdentity,
    Sink, Timestamp, Title, TitleRank, TurnId, text,
};

/// Reads a state, which is one record.
pub(super) struct StateReader {
    known: Option<(RuntimeIdentity, Facts)>,
}

impl StateReader {
    pub(super) fn new(saved: Option<&str>) -> Self {
        Self { known: saved.and_then(|it| serde_json::from_str(it).ok()) }
    }
}

impl Reader for StateReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let document = Document::read(record.bytes);
        let Some((document, id)) = document.as_ref().and_then(|it| Some((it, it.id()?))) else {
            return sink.unknown("state/unreadable", None);
        };
        let who = identity(id);
        StateEvents { who: &who, document, sink }.emit();
        self.known = Some((who, facts(document)));
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.known.clone().into_iter().collect()
    }

    fn save(&self) -> String {
        self.known.as_ref().and_then(|it| serde_json::to_string(it).ok()).unwrap_or_default()
    }
}

fn facts(document: &Document) -> Facts {
    let goal = document.text("goal").map(text::excerpt);
    Facts {
        title: goal.map(|text| Title { rank: TitleRank::Given, text }),
        project_path: document.text("project").map(str::to_owned),
        git_branch: document.remark("git_branch").map(str::to_owned),
        entrypoint: Some("import".to_owned()),
        started_at: document.text("created_at").and_then(records::time),
        imported: Some(imported(document)),
        ..Facts::default()
    }
}

/// The status of the work, in the words of the document.
fn imported(document: &Document) -> Imported {
    let status = document.text("status").map(text::excerpt);
    Imported { status, progress: document.number("progress").cloned() }
}

struct StateEvents<'a, 's> {
    who: &'a RuntimeIdentity,
    document: &'a Document,
    sink: &'s mut dyn Sink,
}

impl<'a> StateEvents<'a, '_> {
    fn emit(&mut self) {
        let began = self.document.text("created_at").and_then(records::time);
        let moved = self.document.text("updated_at").and_then(records::time).or(began);
        self.say("began", Kind::SessionStarted, began, |draft| {
            draft.detail = Detail::Started { version: None, entrypoint: None, cwd: None };
        });
        let turn = self.goal(began);
        for (number, decision) in self.document.list("decisions_made").enumerate() {
            let at = text_of(decision, "timestamp").and_then(records::time).or(began);
            self.remark(&format!("decision/{number}"), "decision", at, decided(decision));
        }
        for (number, file) in self.document.list("files_modified").enumerate() {
            let at = text_of(file, "timestamp").and_then(records::time).or(moved);
            let action = text_of(file, "action").unwrap_or("changed");
            let said = text_of(file, "path").map(|path| format!("{action} {path}"));
            self.remark(&format!("file/{number}"), "file", at, said);
        }
        for (number, agent) in self.document.list("agents").enumerate() {
            self.agent(number, agent, moved);
        }
        for (name, label) in [("completed_work", "done"), ("pending_tasks", "to do")] {
            let all: Vec<_> = self.document.texts(name).map(|it| format!("- {it}")).collect();
            self.remark(name, label, moved, Some(all.join("\n")).filter(|it| !it.is_empty()));
        }
        let status = self.document.text("status");
        self.say("stands", Kind::AgentStopped, moved, |draft| {
            (draft.turn, draft.ends_turn) = (turn, turn.is_some());
            draft.detail = Detail::Stopped { reason: status.map(Cow::Borrowed), duration_ms: None };
        });
    }

    fn goal(&mut self, began: Option<Timestamp>) -> Option<TurnId> {
        let goal = self.document.text("goal")?;
        let id = EventId::of(self.who.session(), &key("goal"), 0);
        let turn = TurnId::opened_by(id);
        self.say("goal", Kind::UserPrompt, began, |draft| {
            (draft.turn, draft.opens_turn) = (Some(turn), true);
            draft.text = Some(Cow::Borrowed(goal));
            draft.detail = Detail::Prompt { asked_by: None };
        });
        Some(turn)
    }

    /// An agent's summary of its work, or else its status.
    fn agent(&mut self, number: usize, agent: &'a Value, moved: Option<Timestamp>) {
        let ended = text_of(agent, "completed_at").or_else(|| text_of(agent, "started_at"));
        let at = ended.and_then(records::time).or(moved);
        let name = text_of(agent, "id").unwrap_or("agent");
        let stands = text_of(agent, "status").unwrap_or("unknown");
        let said = text_of(agent, "output_summary").unwrap_or(stands);
        self.say(&format!("agent/{number}"), Kind::AssistantMessage, at, |draft| {
            draft.text = Some(Cow::Owned(format!("{name}: {said}")));
            draft.detail = Detail::Message { model: None, stop_reason: None, answer: None };
        });
    }

    fn remark(
        &mut self,
        name: &str,
        label: &'static str,
        at: Option<Timestamp>,
        said: Option<String>,
    ) {
        let Some(said) = said else { return };
        self.say(name, Kind::Notice, at, |draft| {
            draft.text = Some(Cow::Owned(said));
            draft.detail = Detail::Remark { label: Cow::Borrowed(label) };
        });
    }

    fn say(
        &mut self,
        name: &str,
        kind: Kind,
        at: Option<Timestamp>,
        fill: impl FnOnce(&mut Draft<'a>),
    ) {
        let mut draft = Draft::new(RecordKey::Provider(Cow::Owned(name.to_owned())), 0, kind);
        (draft.at, draft.confidence) = (at, Confidence::Low);
        fill(&mut draft);
        self.sink.event(self.who, draft);
    }
}

fn key(name: &'static str) -> RecordKey<'static> {
    RecordKey::Provider(Cow::Borrowed(name))
}

fn decided(decision: &Value) -> Option<String> {
    let chosen = text_of(decision, "chosen")?;
    let about = text_of(decision, "context").map(|it| format!("{it}: ")).unwrap_or_default();
    let why = text_of(decision, "reasoning").map(|it| format!(" ({it})")).unwrap_or_default();
    Some(format!("{about}{chosen}{why}"))
}
