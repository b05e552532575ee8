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

    /// Whether the screen offers this answer under this number: `❯ 2. Blue`. A long answer may go on in
    /// the next row, and a short one may be followed by what it means.
    pub fn offers(&self, number: u8, answer: &str) -> bool {
        let answer = answer.trim();
        let fits = |text: &str| {
            let text = text.trim();
            let is_begun = text.chars().count() >= BEGUN && answer.starts_with(text);
            text == answer || is_begun || text.strip_prefix(answer).is_some_and(is_apart)
        };
        !answer.is_empty() && self.written().any(|(_, row)| choice(row, number).is_some_and(fits))
    }
}

/// So much of a long answer must be in its first row.
const BEGUN: usize = 12;

/// Whether a text after an answer is not a part of it.
fn is_apart(rest: &str) -> bool {
    rest.starts_with("  ") || rest.starts_with(" (")
}

/// The text of a row that is the choice with this number.
fn choice(row: &str, number: u8) -> Option<&str> {
    let row = row.trim_start_matches(|it: char| it.is_whitespace() || "│┃|".contains(it));
    let row = row.trim_start_matches(|it: char| "❯›>●○◯▶◆◇".contains(it)).trim_start();
    let rest = row.strip_prefix(&number.to_string())?;
    let text = rest.strip_prefix(['.', ')'])?;
    Some(text.trim_end_matches(|it: char| it.is_whitespace() || "│┃|".contains(it)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_offered_only_under_its_number() {
        let rows = [
            "Which colour?",
            "❯ 1. Red",
            "  2. Blue   like the sea",
            "│ ● 3)  Green and a little more than │",
            "  4. Yes (recommended)",
        ];
        let screen = Screen { rows: &rows, cursor: (0, 0) };
        let check = |number: u8, answer: &str, expected: bool| {
            assert_eq!(screen.offers(number, answer), expected, "{number} {answer}");
        };
        check(1, "Red", true);
        check(1, " Red ", true);
        check(2, "Blue", true);
        check(3, "Green and a little more than blue", true);
        check(4, "Yes", true);
        for (number, answer) in [
            (2, "Red"),
            (1, "Re"),
            (1, "Reddish"),
            (2, "Blue like"),
            (1, ""),
            (5, "Red"),
            (4, "Yes, all"),
        ] {
            check(number, answer, false);
        }
    }
}
