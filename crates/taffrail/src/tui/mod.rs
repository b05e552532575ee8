//! The board in the terminal: every session of every agent, by who must act.
//!
//! One thread draws and decides; others read keys, follow the daemon and ask it things. What happens
//! is a message, `update` is the table of what it changes, and the screen is a function of the state.

mod acting;
mod approvals;
mod board;
mod canvas;
mod draw;
mod feed;
mod filter;
mod fleet;
mod footer;
mod header;
mod help;
mod input;
mod keys;
mod layout;
mod lists;
mod marks;
mod message;
mod mouse;
mod moving;
mod pace;
mod paint;
mod peek;
mod reading;
#[cfg(test)]
mod samples;
mod search;
mod sending;
mod settle;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod timeline;
mod update;
mod wires;

use crate::error::CliError;
use crate::rim::{self, Rim};
use canvas::{Canvas, give_back};
use message::{Errand, Message, Then};
use state::State;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::time::{Duration, Instant};
use taffrail_api::Client;
use theme::Theme;
use wires::Gate;

/// Messages that may wait; whoever sends more waits himself.
const WAITING: usize = 4_096;
/// Messages taken before the screen is looked after.
const BATCH: usize = 512;
/// What the daemon tells is shown at most this often; keys are shown at once.
const FRAME: Duration = Duration::from_millis(33);

/// Shows the board until the person leaves.
pub(crate) fn run(client: &Client, rim: &Rim) -> Result<(), CliError> {
    let (to, from) = sync_channel(WAITING);
    let (questions, asked) = channel();
    let gate = Gate::default();
    wires::signals(to.clone())?;
    wires::news(client.clone(), rim.state_folder(), to.clone());
    wires::askers(client, asked, &to);
    let mut canvas = Canvas::open()?;
    wires::keys(to, gate.clone());
    let home = rim.user_home.to_string_lossy().into_owned();
    let mut state = State::new(rim::now(), Theme::of(&rim.variables), home);
    update::ask_all(&mut state);
    let mut shown_at: Option<Instant> = None;
    let mut is_pressed = true;
    loop {
        state.size = canvas.size();
        update::settled(&mut state);
        wires::send(&questions, std::mem::take(&mut state.asks));
        for errand in std::mem::take(&mut state.errands) {
            if let Done::Leave = errands(&mut state, &mut canvas, &errand, (&gate, rim))? {
                return Ok(());
            }
        }
        let early = shown_at.map(|at| FRAME.saturating_sub(at.elapsed())).unwrap_or_default();
        let is_due = is_pressed || early.is_zero();
        if is_due {
            canvas.show(&state)?;
            shown_at = Some(Instant::now());
        }
        let rest = Duration::from_millis(settle::rest(&state));
        let rest = if is_due { rest } else { early };
        is_pressed = take(&mut state, &from, rest);
    }
}

/// Takes what happens until it is quiet; `true` if a person did something.
fn take(state: &mut State, from: &Receiver<Message>, rest: Duration) -> bool {
    let mut next = match from.recv_timeout(rest) {
        Ok(message) => Some(message),
        Err(RecvTimeoutError::Timeout) => None,
        // Everybody who could say anything is gone.
        Err(RecvTimeoutError::Disconnected) => Some(Message::End),
    };
    state.now = rim::now();
    let mut is_pressed = false;
    for _ in 0..BATCH {
        let Some(message) = next else { break };
        is_pressed |= !matches!(message, Message::News(_));
        update::update(state, message);
        next = from.try_recv().ok();
    }
    if let Some(message) = next {
        update::update(state, message);
    }
    is_pressed
}

/// Whether the board goes on.
enum Done {
    GoOn,
    Leave,
}

fn errands(
    state: &mut State,
    canvas: &mut Canvas,
    errand: &Errand,
    (gate, rim): (&Gate, &Rim),
) -> Result<Done, CliError> {
    match errand {
        Errand::Quit => return Ok(Done::Leave),
        Errand::Copy(text) => canvas.copy(text)?,
        Errand::Run { words, then } => {
            let mut command = Command::new(rim::own_path(rim)?);
            command.args(words);
            lend(state, canvas, gate, (command, *then))?;
        }
        Errand::Edit(folder) => match editor(rim) {
            Some(mut command) => {
                command.arg(folder).current_dir(folder);
                lend(state, canvas, gate, (command, Then::Back))?;
            }
            None => state.complain("EDITOR is not set, so there is nothing to open it with"),
        },
    }
    Ok(Done::GoOn)
}

fn editor(rim: &Rim) -> Option<Command> {
    let named = rim.variables.get("VISUAL").or_else(|| rim.variables.get("EDITOR"))?;
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

/// Lends the terminal to another program until that has ended.
fn lend(
    state: &mut State,
    canvas: &mut Canvas,
    gate: &Gate,
    (mut command, then): (Command, Then),
) -> Result<(), CliError> {
    gate.leave();
    give_back();
    let ended = command.status();
    let is_well = matches!(&ended, Ok(status) if status.success());
    if !is_well || then == Then::Read {
        crate::output::say("Enter goes back to the board.");
        // Whoever hangs up goes back, too.
        std::io::stdin().read_line(&mut String::new()).ok();
    }
    canvas.take()?;
    gate.come_back();
    if let Err(error) = ended {
        state.complain(error.to_string());
    }
    Ok(())
}
