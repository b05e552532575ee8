//! The screen of a terminal, and the status that its program reports.

use super::osc::{OscParser, Printed};
use super::terminal::Size;
use std::num::NonZeroU16;
use vt100::{MouseProtocolMode, Parser};

/// Lines of scrollback that are kept.
const SCROLLBACK: usize = 200;
/// Prefix of a status report (OSC 7501).
const STATUS: &[u8] = b"7501;";
/// The query that asks whether anything reads status reports, and the answer to it.
const QUERY: &[u8] = b"?";
const ANSWER: &[u8] = b"\x1b]7501;?\x1b\\";

/// The status that a program reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramStatus {
    /// It is idle or done.
    Idle,
    /// It is working.
    Working,
    /// It waits for a permission.
    Permission,
    /// It waits for another answer.
    Question,
    /// A status that this version does not know.
    Unknown(String),
}

/// A terminal as a person sees it.
pub struct View {
    osc: OscParser,
    parser: Parser,
    status: Option<ProgramStatus>,
}

impl View {
    /// An empty screen.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self::with_history(size, SCROLLBACK)
    }

    /// An empty screen that keeps this many lines of scrollback.
    #[must_use]
    pub fn with_history(size: Size, lines: usize) -> Self {
        let (rows, columns) = sides(size);
        let parser = Parser::new(rows, columns, lines);
        Self { osc: OscParser::default(), parser, status: None }
    }

    /// Processes the program's output; returns the bytes to answer with.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answer = Vec::new();
        for printed in self.osc.take(bytes) {
            match printed {
                Printed::Drawn(drawn) => self.parser.process(&drawn),
                Printed::Command(command) => match command.strip_prefix(STATUS) {
                    Some(QUERY) => answer.extend_from_slice(ANSWER),
                    Some(body) => self.set_status(body),
                    None => {}
                },
            }
        }
        answer
    }

    fn set_status(&mut self, body: &[u8]) {
        let body = String::from_utf8_lossy(body);
        let field =
            |name: &str| body.split(':').find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        // A report with an id describes a child of the program.
        if field("id").is_some() {
            return;
        }
        self.status = match (field("state"), field("kind")) {
            (Some("idle" | "done"), _) => Some(ProgramStatus::Idle),
            (Some("working"), _) => Some(ProgramStatus::Working),
            (Some("blocked"), Some("permission")) => Some(ProgramStatus::Permission),
            (Some("blocked"), _) => Some(ProgramStatus::Question),
            (Some("clear"), _) => None,
            (Some(other), _) => Some(ProgramStatus::Unknown(other.chars().take(32).collect())),
            (None, _) => return,
        };
    }

    /// The status that the program reported last.
    #[must_use]
    pub fn status(&self) -> Option<&ProgramStatus> {
        self.status.as_ref()
    }

    /// Resizes the screen.
    pub fn resize(&mut self, size: Size) {
        let (rows, columns) = sides(size);
        self.parser.set_size(rows, columns);
    }

    /// The rows from the top, without trailing blanks.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        let screen = self.parser.screen();
        let (_, columns) = screen.size();
        screen.rows(0, columns.get()).map(|it| it.trim_end().to_owned()).collect()
    }

    /// The output that draws the screen again on an empty one.
    #[must_use]
    pub fn formatted(&self) -> String {
        self.parser.screen().state_formatted()
    }

    /// The scrollback and the screen, without blank lines at the end. If the program uses the
    /// alternate screen, that screen comes last. A row that the terminal wrapped continues its line.
    #[must_use]
    pub fn into_lines(mut self) -> Vec<String> {
        let shown = self.lines_of_screen();
        if !self.parser.screen().alternate_screen() {
            return shown;
        }
        self.parser.process(b"\x1b[?1049l");
        let mut lines = self.lines_of_screen();
        lines.extend(shown);
        lines
    }

    fn lines_of_screen(&mut self) -> Vec<String> {
        let screen = self.parser.screen_mut();
        let (height, width) = screen.size();
        let (mut rows, mut above) = (Vec::new(), screen.scrollback_len());
        loop {
            screen.set_scrollback(above);
            let count =
                if above == 0 { height.get().into() } else { above.min(height.get().into()) };
            let wrapped = (0..height.get()).map(|it| screen.row_wrapped(it)).collect::<Vec<_>>();
            rows.extend(screen.rows(0, width.get()).zip(wrapped).take(count));
            if above == 0 {
                return joined(rows);
            }
            above -= count;
        }
    }

    /// Column and row of the cursor, from 0.
    #[must_use]
    pub fn cursor(&self) -> (usize, usize) {
        let (row, column) = self.parser.screen().cursor_position();
        (usize::from(column), usize::from(row))
    }

    /// Whether the program enabled bracketed paste.
    #[must_use]
    pub fn takes_pasted(&self) -> bool {
        self.parser.screen().bracketed_paste()
    }

    /// The escape sequences that reset a terminal after its program was killed.
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

/// Rows as lines, without blanks at the ends.
fn joined(rows: Vec<(String, bool)>) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for (row, continues) in rows {
        line.push_str(&row);
        if !continues {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
    }
    lines.push(line);
    let end = lines.iter().rposition(|it| !it.is_empty()).map_or(0, |it| it + 1);
    lines.truncate(end);
    lines
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

    fn said(bytes: &[u8]) -> (Option<ProgramStatus>, Vec<u8>) {
        let mut view = View::new(SIZE);
        let answer = view.take(bytes);
        (view.status, answer)
    }

    #[test]
    fn a_program_says_how_it_stands_and_is_answered() {
        let check = |body: &str, expected: Option<ProgramStatus>| {
            assert_eq!(said(format!("\x1b]7501;{body}\x1b\\").as_bytes()), (expected, vec![]));
        };
        check("state=idle:app=parrot", Some(ProgramStatus::Idle));
        check("state=done", Some(ProgramStatus::Idle));
        check("app=parrot:state=working:progress=40", Some(ProgramStatus::Working));
        check("state=blocked:kind=permission", Some(ProgramStatus::Permission));
        check("state=blocked:kind=question", Some(ProgramStatus::Question));
        check("state=blocked", Some(ProgramStatus::Question));
        check("state=error", Some(ProgramStatus::Unknown("error".into())));
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
