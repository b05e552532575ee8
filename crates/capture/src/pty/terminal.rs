//! The user's terminal.

use rustix::termios::{OptionalActions, Termios, Winsize, tcgetattr, tcgetwinsize, tcsetattr};
use std::io;
use std::os::fd::AsFd;

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Size {
    /// The size where a terminal does not report one.
    const USUAL: Self = Self { rows: 24, columns: 80 };

    /// The size of a terminal.
    #[must_use]
    pub fn of(terminal: impl AsFd) -> Self {
        let told = tcgetwinsize(terminal).ok();
        let told = told.map(|it| Self { rows: it.ws_row, columns: it.ws_col });
        told.filter(|it| it.rows > 0 && it.columns > 0).unwrap_or(Self::USUAL)
    }

    pub(super) fn winsize(self) -> Winsize {
        Winsize { ws_row: self.rows, ws_col: self.columns, ws_xpixel: 0, ws_ypixel: 0 }
    }
}

/// Whether a file descriptor is a terminal.
#[must_use]
pub fn is_terminal(it: impl AsFd) -> bool {
    rustix::termios::isatty(it)
}

/// The terminal on our standard input. Its settings are restored on drop, but not after SIGKILL.
#[derive(Debug)]
pub struct Terminal {
    found: Termios,
}

impl Terminal {
    /// Switches the terminal to raw mode: every key arrives at once and unchanged.
    ///
    /// # Errors
    /// When standard input is not a terminal.
    pub fn take() -> io::Result<Self> {
        let terminal = Self { found: tcgetattr(io::stdin())? };
        terminal.make_raw()?;
        Ok(terminal)
    }

    /// Switches to raw mode again after `give_back`.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn make_raw(&self) -> io::Result<()> {
        let mut raw = self.found.clone();
        raw.make_raw();
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?)
    }

    /// Restores the terminal's settings.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn give_back(&self) -> io::Result<()> {
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &self.found)?)
    }

    /// The settings before raw mode, for a terminal like it.
    pub(super) fn found(&self) -> &Termios {
        &self.found
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
        self.give_back().ok();
    }
}
