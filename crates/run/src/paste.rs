//! Pastes a text for another program: only where the agent clearly accepts one, and never in part.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use taffrail_adapters::ScreenState;
use taffrail_capture::ProgramStatus;

/// How long a pasted text may take to appear on the screen, and Enter to take effect.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the screen must be unchanged before it is judged: a partly drawn screen may show
/// anything. And the longest wait for that.
const REST: Duration = Duration::from_millis(30);
const UNREST: Duration = Duration::from_millis(500);
/// The longest text, in bytes.
pub(crate) const LONGEST: usize = 256 * 1024;

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";
const ENTER: &[u8] = b"\r";

/// The result of a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pasted {
    /// The agent accepted the text.
    Delivered,
    /// The text was not pasted, or not accepted.
    Refused(String),
}

/// The state of a terminal when a text is to be pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptState {
    /// The terminal reads a line without echo.
    pub(crate) hides: bool,
    /// Input goes to the agent, not to a shell around it.
    pub(crate) is_agents: bool,
    /// The program enabled bracketed paste.
    pub(crate) takes_pasted: bool,
    /// The state of the screen.
    pub(crate) shown: ScreenState,
    /// The time of the last output.
    pub(crate) written: Option<Instant>,
}

/// A paste in progress.
#[derive(Debug)]
pub(crate) struct PendingPaste {
    reply: Sender<Pasted>,
    since: Instant,
    stage: Stage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// The screen is checked first.
    Asked(String),
    Pasted,
    Entered,
}

/// The next step of a paste.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Do nothing.
    Wait,
    /// Type these bytes.
    Type(Vec<u8>),
    /// The paste is over.
    Done,
}

/// Combines the screen with the status that the program reports: a program may show an empty input
/// while it still works. The stricter of the two counts.
pub(crate) fn shown(screen: ScreenState, told: Option<&ProgramStatus>) -> ScreenState {
    match (screen, told) {
        (ScreenState::Asking { command }, _) => ScreenState::Asking { command },
        (_, Some(ProgramStatus::Permission | ProgramStatus::Question)) => {
            ScreenState::Asking { command: None }
        }
        (_, Some(ProgramStatus::Working)) => ScreenState::Working,
        (screen, Some(ProgramStatus::Idle | ProgramStatus::Unknown(_)) | None) => screen,
    }
}

/// Why nothing may be pasted; `None` if it may.
pub(crate) fn refusal(standing: &PromptState, text: &str) -> Option<&'static str> {
    let why = match &standing.shown {
        _ if standing.hides => "a hidden line is being typed",
        _ if !standing.is_agents => "the agent is not what is typed to",
        ScreenState::Asking { .. } => "a dialog is open",
        ScreenState::Working => "the agent works",
        ScreenState::Ready { empty: false } => "something is typed already",
        ScreenState::Unknown => "the screen does not show that a prompt can be typed",
        ScreenState::Ready { empty: true } if !standing.takes_pasted => "it takes no pasted text",
        ScreenState::Ready { empty: true } if text.trim().is_empty() => "there is nothing to paste",
        ScreenState::Ready { empty: true } if text.len() > LONGEST => "the text is too long",
        ScreenState::Ready { empty: true } => return None,
    };
    Some(why)
}

/// Frames a text for pasting: nothing in it can end the paste or press a key.
pub(crate) fn framed(text: &str) -> Vec<u8> {
    let plain = text.replace("\r\n", "\n");
    let is_text = |it: &char| matches!(it, '\n' | '\t') || !it.is_control();
    let plain: String = plain.chars().filter(is_text).collect();
    [BEGIN, plain.trim_end_matches('\n').as_bytes(), END].concat()
}

impl PendingPaste {
    /// Starts a paste.
    pub(crate) fn asked(text: String, reply: Sender<Pasted>, now: Instant) -> Self {
        Self { reply, since: now, stage: Stage::Asked(text) }
    }

    /// Determines the next step.
    pub(crate) fn look(&mut self, standing: &PromptState, now: Instant) -> Step {
        let stands = standing.shown == ScreenState::Ready { empty: false };
        let is_late = now.duration_since(self.since) > PATIENCE;
        match (&self.stage, stands) {
            (Stage::Asked(text), _) if self.may_judge(standing, now) => {
                match refusal(standing, text) {
                    Some(why) => self.tell(Pasted::Refused(why.to_owned())),
                    None => {
                        let typed = framed(text);
                        (self.stage, self.since) = (Stage::Pasted, now);
                        Step::Type(typed)
                    }
                }
            }
            (Stage::Asked(_), _) => Step::Wait,
            (_, _) if standing.hides || !standing.is_agents => {
                self.tell(Pasted::Refused("the terminal went to somebody else".to_owned()))
            }
            (Stage::Pasted, true) => {
                (self.stage, self.since) = (Stage::Entered, now);
                Step::Type(ENTER.to_vec())
            }
            (Stage::Entered, false) if !self.may_judge(standing, now) => Step::Wait,
            (Stage::Entered, false) => self.tell(Pasted::Delivered),
            (Stage::Pasted, false) if is_late => {
                let why = "it was pasted and is not seen; Enter was not pressed";
                self.tell(Pasted::Refused(why.to_owned()))
            }
            (Stage::Entered, true) if is_late => {
                let why = "it was pasted and Enter was pressed, but the text is still in the input";
                self.tell(Pasted::Refused(why.to_owned()))
            }
            (Stage::Pasted, false) | (Stage::Entered, true) => Step::Wait,
        }
    }

