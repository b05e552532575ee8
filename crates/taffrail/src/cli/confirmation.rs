//! Asks a person: at the controlling terminal, never on stdin, which can be anything.

use crate::error::CliError;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use taffrail_api::ErrorKind;
use taffrail_approvals::own_caller;
use taffrail_model::caller::Caller;

/// Asks whether to go on. Who is not at a terminal was let in by `control.scripts` and is not asked.
pub(super) fn agreed(question: &str) -> bool {
    own_caller().caller != Caller::Person || asked(question)
}

/// Whether there is a controlling terminal to ask at.
pub(super) fn has_terminal() -> bool {
    terminal().is_ok()
}

fn terminal() -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// Asks at the controlling terminal. Without one nobody agrees.
pub(super) fn asked(question: &str) -> bool {
    let Ok(mut terminal) = terminal() else { return false };
    // If the question cannot be shown, the answer is no.
    if write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush()).is_err() {
        return false;
    }
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok();
    matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Nobody said yes.
pub(super) fn not_agreed() -> CliError {
    let message = "nothing was changed: you did not confirm at the terminal".to_owned();
    CliError { kind: ErrorKind::Refused, message, hint: None }
}
