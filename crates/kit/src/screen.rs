//! The state of an agent's screen, read from its text alone.
//!
//! A screen is drawn for people and changes with every version, so reading it gives only
//! low-confidence evidence, or a reason to leave a terminal alone. An unrecognized screen is
//! `Unknown`.

/// The content of a terminal: its rows from the top, without trailing blanks.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    /// The rows.
    pub rows: &'a [&'a str],
    /// Column and row of the cursor, from 0.
    pub cursor: (usize, usize),
}

/// The state of a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// The agent accepts a prompt.
    Ready {
        /// The input is empty.
        empty: bool,
    },
    /// The agent works.
    Working,
    /// A dialog is open: typing would answer it.
    Asking {
        /// The command it asks about, if there is one.
        command: Option<String>,
    },
    /// Nothing recognizable.
    Unknown,
}

impl<'a> Screen<'a> {
    /// The rows with text, and their indexes.
    pub fn written(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str)> + use<'a> {
        let rows = self.rows.iter().enumerate().map(|(at, row)| (at, *row));
        rows.filter(|(_, row)| !row.trim().is_empty())
    }

    /// Whether the cursor is right after a row's prompt mark, where any further text is only a
    /// hint.
    pub fn is_at_start(&self, row: usize) -> bool {
        self.cursor == (2, row)
    }
}

/// Whether a row is a rule: one character drawn across the screen.
pub fn is_rule(row: &str, mark: char) -> bool {
    row.trim().chars().take_while(|it| *it == mark).count() >= 10
}

/// Whether a row is the selected choice, with its number: `❯ 1.`.
pub fn is_choice(row: &str, mark: char) -> bool {
    let Some(rest) = row.trim().strip_prefix(mark) else { return false };
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && rest.get(digits..).is_some_and(|it| it.starts_with('.'))
}
