//! A builder for sessions in a few words.

use serde_json::{Map, Value, json};
use taffrail_model::evidence::{EventHead, Evidence, Life, of_event};
use taffrail_model::findings::{
    Context, EventView, Finding, Role, Standing, Step, Thresholds, findings, status_line, step,
};
use taffrail_model::observed::Marks;
use taffrail_model::status::{Reading, Status, StatusRule, WaitingFor, WaitingKind};
use taffrail_model::{
    AgentId, Confidence, EventId, Kind, Origin, RecordKey, RuntimeIdentity, SessionId, Signal,
    Timestamp,
};

const BEGAN: i64 = 1_800_000_000;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(BEGAN + seconds).unwrap()
}

pub(crate) fn session(name: &str) -> SessionId {
    RuntimeIdentity::new(AgentId::new("parrot"), "", name).session()
}

pub(crate) fn id(number: u64) -> EventId {
    EventId::of(session("s"), &RecordKey::Ordinal(number), 0)
}

/// An event that owns its fields.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) number: u64,
    parent: Option<EventId>,
    kind: Kind,
    origin: Origin,
    signal: Option<Signal>,
    marks: Marks,
    label: Option<String>,
    pub(crate) at: Timestamp,
    confidence: Confidence,
    text: String,
    data: Map<String, Value>,
}

impl Said {
    pub(crate) fn heard(&self) -> EventView<'_> {
        EventView {
            id: id(self.number),
            parent: self.parent,
            kind: &self.kind,
            origin: &self.origin,
            signal: self.signal.as_ref(),
            marks: self.marks,
            label: self.label.as_deref(),
            at: self.at,
            place: (self.number, 0),
            confidence: &self.confidence,
            text: &self.text,
            data: &self.data,
        }
    }
}

impl Said {
    /// The evidence that the event provides about its session's status.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        of_event(&self.head())
    }

    /// What the measures of quality take from the event.
    pub(crate) fn step(&self) -> Option<Step> {
        let command = self.data.get("input").and_then(|it| it.get("command"));
        let excerpt = command.and_then(Value::as_str).unwrap_or(&self.text);
        let place = (self.at.as_microsecond(), 0, true, 0, 0, id(self.number));
        step(&EventHead { excerpt, ..self.head() }, place)
    }

    fn head(&self) -> EventHead<'_> {
        EventHead {
            id: id(self.number),
            parent: self.parent,
            kind: &self.kind,
            origin: &self.origin,
            signal: self.signal.as_ref(),
            marks: self.marks,
            label: self.label.as_deref(),
            excerpt: &self.text,
            at: self.at,
            confidence: &self.confidence,
        }
    }
}

/// A session built step by step. Every step takes one second.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tale {
    pub(crate) said: Vec<Said>,
    pub(crate) second: i64,
}

impl Tale {
    pub(crate) fn new() -> Self {
        Self::default().prompt("do it")
    }

