//! The terminal a person sits at.

use rustix::termios::{OptionalActions, Termios, Winsize, tcgetattr, tcgetwinsize, tcsetattr};
use std::io;
use std::os::fd::AsFd;

/// How large a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Size {
    /// What is taken where a terminal does not say.
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

/// Whether something is a terminal.
#[must_use]
pub fn is_terminal(it: impl AsFd) -> bool {
    rustix::termios::isatty(it)
}

/// The terminal on our standard input, which is left as it was found, whatever happens to us but a
/// kill.
#[derive(Debug)]
pub struct Terminal {
    found: Termios,
}

impl Terminal {
    /// Takes the terminal: every key comes to us at once and unchanged.
    ///
    /// # Errors
    /// When there is none.
    pub fn take() -> io::Result<Self> {
        let terminal = Self { found: tcgetattr(io::stdin())? };
        terminal.make_raw()?;
        Ok(terminal)
    }

    /// The same again, after it was given back.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn make_raw(&self) -> io::Result<()> {
        let mut raw = self.found.clone();
        raw.make_raw();
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?)
    }

    /// Leaves the terminal as it was found.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn give_back(&self) -> io::Result<()> {
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &self.found)?)
    }

    /// How the terminal was found, for one like it.
    pub(super) fn found(&self) -> &Termios {
        &self.found
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        self.give_back().ok();
    }
}
