//! What stands on a terminal, and what the program on it says of itself.

use super::strings::{Printed, Strings};
use super::terminal::Size;
use std::num::NonZeroU16;
use vt100::{MouseProtocolMode, Parser};

/// Lines above the screen that are kept.
const SCROLLBACK: usize = 200;
/// Begins a program's own word on how it stands (OSC 7501).
const STATUS: &[u8] = b"7501;";
/// What a program asks to learn whether anybody listens, and what it is answered.
const QUERY: &[u8] = b"?";
const ANSWER: &[u8] = b"\x1b]7501;?\x1b\\";

/// What a program says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It does nothing, or is done.
    Idle,
    /// It works.
    Working,
    /// It waits to be allowed something.
    Permission,
    /// It waits for another answer.
    Question,
    /// Something this version does not know.
    Unknown(String),
}

/// A terminal as a person would see it.
#[expect(missing_debug_implementations, reason = "a screen has none")]
pub struct View {
    strings: Strings,
    parser: Parser,
    told: Option<Told>,
}

impl View {
    /// An empty one.
    #[must_use]
    pub fn new(size: Size) -> Self {
        let (rows, columns) = sides(size);
        let parser = Parser::new(rows, columns, SCROLLBACK);
        Self { strings: Strings::default(), parser, told: None }
    }

    /// Takes what was printed; gives what is to be answered.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answer = Vec::new();
        for printed in self.strings.take(bytes) {
            match printed {
                Printed::Drawn(drawn) => self.parser.process(&drawn),
                Printed::Command(command) => match command.strip_prefix(STATUS) {
                    Some(QUERY) => answer.extend_from_slice(ANSWER),
                    Some(body) => self.tell(body),
                    None => {}
                },
            }
        }
        answer
    }

    fn tell(&mut self, body: &[u8]) {
        let body = String::from_utf8_lossy(body);
        let field =
            |name: &str| body.split(':').find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        // A record with an id is of something below the program.
        if field("id").is_some() {
            return;
        }
        self.told = match (field("state"), field("kind")) {
            (Some("idle" | "done"), _) => Some(Told::Idle),
            (Some("working"), _) => Some(Told::Working),
            (Some("blocked"), Some("permission")) => Some(Told::Permission),
            (Some("blocked"), _) => Some(Told::Question),
            (Some("clear"), _) => None,
            (Some(other), _) => Some(Told::Unknown(other.chars().take(32).collect())),
            (None, _) => return,
        };
    }

    /// What the program last said of itself.
    #[must_use]
    pub fn told(&self) -> Option<&Told> {
        self.told.as_ref()
    }

    /// Another size.
    pub fn resize(&mut self, size: Size) {
        let (rows, columns) = sides(size);
        self.parser.set_size(rows, columns);
    }

    /// The rows from the top, without blanks at their ends.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        let screen = self.parser.screen();
        let (_, columns) = screen.size();
        screen.rows(0, columns.get()).map(|it| it.trim_end().to_owned()).collect()
    }

    /// Column and row of the cursor, from 0.
    #[must_use]
    pub fn cursor(&self) -> (usize, usize) {
        let (row, column) = self.parser.screen().cursor_position();
        (usize::from(column), usize::from(row))
    }

    /// The program tells pasted text from typed text.
    #[must_use]
    pub fn takes_pasted(&self) -> bool {
        self.parser.screen().bracketed_paste()
    }

    /// What brings a terminal back that a program left as it was when it was killed.
    #[must_use]
    pub fn leavings(&self) -> Vec<u8> {
        let screen = self.parser.screen();
        let has_mouse = screen.mouse_protocol_mode() != MouseProtocolMode::None;
        let all: [(bool, &[u8]); 6] = [
            (screen.alternate_screen(), b"\x1b[?1049l"),
            (screen.hide_cursor(), b"\x1b[?25h"),
            (screen.bracketed_paste(), b"\x1b[?2004l"),
            (has_mouse, b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l"),
            (screen.application_cursor(), b"\x1b[?1l"),
            (screen.application_keypad(), b"\x1b>"),
        ];
        let left = all.into_iter().filter(|(is_left, _)| *is_left);
        let mut out: Vec<u8> = left.flat_map(|(_, bytes)| bytes.to_vec()).collect();
        if !out.is_empty() {
            out.extend_from_slice(b"\x1b[0m\r\n");
        }
        out
    }
}

fn sides(size: Size) -> (NonZeroU16, NonZeroU16) {
    let side = |it: u16| NonZeroU16::new(it).unwrap_or(NonZeroU16::MIN);
    (side(size.rows), side(size.columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: Size = Size { rows: 4, columns: 20 };

    fn said(bytes: &[u8]) -> (Option<Told>, Vec<u8>) {
        let mut view = View::new(SIZE);
        let answer = view.take(bytes);
        (view.told, answer)
    }

    #[test]
    fn a_program_says_how_it_stands_and_is_answered() {
        let check = |body: &str, expected: Option<Told>| {
            assert_eq!(said(format!("\x1b]7501;{body}\x1b\\").as_bytes()), (expected, vec![]));
        };
        check("state=idle:app=parrot", Some(Told::Idle));
        check("state=done", Some(Told::Idle));
        check("app=parrot:state=working:progress=40", Some(Told::Working));
        check("state=blocked:kind=permission", Some(Told::Permission));
        check("state=blocked:kind=question", Some(Told::Question));
        check("state=blocked", Some(Told::Question));
        check("state=error", Some(Told::Unknown("error".into())));
        check("state=working:id=child", None);
        check("state=clear", None);
        check("title=YQ==", None);
        assert_eq!(said(b"\x1b]7501;?\x07"), (None, ANSWER.to_vec()));
        let later = said(b"\x1b]7501;state=working\x07\x1b]7501;state=clear\x07");
        assert_eq!(later, (None, vec![]));
    }

    #[test]
    fn a_screen_is_read_as_it_stands() {
        let mut view = View::new(SIZE);
        view.take(b"\x1b[?2004h\x1b[2;1Hone  \x1b[3;1Htwo\x1b]0;title\x07!");
        assert_eq!(view.rows(), ["", "one", "two!", ""]);
        assert_eq!((view.cursor(), view.takes_pasted()), ((4, 2), true));
        assert_eq!(view.leavings(), b"\x1b[?2004l\x1b[0m\r\n");
        view.take(b"\x1b[?2004l");
        assert_eq!(view.leavings(), b"");
        view.resize(Size { rows: 2, columns: 10 });
        assert_eq!(view.rows().len(), 2);
    }

    proptest! {
        #[test]
        fn whatever_is_printed_can_be_looked_at(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            rows in 0_u16..40, columns in 0_u16..40,
        ) {
            let mut view = View::new(Size { rows, columns });
            view.take(&bytes);
            view.resize(Size { rows: columns, columns: rows });
            view.take(&bytes);
            prop_assert_eq!(view.rows().len(), usize::from(columns.max(1)));
        }
    }
}