    fn say(mut self, kind: Kind, text: &str) -> Self {
        self.second += 1;
        self.said.push(Said {
            number: self.said.len() as u64 + 1,
            parent: None,
            kind,
            origin: Origin::Transcript,
            signal: None,
            marks: Marks::default(),
            label: None,
            at: at(self.second),
            confidence: Confidence::High,
            text: text.to_owned(),
            data: Map::new(),
        });
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Said)) -> Self {
        change(self.said.last_mut().unwrap());
        self
    }

    pub(crate) fn later(mut self, seconds: i64) -> Self {
        self.second += seconds;
        self
    }

    pub(crate) fn prompt(self, text: &str) -> Self {
        self.say(Kind::UserPrompt, text).last(|it| it.marks = Marks::OPENS_TURN)
    }

    pub(crate) fn speak(self, text: &str) -> Self {
        self.say(Kind::AssistantMessage, text)
    }

    pub(crate) fn done(self, text: &str) -> Self {
        self.say(Kind::AssistantMessage, text).last(|it| it.marks = Marks::ENDS_TURN)
    }

    pub(crate) fn interrupted(self) -> Self {
        self.say(Kind::AgentStopped, "").last(|it| {
            it.marks = Marks::ENDS_TURN;
            it.label = Some("interrupted".to_owned());
        })
    }

    /// A call without a result.
    pub(crate) fn call(self, tool: &str, input: Value) -> Self {
        self.say(Kind::ToolCall, "").last(|it| {
            it.label = Some(tool.to_owned());
            it.data.insert("input".to_owned(), input);
        })
    }

    /// The result of the latest call.
    pub(crate) fn answer(self, code: i64, text: &str) -> Self {
        let call = self.said.iter().rev().find(|it| it.kind == Kind::ToolCall).unwrap().number;
        self.say(Kind::ToolResult, text).last(|it| {
            it.parent = Some(id(call));
            it.marks = if code == 0 { Marks::default() } else { Marks::FAILED };
            it.data.insert("exit_code".to_owned(), code.into());
        })
    }

    pub(crate) fn run(self, command: &str, code: i64, text: &str) -> Self {
        self.call("Bash", json!({"command": command})).answer(code, text)
    }

    pub(crate) fn edit(self, file: &str, old: &str, new: &str) -> Self {
        let input = json!({"file_path": file, "old_string": old, "new_string": new});
        self.call("Edit", input).answer(0, "ok")
    }

    pub(crate) fn fails(self, code: &str, text: &str, retrying: Option<bool>) -> Self {
        self.say(Kind::Error, text).last(|it| {
            it.label = Some(code.to_owned());
            it.data.insert("code".to_owned(), code.into());
            it.data.extend(retrying.map(|it| ("retrying".to_owned(), it.into())));
            it.marks = if retrying.is_none() { Marks::ENDS_TURN } else { Marks::default() };
        })
    }

    /// A report from a hook or another live source.
    pub(crate) fn live(self, origin: Origin, signal: Signal, text: &str) -> Self {
        self.say(Kind::Heartbeat, text).last(|it| {
            it.origin = origin;
            it.signal = Some(signal);
        })
    }

    /// A report from a hook that cannot report when the work stops.
    pub(crate) fn live_unsure(self, signal: Signal) -> Self {
        self.live(Origin::Hook, signal, "").last(|it| it.confidence = Confidence::Low)
    }

    pub(crate) fn asks_approval(self, command: &str) -> Self {
        let signal = Signal::AskedApproval { input: "00".to_owned() };
        self.live(Origin::Hook, signal, command)
    }

    pub(crate) fn folds(self, before: u64) -> Self {
        self.say(Kind::ContextCompacted, "").last(|it| {
            it.data.insert("trigger".to_owned(), "auto".into());
            it.data.insert("tokens_before".to_owned(), before.into());
        })
    }

    /// The agent's status line reports how full its context is.
    pub(crate) fn uses(self, used: u64, window: u64) -> Self {
        self.live(Origin::Hook, Signal::Alive, "").last(|it| {
            it.label = Some(status_line::LABEL.to_owned());
            it.data.insert(status_line::USED.to_owned(), used.into());
            it.data.insert(status_line::WINDOW.to_owned(), window.into());
        })
    }

    pub(crate) fn heard(&self) -> Vec<EventView<'_>> {
        self.said.iter().map(Said::heard).collect()
    }

    pub(crate) fn steps(&self) -> Vec<Step> {
        self.said.iter().filter_map(Said::step).collect()
    }

    /// The findings for a given status.
    pub(crate) fn found(&self, stands: &Stands) -> Vec<Finding> {
        let now = at(self.second + stands.after);
        findings(self.heard(), &stands.standing(), now, &Thresholds::default())
    }
}

/// The status of a session.
#[derive(Debug, Clone)]
pub(crate) struct Stands {
    pub(crate) reading: Reading,
    pub(crate) life: Life,
    pub(crate) role: Role,
    pub(crate) context: Option<Context>,
    /// Seconds after the last event.
    pub(crate) after: i64,
}

impl Stands {
    pub(crate) fn new(status: Status, since: i64) -> Self {
        let reading = Reading {
            status,
            since: at(since),
            confidence: Confidence::High,
            waiting_for: None,
            rule: StatusRule::NothingKnown,
            rests_on: Vec::new(),
            until: None,
            failure: None,
        };
        let (life, role) = (Life::Alive, Role::Main);
        Self { reading, life, role, context: None, after: 0 }
    }

    pub(crate) fn running() -> Self {
        Self::new(Status::Running, 0)
    }

    pub(crate) fn waiting(since: i64) -> Self {
        Self::new(Status::Waiting, since).on(WaitingKind::Prompt, "")
    }

    pub(crate) fn on(mut self, kind: WaitingKind, text: &str) -> Self {
        self.reading.waiting_for = Some(WaitingFor::new(kind, text.to_owned()));
        self
    }

    pub(crate) fn after(self, after: i64) -> Self {
        Self { after, ..self }
    }

    pub(crate) fn standing(&self) -> Standing<'_> {
        Standing {
            session: session("s"),
            reading: &self.reading,
            life: self.life,
            role: self.role,
            context: self.context,
        }
    }
}

/// The kinds of findings, as words.
pub(crate) fn kinds(found: &[Finding]) -> Vec<&str> {
    found.iter().map(|it| it.kind.as_str()).collect()
}
