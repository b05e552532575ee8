//! What the measures of a session's work take from an event. The index alone is enough for it: the
//! excerpt of a call counts as its command.

use super::super::commands::{self, Purpose};
use super::super::event_view::is_spoken;
use super::super::note::{How, kept};
use super::super::outcome::{Effect, effect};
use super::super::status_line;
use crate::evidence::{self, EventHead};
use crate::observed::Marks;
use crate::{EventId, Kind, Signal};
use serde::{Deserialize, Serialize};

/// Puts the events of a session in their canonical order: the microsecond, the rank of the source, whether the event is
/// not the start of the session, the position of the record, the event's index in it, and the id.
pub type Place = (i64, u8, bool, i64, u32, EventId);

/// What the measures take from an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub(super) place: Place,
    pub(super) acts: Vec<Act>,
}

/// One effect of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Act {
    /// A person sent a prompt.
    Prompt,
    /// A tool was called, but not for a check.
    Work,
    /// A check was called: the event, and what identifies the check.
    Check(EventId, String),
    /// A call does this if it succeeds.
    Effect(EventId, Effect),
    /// The agent said something.
    Spoke,
    /// The tool of this call returned, and whether it failed.
    Result(EventId, bool),
    /// The turn is over.
    Over(How),
    /// The agent asks for an approval of this input.
    Asked(String),
    /// A hook announced the call of this input.
    Called { call: String, input: String },
    /// A request was decided.
    Settled { call: String, input: String },
    /// A call returned.
    Answered(String),
    /// A person interrupted the turn.
    Interrupted,
}

/// What the measures take from an event; `None` if they do not need it.
#[must_use]
pub fn step(event: &EventHead<'_>, place: Place) -> Option<Step> {
    let says = evidence::says(event);
    let turn = match is_spoken(event.origin, event.kind) {
        true => of_kind(event),
        false => {
            says.as_ref().filter(|_| event.label != Some(status_line::LABEL)).and_then(of_signal)
        }
    };
    let does = turn.as_ref().and_then(|it| does(event, it));
    let acts: Vec<Act> =
        says.and_then(about_approval).into_iter().chain(turn).chain(does).collect();
    (!acts.is_empty()).then_some(Step { place, acts })
}

/// The effect on approvals: only live sources show how long a person took.
fn about_approval(says: Signal) -> Option<Act> {
    match says {
        Signal::AskedApproval { input } => Some(Act::Asked(input)),
        Signal::Called { call, input } if !input.is_empty() => Some(Act::Called { call, input }),
        Signal::Settled { call, input } => Some(Act::Settled { call, input }),
        Signal::Answered { call } => Some(Act::Answered(call)),
        Signal::Interrupted => Some(Act::Interrupted),
        _ => None,
    }
}

/// The effect of an event in the agent's own history on the turn.
fn of_kind(event: &EventHead<'_>) -> Option<Act> {
    let ends = event.marks.has(Marks::ENDS_TURN);
    let asks = matches!(event.signal, Some(Signal::Asked { .. }));
    match event.kind {
        Kind::UserPrompt => Some(Act::Prompt),
        Kind::ToolCall if asks => None,
        Kind::ToolCall => Some(called(event)),
        Kind::ToolResult => event.parent.map(|it| Act::Result(it, event.marks.has(Marks::FAILED))),
        Kind::Error => Some(Act::Over(How::Failed)),
        Kind::AgentStopped if event.label == Some("interrupted") => {
            Some(Act::Over(How::Interrupted))
        }
        Kind::AssistantMessage | Kind::AgentStopped if ends => Some(Act::Over(How::Done)),
        Kind::AssistantMessage => Some(Act::Spoke),
        _ => None,
    }
}

/// The effect of a report by a hook, a registry or a probe on the turn.
fn of_signal(says: &Signal) -> Option<Act> {
    match says {
        Signal::Prompted => Some(Act::Prompt),
        Signal::TurnOver => Some(Act::Over(How::Done)),
        Signal::Interrupted => Some(Act::Over(How::Interrupted)),
        Signal::Failed => Some(Act::Over(How::Failed)),
        _ => None,
    }
}

/// What a call does if it succeeds.
fn does(event: &EventHead<'_>, act: &Act) -> Option<Act> {
    if !matches!(act, Act::Work | Act::Check(..)) {
        return None;
    }
    let purpose = commands::purpose(event.label.unwrap_or_default(), Some(event.excerpt));
    effect(purpose, event.excerpt).map(|it| Act::Effect(event.id, it))
}

