//! How a session spent its time: the model, tools, or waiting for a person.
//!
//! Between two events a session does what the first one began. The time between the end of a turn
//! and the next prompt is unknown and counts for nothing.

use crate::observed::Marks;
use crate::{Kind, Timestamp};
use serde::Serialize;

/// An activity of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The model was asked and answered.
    Model,
    /// At least one tool was running.
    Tool,
    /// The session waited for an approval.
    Human,
}

/// A span of time and its activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// When it began.
    pub from: Timestamp,
    /// When it ended.
    pub to: Timestamp,
    /// The activity.
    pub doing: Doing,
}

/// The open turn, request and calls at an instant.
#[derive(Debug, Default)]
struct Open {
    in_turn: bool,
    calls: u32,
    asked: bool,
}

/// Folds events, in chronological order, into spans; adjacent spans of the same activity merge.
#[must_use]
pub fn spans<'a>(events: impl IntoIterator<Item = (&'a Kind, Marks, Timestamp)>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let (mut open, mut last) = (Open::default(), None);
    for (kind, marks, at) in events {
        if let (Some(from), Some(doing)) = (last, open.doing(kind)) {
            push(&mut out, Span { from, to: at, doing });
        }
        open.hear(kind, marks);
        last = Some(at);
    }
    out
}

impl Open {
    /// The activity until this event.
    fn doing(&self, next: &Kind) -> Option<Doing> {
        match next {
            // A new prompt ends all waiting: the time before it belongs to nothing that was still
            // open.
            Kind::UserPrompt => None,
            _ if self.asked => Some(Doing::Human),
            _ if self.calls > 0 => Some(Doing::Tool),
            _ if self.in_turn => Some(Doing::Model),
            _ => None,
        }
    }

    fn hear(&mut self, kind: &Kind, marks: Marks) {
        match kind {
            _ if marks.has(Marks::ENDS_TURN) => *self = Self::default(),
            Kind::UserPrompt => *self = Self { in_turn: true, ..Self::default() },
            Kind::AgentStopped | Kind::SessionExited => *self = Self::default(),
            Kind::ApprovalRequested => self.asked = true,
            Kind::ApprovalResolved => self.asked = false,
            Kind::ToolCall => {
                self.in_turn = true;
                self.calls = self.calls.saturating_add(1);
            }
            Kind::ToolResult => {
                self.asked = false;
                self.calls = self.calls.saturating_sub(1);
            }
            _ => {}
        }
    }
}

fn push(out: &mut Vec<Span>, span: Span) {
    if span.to <= span.from {
        return;
    }
    match out.last_mut() {
        Some(last) if last.doing == span.doing && last.to == span.from => last.to = span.to,
        _ => out.push(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn check(events: &[(Kind, i64)], expected: &[(i64, i64, Doing)]) {
        let marks = |kind: &Kind| match kind {
            Kind::Error => Marks::ENDS_TURN,
            _ => Marks::default(),
        };
        let told = spans(events.iter().map(|(kind, second)| (kind, marks(kind), at(*second))));
        let told: Vec<_> =
            told.iter().map(|it| (it.from.as_second(), it.to.as_second(), it.doing)).collect();
        assert_eq!(told, expected, "{events:?}");
    }

    #[test]
    fn time_goes_to_what_was_begun() {
        use Doing::{Human, Model, Tool};
        use Kind::{
            AgentStopped, ApprovalRequested, ApprovalResolved, AssistantMessage, ToolCall,
            ToolResult, UserPrompt,
        };
        check(&[], &[]);
        check(&[(UserPrompt, 0)], &[]);
        check(&[(UserPrompt, 0), (AssistantMessage, 5)], &[(0, 5, Model)]);
        check(
            &[(UserPrompt, 0), (ToolCall, 2), (ToolResult, 6), (AssistantMessage, 7)],
            &[(0, 2, Model), (2, 6, Tool), (6, 7, Model)],
        );
        // Two at once are one span.
        check(
            &[(UserPrompt, 0), (ToolCall, 1), (ToolCall, 2), (ToolResult, 3), (ToolResult, 9)],
            &[(0, 1, Model), (1, 9, Tool)],
        );
        check(
            &[
                (UserPrompt, 0),
                (ToolCall, 1),
                (ApprovalRequested, 2),
                (ApprovalResolved, 50),
                (ToolResult, 60),
            ],
            &[(0, 1, Model), (1, 2, Tool), (2, 50, Human), (50, 60, Tool)],
        );
        // A person answered at the agent: the result shows it.
        check(
            &[(UserPrompt, 0), (ToolCall, 1), (ApprovalRequested, 1), (ToolResult, 9)],
            &[(0, 1, Model), (1, 9, Human)],
        );
        // The time between turns is unknown.
        check(
            &[(UserPrompt, 0), (AgentStopped, 4), (UserPrompt, 90), (AssistantMessage, 91)],
            &[(0, 4, Model), (90, 91, Model)],
        );
        check(&[(UserPrompt, 0), (ToolCall, 1), (UserPrompt, 90)], &[(0, 1, Model)]);
        // The end of a turn ends the span, however much later another event arrives.
        check(&[(UserPrompt, 0), (Kind::Error, 3), (Kind::Notice, 90)], &[(0, 3, Model)]);
        // Work that continues opens the turn again.
        check(
            &[(UserPrompt, 0), (AgentStopped, 4), (ToolCall, 9), (ToolResult, 12)],
            &[(0, 4, Model), (9, 12, Tool)],
        );
    }

    fn kind() -> impl Strategy<Value = Kind> {
        prop_oneof![
            Just(Kind::UserPrompt),
            Just(Kind::AssistantMessage),
            Just(Kind::ToolCall),
            Just(Kind::ToolResult),
            Just(Kind::ApprovalRequested),
            Just(Kind::ApprovalResolved),
            Just(Kind::AgentStopped),
            Just(Kind::SessionExited),
            Just(Kind::Notice),
        ]
    }

    proptest! {
        #[test]
        fn stretches_are_in_order_do_not_overlap_and_stay_inside(
            events in prop::collection::vec((kind(), 0_i64..50), 0..60)
        ) {
            let mut sorted = events;
            sorted.sort_by_key(|it| it.1);
            let told = spans(sorted.iter().map(|(kind, second)| (kind, Marks::default(), at(*second))));
            prop_assert!(told.iter().all(|it| it.from < it.to));
            prop_assert!(told.windows(2).all(|it| it[0].to <= it[1].from));
            prop_assert!(told.windows(2).all(|it| it[0].to < it[1].from || it[0].doing != it[1].doing));
            if let (Some(first), Some(last)) = (sorted.first(), sorted.last()) {
                prop_assert!(told.iter().all(|it| it.from >= at(first.1) && it.to <= at(last.1)));
            }
        }
    }
}
