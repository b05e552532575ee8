//! Presses one key in a session's pane: the number of an answer that its question offers, or the key
//! that interrupts its turn. Only where the screen shows that the key means that.

use super::terminal::{NOT_REACHED, Pane};
use super::{Delivery, row_of};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use taffrail_adapters::ScreenState;
use taffrail_context::{Error, LiveStatus};
use taffrail_devices::exchange::home_of;
use taffrail_model::SessionId;
use taffrail_model::status::{Status, WaitingFor, WaitingKind};

/// How long an agent may take to react to a key.
const REACTS: Duration = Duration::from_secs(5);
/// How often its screen is read meanwhile.
const LOOK: Duration = Duration::from_millis(30);

impl Delivery {
    /// Chooses an answer of the question that a session asks. The answer must be the one that the
    /// person saw, and the screen must offer it under its number. One key at a time: the second of two
    /// people finds the question answered.
    ///
    /// # Errors
    /// Says why the key was not pressed, or that the agent did not react to it.
    pub fn answer(&self, session: SessionId, number: u8, text: &str) -> Result<(), Error> {
        let _one = self.0.key.lock().unwrap_or_else(PoisonError::into_inner);
        let (card, pane) = self.pane(session)?;
        let asks =
            card.reading.waiting_for.as_ref().filter(|_| card.reading.status == Status::Waiting);
        check_question(asks, number, text).or_else(unsent)?;
        let offers = || pane.read(|it| is_question(&pane, it) && it.offers(number, text));
        if offers() != Some(true) {
            return unsent("its screen does not show this answer: look at the session");
        }
        press(&pane, &number.to_string())?;
        match wait(|| offers() == Some(false)) {
            true => Ok(()),
            false => unsent("its number was pressed, and the question is still on the screen"),
        }
    }

    /// Interrupts the turn of a session, as its agent's own key does.
    ///
    /// # Errors
    /// Says why the key was not pressed, or that the agent did not react to it.
    pub fn interrupt(&self, session: SessionId) -> Result<(), Error> {
        let _one = self.0.key.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, pane) = self.pane(session)?;
        let Some(key) = pane.adapter.interrupt_key() else {
            return unsent(
                "which key interrupts this agent is not known: interrupt it in its own window",
            );
        };
        let works = || pane.read(|it| pane.adapter.read_screen(it) == ScreenState::Working);
        if works() != Some(true) {
            return unsent("its screen does not show that it works");
        }
        press(&pane, key)?;
        match wait(|| works() == Some(false)) {
            true => Ok(()),
            false => unsent("its key was pressed, and the agent still works"),
        }
    }

    fn pane(&self, session: SessionId) -> Result<(std::sync::Arc<LiveStatus>, Pane), Error> {
        if home_of(self.settings(), session)?.is_some() {
            return unsent("it runs on another device: do this there");
        }
        self.reachable(session)?;
        let card = self.0.live.status(session);
        let row = row_of(self.settings(), session)?;
        let Some((card, row)) = card.zip(row) else { return unsent("nothing is known of it now") };
        let executor = card.executor.clone().unwrap_or_default();
        if executor.starts_with("pty:") {
            return unsent(
                "it runs under `taffrail run`, where only prompts are typed: press it there",
            );
        }
        if !executor.starts_with("tmux:") {
            return unsent(NOT_REACHED);
        }
        let pane = Pane::of(&card, &row.agent, &executor).or_else(|why| unsent(&why))?;
        Ok((card, pane))
    }
}

/// Why this answer cannot be chosen.
fn check_question(asks: Option<&WaitingFor>, number: u8, text: &str) -> Result<(), &'static str> {
    let asks =
        asks.filter(|it| it.kind == WaitingKind::Question).ok_or("it asks no question now")?;
    let offered = usize::from(number).checked_sub(1).and_then(|at| asks.options.get(at));
    match offered.is_some_and(|it| it == text) && number <= 9 {
        true => Ok(()),
        false => Err("its question has changed: look at it again"),
    }
}

/// A request for approval is answered by the broker, never from here.
fn is_question(pane: &Pane, screen: &taffrail_adapters::Screen<'_>) -> bool {
    pane.adapter.read_screen(screen) == (ScreenState::Asking { command: None })
}

fn press(pane: &Pane, key: &str) -> Result<(), Error> {
    pane.pane.press(key).or_else(|error| unsent(&format!("the key could not be pressed: {error}")))
}

/// Waits until the screen shows that the agent reacted.
fn wait(is_over: impl Fn() -> bool) -> bool {
    let end = Instant::now() + REACTS;
    while Instant::now() < end {
        if is_over() {
            return true;
        }
        std::thread::park_timeout(LOOK);
    }
    false
}

fn unsent<T>(why: &str) -> Result<T, Error> {
    Err(Error::Unsent(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_that_was_seen_is_chosen() {
        let asks = |kind: WaitingKind, options: &[&str]| WaitingFor {
            options: options.iter().map(|it| (*it).to_owned()).collect(),
            ..WaitingFor::new(kind, "Which?".to_owned())
        };
        let question = asks(WaitingKind::Question, &["Red", "Blue"]);
        let approval = asks(WaitingKind::Approval, &["Yes", "No"]);
        let check = |it: Option<&WaitingFor>, number: u8, text: &str, expected: Option<&str>| {
            assert_eq!(check_question(it, number, text).err(), expected, "{number} {text}");
        };
        let (none, changed) =
            ("it asks no question now", "its question has changed: look at it again");
        check(Some(&question), 1, "Red", None);
        check(Some(&question), 2, "Blue", None);
        for (number, text) in [(0, "Red"), (2, "Red"), (3, "Green"), (1, "")] {
            check(Some(&question), number, text, Some(changed));
        }
        check(Some(&approval), 1, "Yes", Some(none));
        check(None, 1, "Red", Some(none));
    }
}
