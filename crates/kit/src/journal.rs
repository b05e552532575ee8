//! Reads the journal: entries from hooks, live registries, telemetry and the process table.

use crate::{Descriptor, Reader};
use std::borrow::Cow;
use std::collections::HashMap;
use taffrail_model::conclusion::{Concluded, Conclusion, Holds};
use taffrail_model::journal::{
    Answered, Entry, Glimpse, Gone, Loss, PipeEvent, PipeReport, Piped, Sent, Shows, TRIED, Tried,
};
use taffrail_model::quota::Reported;
use taffrail_model::status::{Status, WaitingKind};
use taffrail_model::{
    AgentId, Confidence, Detail, Draft, Facts, Kind, NewUsage, Origin, Process, Record, RecordKey,
    RuntimeIdentity, SessionId, Signal, Sink,
};

/// Reads the journal of one agent; it is stateless between records.
pub struct JournalReader {
    descriptor: &'static Descriptor,
    read_entry: fn(&mut EntrySink<'_, '_>),
    facts: SessionFacts,
}

/// The facts about each session in the journal.
#[derive(Default)]
struct SessionFacts {
    sessions: Vec<(RuntimeIdentity, Facts)>,
    places: HashMap<SessionId, usize>,
}

/// The current entry, and the sink of its events.
pub struct EntrySink<'e, 's> {
    pub entry: &'e Entry<'e>,
    /// The agent's process, among the writer's ancestors.
    pub process: Option<Process>,
    /// The confidence of the events that follow.
    pub confidence: Confidence,
    sink: &'s mut dyn Sink,
    facts: &'s mut SessionFacts,
}

impl JournalReader {
    /// `read_entry` reads the agent's own entries: from hooks, its registry, its telemetry.
    pub fn new(descriptor: &'static Descriptor, read_entry: fn(&mut EntrySink<'_, '_>)) -> Self {
        Self { descriptor, read_entry, facts: SessionFacts::default() }
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
        let (confidence, facts) = (Confidence::High, &mut self.facts);
        let sink = &mut EntrySink { entry: &entry, process, confidence, sink, facts };
        match &entry.via {
            Origin::Registry => match serde_json::from_str::<Piped>(entry.payload.get()) {
                Ok(piped) => pipe_report(sink, self.descriptor.id, piped.acp),
                // The agent's own report, in its own form.
                Err(_) => (self.read_entry)(sink),
            },
            Origin::Hook | Origin::Telemetry => (self.read_entry)(sink),
            Origin::Process => process_loss(sink, self.descriptor.id),
            Origin::Input => local_action(sink, self.descriptor.id),
            Origin::Pty => screen(sink, self.descriptor.id),
            Origin::Derived => conclusions(sink, self.descriptor.id),
            Origin::Transcript | Origin::PromptHistory | Origin::Unknown(_) => {
                sink.unknown(&format!("journal/{}", entry.via.as_str()));
            }
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.facts.sessions.clone()
    }

    fn save(&self) -> String {
        String::new()
    }
}

/// Reads an entry that Taffrail itself wrote about a session of any agent; `false` for another
/// entry.
pub fn read_own_entry(record: &Record<'_>, sink: &mut dyn Sink) -> bool {
    let Ok(entry) = serde_json::from_slice::<Entry<'_>>(record.bytes) else { return false };
    let (confidence, facts) = (Confidence::High, &mut SessionFacts::default());
    let sink = &mut EntrySink { entry: &entry, process: None, confidence, sink, facts };
    match &entry.via {
        Origin::Process => process_loss(sink, entry.agent.as_str()),
        Origin::Input => local_action(sink, entry.agent.as_str()),
        Origin::Derived => conclusions(sink, entry.agent.as_str()),
        Origin::Hook
        | Origin::Registry
        | Origin::Telemetry
        | Origin::Pty
        | Origin::Transcript
        | Origin::PromptHistory
        | Origin::Unknown(_) => return false,
    }
    true
}

impl<'e> EntrySink<'e, '_> {
    /// A draft with the fields that all events of this entry share.
    pub fn draft(&self, part: u32, kind: Kind) -> Draft<'e> {
        let mut draft =
            Draft::new(RecordKey::Provider(Cow::Borrowed(&self.entry.nonce)), part, kind);
        draft.at = Some(self.entry.at);
        draft.origin = self.entry.via.clone();
        draft.confidence = self.confidence.clone();
        draft
    }

    /// Emits an event.
    pub fn emit(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.sink.event(who, draft);
    }

    /// Adds facts about a session.
    pub fn add_facts(&mut self, who: &RuntimeIdentity, facts: Facts) {
        self.facts.add(who, facts);
    }

    /// Emits the usage of a model's answer.
    pub fn add_usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        self.sink.usage(who, usage);
    }

    /// Emits a limit of the account that a session reports.
    pub fn add_quota(&mut self, who: &RuntimeIdentity, reported: Reported<'_>) {
        if let Some(seen) = reported.by(who, self.entry.at) {
            self.sink.quota(seen);
        }
    }

    /// Counts an unknown entry.
    pub fn unknown(&mut self, raw_type: &str) {
        self.sink.unknown(raw_type, None);
    }
}

