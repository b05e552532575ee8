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
    /// The session waited for an approval, or for the answer to a question.
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

/// An event of a session, as far as spans need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Its kind.
    pub kind: Kind,
    /// Its flags.
    pub marks: Marks,
    /// When.
    pub at: Timestamp,
    /// It is a call that puts a question to a person, or the result of one.
    pub is_question: bool,
}

/// The open turn, request, questions and calls at an instant.
#[derive(Debug, Default)]
struct Open {
    in_turn: bool,
    calls: u32,
    questions: u32,
    asked: bool,
}

/// Folds events, in chronological order, into spans; adjacent spans of the same activity merge.
#[must_use]
pub fn spans<'a>(moments: impl IntoIterator<Item = &'a Moment>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let (mut open, mut last) = (Open::default(), None);
    for moment in moments {
        if let (Some(from), Some(doing)) = (last, open.doing(&moment.kind)) {
            push(&mut out, Span { from, to: moment.at, doing });
        }
        open.hear(moment);
        last = Some(moment.at);
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
            _ if self.asked || self.questions > 0 => Some(Doing::Human),
            _ if self.calls > 0 => Some(Doing::Tool),
            _ if self.in_turn => Some(Doing::Model),
            _ => None,
        }
    }

    fn hear(&mut self, moment: &Moment) {
        match moment.kind {
            _ if moment.marks.has(Marks::ENDS_TURN) => *self = Self::default(),
            Kind::UserPrompt => *self = Self { in_turn: true, ..Self::default() },
            Kind::AgentStopped | Kind::SessionExited => *self = Self::default(),
            Kind::ApprovalRequested => self.asked = true,
            Kind::ApprovalResolved => self.asked = false,
            Kind::ToolCall => {
                self.in_turn = true;
                let open = self.open(moment.is_question);
                *open = open.saturating_add(1);
            }
            Kind::ToolResult => {
                self.asked = false;
                let open = self.open(moment.is_question);
                *open = open.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn open(&mut self, is_question: bool) -> &mut u32 {
        if is_question { &mut self.questions } else { &mut self.calls }
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

    fn moment((kind, second): (Kind, i64), is_question: bool) -> Moment {
        Moment { kind, marks: Marks::default(), at: at(second), is_question }
    }

    fn check(events: &[(Kind, i64)], expected: &[(i64, i64, Doing)]) {
        let marks = |kind: &Kind| match kind {
            Kind::Error => Marks::ENDS_TURN,
            _ => Marks::default(),
        };
        let moments = events.iter().map(|(kind, second)| Moment {
            marks: marks(kind),
            ..moment((kind.clone(), *second), false)
        });
        let told = spans(&moments.collect::<Vec<_>>());
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

    #[test]
    fn the_wait_for_an_answer_to_a_question_is_no_time_of_a_tool() {
        use Doing::{Human, Model, Tool};
        let moments = [
            moment((Kind::UserPrompt, 0), false),
            moment((Kind::ToolCall, 1), true),
            moment((Kind::ToolCall, 1), false),
            // Another call returns, and the question stays open.
            moment((Kind::ToolResult, 5), false),
            moment((Kind::ToolResult, 90), true),
            moment((Kind::ToolCall, 91), false),
            moment((Kind::ToolResult, 95), false),
        ];
        let told = spans(&moments);
        let told: Vec<_> =
            told.iter().map(|it| (it.from.as_second(), it.to.as_second(), it.doing)).collect();
        assert_eq!(told, [(0, 1, Model), (1, 90, Human), (90, 91, Model), (91, 95, Tool)]);
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
            events in prop::collection::vec((kind(), 0_i64..50, any::<bool>()), 0..60)
        ) {
            let mut sorted = events;
            sorted.sort_by_key(|it| it.1);
            let moments = sorted.iter().map(|it| moment((it.0.clone(), it.1), it.2));
            let told = spans(&moments.collect::<Vec<_>>());
            prop_assert!(told.iter().all(|it| it.from < it.to));
            prop_assert!(told.windows(2).all(|it| it[0].to <= it[1].from));
            prop_assert!(told.windows(2).all(|it| it[0].to < it[1].from || it[0].doing != it[1].doing));
            if let (Some(first), Some(last)) = (sorted.first(), sorted.last()) {
                prop_assert!(told.iter().all(|it| it.from >= at(first.1) && it.to <= at(last.1)));
            }
        }
    }
}
