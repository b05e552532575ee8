//! The evidence behind a status.

use crate::observed::Marks;
use crate::{Confidence, EventId, Kind, Origin, Signal, Timestamp};
use serde::Serialize;

/// One report about the status of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The source of the report.
    pub source: Origin,
    /// The event's kind, or the hook's own name.
    pub kind: String,
    /// The time of the report, which orders evidence.
    pub at: Timestamp,
    /// The confidence.
    pub confidence: Confidence,
    /// The effect on the status.
    pub says: Signal,
    /// The subject: a command, a question, a reason.
    pub detail: String,
}

/// Whether the process that runs a session is alive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// No process is known.
    #[default]
    Unknown,
    /// The process is alive.
    Alive,
    /// The process was known and is gone.
    Dead,
}

/// The fields of an event that evidence is built from.
#[derive(Debug, Clone, Copy)]
pub struct EventHead<'a> {
    /// The event's id; it joins a call and its result.
    pub id: EventId,
    /// The event this one answers.
    pub parent: Option<EventId>,
    /// The kind.
    pub kind: &'a Kind,
    /// The source.
    pub origin: &'a Origin,
    /// The effect on the status, if the adapter set it.
    pub signal: Option<&'a Signal>,
    /// Flags of the event.
    pub marks: Marks,
    /// The tool, the hook's name, the reason.
    pub label: Option<&'a str>,
    /// The beginning of its text.
    pub excerpt: &'a str,
    /// When.
    pub at: Timestamp,
    /// The confidence.
    pub confidence: &'a Confidence,
}

/// The label that every adapter gives an interruption by the user.
const INTERRUPTED: &str = "interrupted";

/// The evidence an event provides about the status of its session, if any.
#[must_use]
pub fn of_event(event: &EventHead<'_>) -> Option<Evidence> {
    let says = says(event)?;
    let is_named = *event.origin == Origin::Hook && *event.kind != Kind::ApprovalResolved;
    let hook = is_named.then_some(event.label).flatten();
    Some(Evidence {
        source: event.origin.clone(),
        kind: hook.unwrap_or(event.kind.as_str()).to_owned(),
        at: event.at,
        confidence: event.confidence.clone(),
        says,
        detail: event.excerpt.to_owned(),
    })
}

/// The effect of an event on the status of its session, if any.
pub(crate) fn says(event: &EventHead<'_>) -> Option<Signal> {
    if *event.origin == Origin::PromptHistory {
        // The transcript, once it is read, is the evidence.
        return None;
    }
    if *event.origin == Origin::Hook && event.kind.is_carried() && event.signal.is_none() {
        // The hook's own event, beside it, is the evidence.
        return None;
    }
    match (event.signal, event.kind) {
        // A question in a transcript is named by its call, as its answer will be.
        (Some(Signal::Asked { call, options }), Kind::ToolCall) if call.is_empty() => {
            Some(Signal::Asked { call: event.id.to_string(), options: options.clone() })
        }
        (Some(signal), _) => Some(signal.clone()),
        (None, _) => of_kind(event),
    }
}

