//! What an agent's screen shows, read from its text alone.
//!
//! A screen is drawn for people and changes with every version, so what is read from it is only ever
//! low-confidence evidence, or a reason to leave a terminal alone. A screen that is not recognised is
//! `Unknown`.

/// The content of a terminal: its rows from the top, without trailing blanks.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    /// The rows.
    pub rows: &'a [&'a str],
    /// Column and row of the cursor, from 0.
    pub cursor: (usize, usize),
}

/// What a screen shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// A prompt can be typed.
    Ready {
        /// Nothing is typed yet.
        empty: bool,
    },
    /// The agent works.
    Working,
    /// A dialog is open: what is typed answers it.
    Asking {
        /// The command it asks to be allowed, if it is about one.
        command: Option<String>,
    },
    /// Nothing that is known.
    Unknown,
}

impl<'a> Screen<'a> {
    /// The rows with something on them, and their places.
    pub(crate) fn written(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str)> + use<'a> {
        let rows = self.rows.iter().enumerate().map(|(at, row)| (at, *row));
        rows.filter(|(_, row)| !row.trim().is_empty())
    }

    /// Whether the cursor is in a row right after its mark, where any further text is only a hint.
    pub(crate) fn is_at_start(&self, row: usize) -> bool {
        self.cursor == (2, row)
    }
}

/// A row drawn across the screen with one mark.
pub(crate) fn is_rule(row: &str, mark: char) -> bool {
    row.trim().chars().take_while(|it| *it == mark).count() >= 10
}

/// The mark before the choice that enter would take, with its number: `❯ 1.`.
pub(crate) fn is_choice(row: &str, mark: char) -> bool {
    let Some(rest) = row.trim().strip_prefix(mark) else { return false };
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && rest.get(digits..).is_some_and(|it| it.starts_with('.'))
}