impl SessionFacts {
    fn add(&mut self, who: &RuntimeIdentity, facts: Facts) {
        let next = self.sessions.len();
        let place = *self.places.entry(who.session()).or_insert(next);
        match self.sessions.get_mut(place) {
            Some((_, known)) => *known = std::mem::take(known).joined(facts),
            None => self.sessions.push((who.clone(), facts)),
        }
    }
}

/// The detail of an event that has only a label.
pub fn labelled<'a>(
    label: &'static str,
    fields: Vec<(&'static str, serde_json::Value)>,
) -> Detail<'a> {
    Detail::Live { field: "label", name: Cow::Borrowed(label), fields }
}

/// A session lost its process.
fn process_loss(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Gone>(sink.entry.payload.get()) else {
        return sink.unknown("process/unreadable");
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::SessionExited);
    draft.signal = Some(match it.gone {
        Loss::Died => Signal::Died,
        Loss::Left => Signal::Ended,
    });
    draft.confidence = Confidence::High;
    draft.detail = labelled("process", vec![("pid", it.process.pid.into())]);
    sink.emit(&who, draft);
}

/// What the daemon concluded about a session, each at the time of what it was concluded from.
fn conclusions(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Concluded>(sink.entry.payload.get()) else {
        return sink.unknown("derived/unreadable");
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    for (part, it) in (0..).zip(it.conclusions) {
        let draft = conclusion(sink, part, it);
        sink.emit(&who, draft);
    }
}

fn conclusion<'e>(sink: &EntrySink<'e, '_>, part: u32, it: Conclusion) -> Draft<'e> {
    let make = |kind, at| Draft { at: Some(at), ..sink.draft(part, kind) };
    let live = |field, name: &str, fields| Detail::Live {
        field,
        name: Cow::Owned(name.to_owned()),
        fields,
    };
    match it {
        Conclusion::TurnStarted { at } => make(Kind::TurnStarted, at),
        Conclusion::TurnCompleted { at, started_at, status } => {
            let lasted = at.as_millisecond() - started_at.as_millisecond();
            let fields =
                vec![("started_at", started_at.to_string().into()), ("duration_ms", lasted.into())];
            let detail = live("status", status.as_str(), fields);
            Draft { detail, ..make(Kind::TurnCompleted, at) }
        }
        Conclusion::Status { at, status, before, confidence, rule, waiting_for } => {
            let optional = [
                ("before", before.map(Status::as_str)),
                ("waiting_for", waiting_for.map(WaitingKind::as_str)),
            ];
            let optional = optional.into_iter().filter_map(|(name, it)| Some((name, it?.into())));
            let fields = optional.chain([("rule", rule.into())]).collect();
            let detail = live("status", status.as_str(), fields);
            Draft { detail, confidence, ..make(Kind::StatusChanged, at) }
        }
        Conclusion::Finding { at, finding, holds, says } => {
            let kind = match holds {
                Holds::Raised => Kind::FindingRaised,
                Holds::Withdrawn => Kind::FindingWithdrawn,
            };
            let detail = live("finding", finding.as_str(), Vec::new());
            Draft { detail, text: Some(Cow::Owned(says)), ..make(kind, at) }
        }
    }
}

/// A user acted on a session through this program.
fn local_action(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let payload = sink.entry.payload.get();
    if let Ok(it) = serde_json::from_str(payload) {
        decision(sink, agent, it);
    } else if let Ok(it) = serde_json::from_str(payload) {
        prompt_sent(sink, agent, it);
    } else if let Ok(it) = serde_json::from_str(payload) {
        attempt(sink, agent, &it);
    } else {
        sink.unknown("ctm-input/unreadable");
    }
}

/// The agent tried an action that only a person may take, and was refused.
fn attempt(sink: &mut EntrySink<'_, '_>, agent: &str, it: &Tried) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(Signal::Alive);
    draft.confidence = Confidence::High;
    let about = it.approval.as_ref().map(|it| ("approval_id", it.as_str().into()));
    let fields = about.into_iter().chain([("tried", it.tried.as_str().into())]);
    draft.detail = labelled(TRIED, fields.collect());
    draft.text = Some(Cow::Owned(format!("{} tried to {}", it.program, it.tried)));
    sink.emit(&who, draft);
}

