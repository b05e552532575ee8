//! Pasting a text for somebody: only where the agent plainly takes one, and never half.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use taffrail_adapters::Shown;

/// How long a pasted text may take to stand on the screen, and Enter to be heard.
const PATIENCE: Duration = Duration::from_secs(3);
/// The longest text, in bytes.
pub(super) const LONGEST: usize = 256 * 1024;

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";
const ENTER: &[u8] = b"\r";

/// What came of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pasted {
    /// The agent took it.
    Delivered,
    /// It was not handed over, or not taken.
    Refused(String),
}

/// What is known of a terminal when something is to be pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// A line is typed and not shown.
    pub(super) hides: bool,
    /// What is typed goes to the agent, not to a shell around it.
    pub(super) is_agents: bool,
    /// Pasted text is told from typed text.
    pub(super) takes_pasted: bool,
    /// What stands there.
    pub(super) shown: Shown,
}

/// A text on its way.
#[derive(Debug)]
pub(super) struct Pasting {
    reply: Sender<Pasted>,
    since: Instant,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Pasted,
    Entered,
}

/// How a text gets on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing is to be done.
    Wait,
    /// These keys are to be pressed.
    Press(&'static [u8]),
    /// It is over.
    Done,
}

/// Why nothing may be pasted; `None` if it may.
pub(super) fn refusal(standing: &Standing, text: &str) -> Option<&'static str> {
    let why = match &standing.shown {
        _ if standing.hides => "a hidden line is being typed",
        _ if !standing.is_agents => "the agent is not what is typed to",
        Shown::Asking { .. } => "a dialog is open",
        Shown::Working => "the agent works",
        Shown::Ready { empty: false } => "something is typed already",
        Shown::Unknown => "the screen does not show that a prompt can be typed",
        Shown::Ready { empty: true } if !standing.takes_pasted => "it takes no pasted text",
        Shown::Ready { empty: true } if text.trim().is_empty() => "there is nothing to paste",
        Shown::Ready { empty: true } if text.len() > LONGEST => "the text is too long",
        Shown::Ready { empty: true } => return None,
    };
    Some(why)
}

/// A text as it is pasted: nothing in it can end the paste or press a key.
pub(super) fn framed(text: &str) -> Vec<u8> {
    let plain = text.replace("\r\n", "\n");
    let is_text = |it: &char| matches!(it, '\n' | '\t') || !it.is_control();
    let plain: String = plain.chars().filter(is_text).collect();
    [BEGIN, plain.trim_end_matches('\n').as_bytes(), END].concat()
}

impl Pasting {
    /// The text was written to the terminal.
    pub(super) fn begun(reply: Sender<Pasted>, now: Instant) -> Self {
        Self { reply, since: now, stage: Stage::Pasted }
    }

    /// Looks how it gets on.
    pub(super) fn look(&mut self, standing: &Standing, now: Instant) -> Step {
        let stands = standing.shown == Shown::Ready { empty: false };
        let is_late = now.duration_since(self.since) > PATIENCE;
        match (self.stage, stands) {
            (_, _) if standing.hides || !standing.is_agents => {
                self.tell(Pasted::Refused("the terminal went to somebody else".to_owned()))
            }
            (Stage::Pasted, true) => {
                (self.stage, self.since) = (Stage::Entered, now);
                Step::Press(ENTER)
            }
            (Stage::Entered, false) => self.tell(Pasted::Delivered),
            (Stage::Pasted, false) if is_late => {
                let why = "it was pasted and is not seen; Enter was not pressed";
                self.tell(Pasted::Refused(why.to_owned()))
            }
            (Stage::Entered, true) if is_late => {
                let why = "it was pasted and Enter was pressed, but it still stands there";
                self.tell(Pasted::Refused(why.to_owned()))
            }
            (Stage::Pasted, false) | (Stage::Entered, true) => Step::Wait,
        }
    }

    /// Who asked may be gone.
    fn tell(&self, it: Pasted) -> Step {
        self.reply.send(it).ok();
        Step::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::mpsc::channel;

    fn ready() -> Standing {
        let shown = Shown::Ready { empty: true };
        Standing { hides: false, is_agents: true, takes_pasted: true, shown }
    }

    #[test]
    fn a_text_is_pasted_only_where_a_prompt_can_be_typed() {
        let check = |standing: Standing, text: &str, expected: Option<&str>| {
            assert_eq!(refusal(&standing, text), expected, "{standing:?}");
        };
        check(ready(), "go on", None);
        check(ready(), " \n", Some("there is nothing to paste"));
        check(ready(), &"x".repeat(LONGEST + 1), Some("the text is too long"));
        check(Standing { hides: true, ..ready() }, "x", Some("a hidden line is being typed"));
        let shell = Standing { is_agents: false, ..ready() };
        check(shell, "x", Some("the agent is not what is typed to"));
        check(Standing { takes_pasted: false, ..ready() }, "x", Some("it takes no pasted text"));
        let shown = |shown| Standing { shown, ..ready() };
        check(shown(Shown::Working), "x", Some("the agent works"));
        check(shown(Shown::Asking { command: None }), "x", Some("a dialog is open"));
        check(shown(Shown::Ready { empty: false }), "x", Some("something is typed already"));
        let unknown = "the screen does not show that a prompt can be typed";
        check(shown(Shown::Unknown), "x", Some(unknown));
    }

    #[test]
    fn a_text_is_delivered_when_it_stood_there_and_is_gone() {
        let (reply, told) = channel();
        let (now, later) = (Instant::now(), Instant::now() + 2 * PATIENCE);
        let typed = Standing { shown: Shown::Ready { empty: false }, ..ready() };
        let works = Standing { shown: Shown::Working, ..ready() };
        let mut it = Pasting::begun(reply.clone(), now);
        assert_eq!(it.look(&ready(), now), Step::Wait);
        assert_eq!(it.look(&typed, now), Step::Press(ENTER));
        assert_eq!(it.look(&typed, now), Step::Wait);
        assert_eq!(it.look(&works, now), Step::Done);
        assert_eq!(told.recv(), Ok(Pasted::Delivered));
        let refused = |mut it: Pasting, standing: &Standing| {
            assert_eq!(it.look(standing, later), Step::Done);
            assert!(matches!(told.recv(), Ok(Pasted::Refused(_))));
        };
        refused(Pasting::begun(reply.clone(), now), &ready());
        let entered = Pasting { stage: Stage::Entered, ..Pasting::begun(reply.clone(), now) };
        refused(entered, &typed);
        refused(Pasting::begun(reply, now), &Standing { hides: true, ..typed.clone() });
    }

    proptest! {
        #[test]
        fn nothing_in_a_text_ends_the_paste(text in "(\\PC|\x1b|\r|\n|\x1b\\[201~|\x03|\u{9b}){0,40}") {
            let bytes = framed(&text);
            let inner = bytes.strip_prefix(BEGIN).unwrap().strip_suffix(END).unwrap();
            let inner = std::str::from_utf8(inner).unwrap();
            prop_assert!(inner.chars().all(|it| matches!(it, '\n' | '\t') || !it.is_control()));
        }
    }
}