fn called(event: &EventHead<'_>) -> Act {
    match commands::purpose(event.label.unwrap_or_default(), Some(event.excerpt)) {
        Purpose::Test | Purpose::Check => {
            Act::Check(event.id, kept(&commands::key_of(event.excerpt)))
        }
        Purpose::Install
        | Purpose::Merge
        | Purpose::Look
        | Purpose::Wait
        | Purpose::Change
        | Purpose::Run
        | Purpose::Other => Act::Work,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::note::{Says, note};
    use super::*;
    use crate::findings::EventView;
    use crate::{AgentId, Confidence, Origin, RecordKey, RuntimeIdentity, Timestamp};
    use serde_json::json;

    fn id(number: u64) -> EventId {
        let who = RuntimeIdentity::new(AgentId::new("parrot"), "", "s");
        EventId::of(who.session(), &RecordKey::Ordinal(number), 0)
    }

    const KINDS: [Kind; 11] = [
        Kind::UserPrompt,
        Kind::AssistantMessage,
        Kind::AssistantThinking,
        Kind::ToolCall,
        Kind::ToolResult,
        Kind::Error,
        Kind::AgentStopped,
        Kind::ApprovalRequested,
        Kind::ApprovalResolved,
        Kind::Heartbeat,
        Kind::SessionStarted,
    ];

    fn signals() -> Vec<Option<Signal>> {
        let words =
            ["", "called:x:c", "called::c", "answered:c", "asked-approval:x", "settled:x:c"];
        let more =
            ["asked:c", "turn-over", "interrupted", "failed", "prompted", "working-on", "busy"];
        let all = words.into_iter().chain(more);
        all.map(|it| (!it.is_empty()).then(|| Signal::parse(it))).collect()
    }

    /// The effect on the turn of the note that findings make of the same event.
    fn noted(event: &EventHead<'_>) -> Option<Act> {
        let input = json!({ "input": { "command": event.excerpt } });
        let data = if *event.kind == Kind::ToolCall { input } else { json!({}) };
        let view = EventView {
            id: event.id,
            parent: event.parent,
            kind: event.kind,
            origin: event.origin,
            signal: event.signal,
            marks: event.marks,
            label: event.label,
            at: event.at,
            place: (0, 0),
            confidence: event.confidence,
            text: event.excerpt,
            data: data.as_object().unwrap(),
        };
        match note(&view)?.1.says {
            Says::Prompt => Some(Act::Prompt),
            Says::Call(call) if matches!(call.purpose, Purpose::Test | Purpose::Check) => {
                Some(Act::Check(event.id, call.key))
            }
            Says::Call(_) => Some(Act::Work),
            Says::Answer(answer) => Some(Act::Result(answer.call?, answer.failed)),
            Says::Over(how) => Some(Act::Over(how)),
            Says::Spoke => Some(Act::Spoke),
            Says::Failure(failure) => (!failure.retrying).then_some(Act::Over(How::Failed)),
            _ => None,
        }
    }

    #[test]
    fn a_step_and_a_note_agree_about_the_turn() {
        let check = |event: &EventHead<'_>| {
            let place = (0, 0, true, 0, 0, event.id);
            let acts = step(event, place).map(|it| it.acts).unwrap_or_default();
            let live = evidence::says(event).and_then(about_approval);
            let noted = noted(event);
            let does = noted.as_ref().and_then(|it| does(event, it));
            let expected: Vec<_> = live.into_iter().chain(noted).chain(does).collect();
            assert_eq!(acts, expected, "{event:?}");
        };
        let labels =
            [None, Some("Bash"), Some("Edit"), Some("interrupted"), Some(status_line::LABEL)];
        let marks = [Marks::default(), Marks::ENDS_TURN, Marks::FAILED];
        for (kind, signal) in
            KINDS.iter().flat_map(|it| signals().into_iter().map(move |s| (it, s)))
        {
            for origin in [Origin::Transcript, Origin::Input, Origin::Hook, Origin::Derived] {
                for (label, marks) in labels.iter().flat_map(|it| marks.map(|mark| (*it, mark))) {
                    for excerpt in ["cd a && cargo test -p x | tail", "ls", "make", ""] {
                        check(&EventHead {
                            id: id(1),
                            parent: Some(id(2)),
                            kind,
                            origin: &origin,
                            signal: signal.as_ref(),
                            marks,
                            label,
                            excerpt,
                            at: Timestamp::UNIX_EPOCH,
                            confidence: &Confidence::High,
                        });
                    }
                }
            }
        }
    }
}