/// The effect of the kind alone, which is enough for transcripts.
fn of_kind(event: &EventHead<'_>) -> Option<Signal> {
    let call = || event.parent.map(|it| it.to_string()).unwrap_or_default();
    let ends = event.marks.has(Marks::ENDS_TURN);
    Some(match event.kind {
        Kind::SessionStarted => Signal::Started,
        Kind::SessionExited => Signal::Ended,
        Kind::UserPrompt => Signal::Prompted,
        Kind::AssistantMessage if ends => Signal::TurnOver,
        Kind::AssistantMessage | Kind::AssistantThinking | Kind::AssistantDelta => Signal::Busy,
        Kind::ToolCall => Signal::Called { call: event.id.to_string(), input: String::new() },
        Kind::ToolResult => Signal::Answered { call: call() },
        Kind::ApprovalRequested => Signal::AskedApproval { input: String::new() },
        Kind::ApprovalResolved => Signal::Settled { call: call(), input: String::new() },
        Kind::AgentStopped if event.label == Some(INTERRUPTED) => Signal::Interrupted,
        Kind::AgentStopped if ends => Signal::TurnOver,
        Kind::Error if ends => Signal::Failed,
        Kind::AgentStopped | Kind::Error => Signal::Busy,
        Kind::ContextCompacted => Signal::Compacted,
        Kind::Heartbeat => Signal::Alive,
        Kind::TurnStarted
        | Kind::TurnCompleted
        | Kind::StatusChanged
        | Kind::FindingRaised
        | Kind::FindingWithdrawn
        | Kind::Notice
        | Kind::EventRemoved
        | Kind::Unknown(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, RecordKey, RuntimeIdentity};

    fn id(number: u64) -> EventId {
        let who = RuntimeIdentity::new(AgentId::new("parrot"), "", "s");
        EventId::of(who.session(), &RecordKey::Ordinal(number), 0)
    }

    fn says(kind: &Kind, marks: Marks, label: Option<&str>) -> Option<Signal> {
        let event = EventHead {
            id: id(1),
            parent: Some(id(2)),
            kind,
            origin: &Origin::Transcript,
            signal: None,
            marks,
            label,
            excerpt: "words",
            at: Timestamp::UNIX_EPOCH,
            confidence: &Confidence::High,
        };
        of_event(&event).map(|it| it.says)
    }

    #[test]
    fn kinds_of_a_transcript() {
        let (plain, ends) = (Marks::default(), Marks::ENDS_TURN);
        let input = String::new;
        let check = |kind: Kind, marks, expected: Option<Signal>| {
            assert_eq!(says(&kind, marks, None), expected, "{kind:?}");
        };
        check(Kind::UserPrompt, Marks::OPENS_TURN, Some(Signal::Prompted));
        check(Kind::AssistantMessage, plain, Some(Signal::Busy));
        check(Kind::AssistantMessage, ends, Some(Signal::TurnOver));
        check(Kind::AssistantThinking, plain, Some(Signal::Busy));
        let called = Signal::Called { call: id(1).to_string(), input: input() };
        check(Kind::ToolCall, plain, Some(called));
        let call = id(2).to_string();
        check(Kind::ToolResult, plain, Some(Signal::Answered { call: call.clone() }));
        check(Kind::ApprovalResolved, plain, Some(Signal::Settled { call, input: input() }));
        check(Kind::AgentStopped, ends, Some(Signal::TurnOver));
        check(Kind::Error, ends, Some(Signal::Failed));
        check(Kind::Error, plain, Some(Signal::Busy));
        check(Kind::ContextCompacted, plain, Some(Signal::Compacted));
        check(Kind::SessionExited, plain, Some(Signal::Ended));
        check(Kind::Notice, plain, None);
        check(Kind::Unknown("tool.exploded".into()), plain, None);
        let interrupted = says(&Kind::AgentStopped, ends, Some("interrupted"));
        assert_eq!(interrupted, Some(Signal::Interrupted));
    }

    #[test]
    fn what_an_adapter_said_stands_and_a_question_is_named_by_its_call() {
        let check = |kind: Kind, signal: Signal, expected: Signal| {
            let event = EventHead {
                id: id(1),
                parent: None,
                kind: &kind,
                origin: &Origin::Hook,
                signal: Some(&signal),
                marks: Marks::default(),
                label: Some("Stop"),
                excerpt: "",
                at: Timestamp::UNIX_EPOCH,
                confidence: &Confidence::High,
            };
            let evidence = of_event(&event).unwrap();
            assert_eq!((evidence.says, evidence.kind.as_str()), (expected, "Stop"));
        };
        let asked = |call: String| Signal::Asked { call, options: Vec::new() };
        check(Kind::AgentStopped, Signal::WorkingOn, Signal::WorkingOn);
        check(Kind::ToolCall, asked(String::new()), asked(id(1).to_string()));
        check(Kind::Heartbeat, asked(String::new()), asked(String::new()));
    }
}