    /// Whether the screen can be judged.
    fn may_judge(&self, standing: &PromptState, now: Instant) -> bool {
        let rests = |it: Instant| now.saturating_duration_since(it) >= REST;
        standing.written.is_none_or(rests) || now.duration_since(self.since) >= UNREST
    }

    /// Sends the result; the client may be gone.
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

    fn ready() -> PromptState {
        let shown = ScreenState::Ready { empty: true };
        PromptState { hides: false, is_agents: true, takes_pasted: true, shown, written: None }
    }

    #[test]
    fn a_text_is_pasted_only_where_a_prompt_can_be_typed() {
        let check = |standing: PromptState, text: &str, expected: Option<&str>| {
            assert_eq!(refusal(&standing, text), expected, "{standing:?}");
        };
        check(ready(), "go on", None);
        check(ready(), " \n", Some("there is nothing to paste"));
        check(ready(), &"x".repeat(LONGEST + 1), Some("the text is too long"));
        check(PromptState { hides: true, ..ready() }, "x", Some("a hidden line is being typed"));
        let shell = PromptState { is_agents: false, ..ready() };
        check(shell, "x", Some("the agent is not what is typed to"));
        check(PromptState { takes_pasted: false, ..ready() }, "x", Some("it takes no pasted text"));
        let shown = |shown| PromptState { shown, ..ready() };
        check(shown(ScreenState::Working), "x", Some("the agent works"));
        check(shown(ScreenState::Asking { command: None }), "x", Some("a dialog is open"));
        check(shown(ScreenState::Ready { empty: false }), "x", Some("something is typed already"));
        let unknown = "the screen does not show that a prompt can be typed";
        check(shown(ScreenState::Unknown), "x", Some(unknown));
    }

    #[test]
    fn what_a_program_says_of_itself_forbids_more_and_allows_nothing() {
        let check = |screen: ScreenState, told: Option<ProgramStatus>, expected: ScreenState| {
            assert_eq!(shown(screen.clone(), told.as_ref()), expected, "{screen:?} {told:?}");
        };
        let empty = || ScreenState::Ready { empty: true };
        let asks = || ScreenState::Asking { command: None };
        check(empty(), None, empty());
        check(empty(), Some(ProgramStatus::Idle), empty());
        check(empty(), Some(ProgramStatus::Unknown("odd".to_owned())), empty());
        check(empty(), Some(ProgramStatus::Working), ScreenState::Working);
        check(empty(), Some(ProgramStatus::Permission), asks());
        check(empty(), Some(ProgramStatus::Question), asks());
        check(ScreenState::Working, Some(ProgramStatus::Idle), ScreenState::Working);
        let named = || ScreenState::Asking { command: Some("ls".to_owned()) };
        check(named(), Some(ProgramStatus::Working), named());
    }

    /// A screen that is being drawn shows an input before it shows that the agent works.
    #[test]
    fn a_screen_is_judged_when_it_rests() {
        let (reply, told) = channel();
        let now = Instant::now();
        let (soon, late) = (now + REST, now + UNREST);
        let drawn = |at| PromptState { written: Some(at), ..ready() };
        let works = PromptState { shown: ScreenState::Working, ..drawn(now) };
        let mut it = PendingPaste::asked("go on".to_owned(), reply.clone(), now);
        assert_eq!(it.look(&drawn(now), now), Step::Wait);
        assert_eq!(it.look(&works, soon), Step::Done);
        assert_eq!(told.recv(), Ok(Pasted::Refused("the agent works".to_owned())));
        let mut it = PendingPaste::asked("go on".to_owned(), reply.clone(), now);
        assert_eq!(it.look(&drawn(now), soon), Step::Type(framed("go on")));
        let mut it = PendingPaste::asked("go on".to_owned(), reply, now);
        assert_eq!(it.look(&drawn(late), late), Step::Type(framed("go on")));
    }

    fn pasted(reply: Sender<Pasted>, now: Instant) -> PendingPaste {
        let mut it = PendingPaste::asked("go on".to_owned(), reply, now);
        assert_eq!(it.look(&ready(), now), Step::Type(framed("go on")));
        it
    }

    #[test]
    fn a_text_is_delivered_when_it_stood_there_and_is_gone() {
        let (reply, told) = channel();
        let (now, later) = (Instant::now(), Instant::now() + 2 * PATIENCE);
        let typed = PromptState { shown: ScreenState::Ready { empty: false }, ..ready() };
        let works = PromptState { shown: ScreenState::Working, ..ready() };
        let mut it = pasted(reply.clone(), now);
        assert_eq!(it.look(&ready(), now), Step::Wait);
        assert_eq!(it.look(&typed, now), Step::Type(ENTER.to_vec()));
        assert_eq!(it.look(&typed, now), Step::Wait);
        assert_eq!(it.look(&works, now), Step::Done);
        assert_eq!(told.recv(), Ok(Pasted::Delivered));
        let refused = |mut it: PendingPaste, standing: &PromptState| {
            assert_eq!(it.look(standing, later), Step::Done);
            assert!(matches!(told.recv(), Ok(Pasted::Refused(_))));
        };
        refused(pasted(reply.clone(), now), &ready());
        let entered = PendingPaste { stage: Stage::Entered, ..pasted(reply.clone(), now) };
        refused(entered, &typed);
        refused(pasted(reply, now), &PromptState { hides: true, ..typed.clone() });
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
