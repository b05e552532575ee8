//! Shows the kept output of a terminal again, as text.

use super::cast::{CastEvent, Header};
use crate::pty::{Size, View};
use std::time::Duration;
use taffrail_model::Timestamp;

/// The marker of a gap: a hidden line was typed.
pub(super) const HIDDEN: &str = "hidden input";
/// The marker before the screen at the beginning of a part.
pub(super) const SCREEN: &str = "screen so far";
/// The most lines that are shown again.
const LINES: usize = 10_000;

/// The kept output of a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    /// The lines that left the screen, then the screen.
    pub lines: Vec<String>,
    /// Columns and rows of the terminal at last; `None` without output.
    pub size: Option<(u16, u16)>,
    /// The last output, to the second.
    pub last_output_at: Option<Timestamp>,
    /// Older output was dropped, because of the limit.
    pub is_cut: bool,
    /// When output was left out, because a hidden line was typed.
    pub hidden_at: Vec<Timestamp>,
}

/// Replays the parts, the oldest first.
pub(super) fn replay(parts: &[String]) -> Replay {
    let mut out = Replay::default();
    let mut view: Option<View> = None;
    for part in parts {
        let mut lines = part.lines();
        let Some(header) = lines.next().and_then(Header::parse) else { continue };
        out.is_cut |= view.is_none() && header.part > 1;
        let view = view.get_or_insert_with(|| View::with_history(header.size(), LINES));
        out.size = Some(resized(view, header.size()));
        for (at, event) in lines.filter_map(CastEvent::parse) {
            out.take(view, event, instant(header, at));
        }
    }
    out.lines = view.map(View::into_lines).unwrap_or_default();
    out
}

impl Replay {
    fn take(&mut self, view: &mut View, event: CastEvent, at: Option<Timestamp>) {
        match event {
            CastEvent::Output(text) => {
                // Nobody waits for the answers to queries.
                drop(view.take(text.as_bytes()));
                self.last_output_at = at;
            }
            CastEvent::Resized(size) => self.size = Some(resized(view, size)),
            CastEvent::Marker(label) if label == HIDDEN => self.hidden_at.extend(at),
            CastEvent::Marker(_) => {}
        }
    }
}

fn resized(view: &mut View, size: Size) -> (u16, u16) {
    view.resize(size);
    (size.columns, size.rows)
}

fn instant(header: Header, at: Duration) -> Option<Timestamp> {
    let seconds = i64::try_from(at.as_secs()).ok()?;
    Timestamp::from_second(header.timestamp.checked_add(seconds)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u32, events: &[CastEvent]) -> String {
        let size = Size { rows: 3, columns: 10 };
        let lines = events.iter().map(|it| it.line(Duration::from_secs(2)));
        let lines: String = lines.collect();
        Header::new(size, 100, number).line() + &lines
    }

    fn printed(text: &str) -> CastEvent {
        CastEvent::Output(text.to_owned())
    }

    #[test]
    fn lines_that_left_the_screen_are_shown_again() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(replay(&[part(1, &[printed(text)])]).lines, expected, "{text:?}");
        };
        check("", &[]);
        check("a\r\n\r\nb\r\nc\r\nd\r\n", &["a", "", "b", "c", "d"]);
        check("one\r\n\x1b[1mtwo\x1b[0m\x1b]0;title\x07\r\x1b[Kthree", &["one", "three"]);
        // A line that the terminal wrapped is one line, so that a secret in it is recognized.
        check("0123456789abc\r\nx", &["0123456789abc", "x"]);
        check("a\r\nb\r\nc\r\nd\x1b[?1049h\x1b[Hdialog", &["a", "b", "c", "d", "dialog"]);
    }

    #[test]
    fn a_replay_names_what_is_missing() {
        let hidden = CastEvent::Marker(HIDDEN.to_owned());
        let later = part(3, &[printed("a"), hidden, printed("b")]);
        let at = Timestamp::from_second(102).unwrap();
        let expected = Replay {
            lines: vec!["ab".to_owned()],
            size: Some((10, 3)),
            last_output_at: Some(at),
            is_cut: true,
            hidden_at: vec![at],
        };
        assert_eq!(replay(&[later]), expected);
        assert_eq!(replay(&["torn".to_owned()]), Replay::default());
    }
}