/// This program delivered a prompt. The prompt counts once the agent's own record has it.
fn prompt_sent(sink: &mut EntrySink<'_, '_>, agent: &str, it: Sent) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(Signal::Alive);
    draft.confidence = Confidence::High;
    draft.detail = labelled("sent", vec![("correlation_id", it.message.as_str().into())]);
    draft.text = Some(Cow::Owned(it.says));
    sink.emit(&who, draft);
}

/// A terminal that this program runs shows a known state.
fn screen(sink: &mut EntrySink<'_, '_>, agent: &str) {
    let Ok(it) = serde_json::from_str::<Glimpse>(sink.entry.payload.get()) else {
        return sink.unknown("pty/unreadable");
    };
    let asked = Signal::AskedApproval { input: String::new() };
    let (kind, signal, word) = match &it.shows {
        Shows::Ready => (Kind::Heartbeat, Signal::Quiet, "ready"),
        Shows::Working => (Kind::Heartbeat, Signal::Busy, "working"),
        Shows::Approval => (Kind::ApprovalRequested, asked, "approval"),
        Shows::Question => (
            Kind::Heartbeat,
            Signal::Asked { call: String::new(), options: Vec::new() },
            "question",
        ),
        Shows::Unclear => (Kind::Heartbeat, Signal::Alive, "unclear"),
        Shows::Unknown(word) => return sink.unknown(&format!("pty/{word}")),
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, kind);
    draft.signal = Some(signal);
    // A screen is drawn for people and changes with every version.
    draft.confidence = Confidence::Low;
    let mut fields = vec![("shows", word.into()), ("pid", it.process.pid.into())];
    fields.extend(it.repeats.then(|| ("repeats", true.into())));
    draft.detail = labelled("screen", fields);
    draft.text = it.command.map(Cow::Owned);
    let facts = Facts { project_path: it.folder, process: Some(it.process), ..Facts::default() };
    sink.add_facts(&who, facts);
    sink.emit(&who, draft);
}

/// An agent reported something in the Agent Client Protocol. The states of tools and plans are shown
/// with the evidence; only turns and requests change the status, because a tool's state may arrive
/// on either side of a request.
fn pipe_report(sink: &mut EntrySink<'_, '_>, agent: &str, it: PipeReport) {
    let input = it.input.clone();
    let (kind, signal, word) = match &it.event {
        PipeEvent::Opened => (Kind::Heartbeat, Signal::Alive, "opened"),
        PipeEvent::Prompted => (Kind::Heartbeat, Signal::Busy, "prompted"),
        PipeEvent::Asked => (Kind::ApprovalRequested, Signal::AskedApproval { input }, "asked"),
        PipeEvent::Settled => {
            (Kind::Heartbeat, Signal::Settled { call: String::new(), input }, "settled")
        }
        PipeEvent::Tool => (Kind::Heartbeat, Signal::Alive, "tool"),
        PipeEvent::Plan => (Kind::Heartbeat, Signal::Alive, "plan"),
        PipeEvent::TurnOver if it.status == "cancelled" => {
            (Kind::Heartbeat, Signal::Interrupted, "turn_over")
        }
        PipeEvent::TurnOver if it.status == "error" => {
            (Kind::Heartbeat, Signal::Failed, "turn_over")
        }
        PipeEvent::TurnOver => (Kind::Heartbeat, Signal::TurnOver, "turn_over"),
        PipeEvent::Unknown(word) => return sink.unknown(&format!("acp/{word}")),
    };
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, kind);
    draft.signal = Some(signal);
    let status = Some(it.status).filter(|it| !it.is_empty()).map(|it| ("status", it.into()));
    let fields = [("event", word.into()), ("pid", it.process.pid.into())].into_iter();
    draft.detail = labelled("acp", fields.chain(status).collect());
    draft.text = Some(it.says).filter(|it| !it.is_empty()).map(Cow::Owned);
    let facts = Facts { project_path: it.folder, process: Some(it.process), ..Facts::default() };
    sink.add_facts(&who, facts);
    sink.emit(&who, draft);
}

/// An approval request was decided through this program.
fn decision(sink: &mut EntrySink<'_, '_>, agent: &str, it: Answered) {
    let who = RuntimeIdentity::new(AgentId::new(agent), &it.scope, &it.session);
    let mut draft = sink.draft(0, Kind::ApprovalResolved);
    draft.signal = Some(match it.input.is_empty() {
        true => Signal::Alive,
        false => Signal::Settled { call: String::new(), input: it.input.clone() },
    });
    draft.confidence = Confidence::High;
    let fields = vec![
        ("label", "desk".into()),
        ("approval_id", it.approval.as_str().into()),
        ("decided_by", it.by.into()),
    ];
    let name = Cow::Owned(it.decision.as_str().to_owned());
    draft.detail = Detail::Live { field: "decision", name, fields };
    draft.text = Some(Cow::Owned(it.says));
    sink.emit(&who, draft);
}
