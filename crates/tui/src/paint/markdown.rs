//! Renders an agent's Markdown on a terminal: headings and strong text are bold.
//!
//! The text keeps its layout. Only the marks of headings and strong text are removed: nothing is
//! decoded, and code keeps its backticks, because colour is never the only sign.

use crate::paint::text::{span, wrap_into};
use crate::paint::theme::{Ink, Theme};
use crate::terminal::clean;
use pulldown_cmark::{Event, Parser, Tag};
use ratatui::text::Line;
use std::ops::Range;

/// How a character is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Bold,
    Gone,
}

impl Look {
    const fn ink(self) -> Ink {
        match self {
            Self::Plain | Self::Gone => Ink::Plain,
            Self::Bold => Ink::Bold,
        }
    }
}

/// A foreign text as lines of at most `width` columns, at most `most` of them.
pub(crate) fn lines(text: &str, width: usize, most: usize, theme: Theme) -> Vec<Line<'static>> {
    let text = clean(text).replace('\t', "    ");
    let (looks, mut at, mut out) = (looks(&text), 0, Vec::new());
    for line in text.split_inclusive('\n') {
        let own = looks.get(at..).unwrap_or_default();
        at += line.len();
        let kept = line.trim_end().char_indices().filter_map(|(at, character)| {
            let look = own.get(at).copied().filter(|it| *it != Look::Gone)?;
            Some((character, look))
        });
        let room = most.saturating_sub(out.len());
        out.extend(rows(&kept.collect::<Vec<_>>(), width, room, theme));
    }
    out
}

/// The look of each byte of a text. An inner element comes after the one around it.
fn looks(text: &str) -> Vec<Look> {
    let mut out = vec![Look::Plain; text.len()];
    let mut paint = |range: Range<usize>, look: Look| {
        out.get_mut(range).unwrap_or_default().fill(look);
    };
    for (event, range) in Parser::new(text).into_offset_iter() {
        let Range { start, end } = range;
        match event {
            Event::Start(Tag::Strong) => {
                paint(start..end, Look::Bold);
                paint(start..start + 2, Look::Gone);
                paint(end.saturating_sub(2)..end, Look::Gone);
            }
            Event::Start(Tag::Heading { .. }) => {
                let heading = text.get(start..end).unwrap_or_default();
                let signs = heading.len() - heading.trim_start_matches('#').trim_start().len();
                paint(start..end, Look::Bold);
                paint(start..start + signs, Look::Gone);
            }
            _ => {}
        }
    }
    out
}

/// One line over as many rows as it needs.
fn rows(line: &[(char, Look)], width: usize, most: usize, theme: Theme) -> Vec<Line<'static>> {
    let (text, mut rows): (String, _) = (line.iter().map(|it| it.0).collect(), Vec::new());
    wrap_into(&mut rows, text.trim_end(), width.max(1), most);
    // A row continues the line; only spaces between two rows are dropped.
    let mut rest = line.iter();
    let row = |row: String| {
        let looks: Vec<_> = row.chars().filter_map(|it| rest.find(|next| next.0 == it)).collect();
        let pieces = looks.chunk_by(|one, next| one.1 == next.1).filter_map(|alike| {
            let text: String = alike.iter().map(|it| it.0).collect();
            Some(span(text, theme.style(alike.first()?.1.ink())))
        });
        Line::from(pieces.collect::<Vec<_>>())
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::theme::{Motion, Palette};
    use proptest::prelude::*;
    use ratatui::style::Modifier;

    const THEME: Theme =
        Theme { palette: Palette::Colourless, motion: Motion::Reduced, is_guessed: false };

    /// Lines with bold text in angle brackets.
    fn shown(text: &str, width: usize) -> Vec<String> {
        let piece = |it: &ratatui::text::Span<'_>| match it.style.add_modifier {
            Modifier::BOLD => format!("⟨{}⟩", it.content),
            _ => it.content.to_string(),
        };
        let lines = lines(text, width, 100, THEME);
        lines.iter().map(|line| line.spans.iter().map(piece).collect()).collect()
    }

    #[test]
    fn what_is_strong_is_bold_and_the_rest_is_as_it_was_written() {
        let check = |text: &str, expected: &[&str]| assert_eq!(shown(text, 20), expected, "{text}");
        check("a **b** c", &["a ⟨b⟩ c"]);
        check("# Done\n\nIt *is* `**x**`.", &["⟨Done⟩", "", "It *is* `**x**`."]);
        check("- one\n  1. **two**", &["- one", "  1. ⟨two⟩"]);
        check("```\n# no heading\n**x**\n```", &["```", "# no heading", "**x**", "```"]);
        check("## a `b` **c**", &["⟨a `b` c⟩"]);
        check("**one two three four five**", &["⟨one two three four⟩", "⟨five⟩"]);
        check("2 ** 3 &lt; <b> \u{1b}[1m", &["2 ** 3 &lt; <b> \u{fffd}[1m"]);
        check("", &[]);
    }

    proptest! {
        /// For any text, only marks and spaces are dropped.
        #[test]
        fn no_word_is_lost(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "*", "**", "_", "__", "# ", "## ", "`", "```", "\n", "\n\n", " ", "- ", "> ", "ü", "漢", "word", "===",
                "[a](b)", "<b>", "\\", "&lt;", "\t", "\r\n", "|",
            ]), 0..40),
            width in 1_usize..30,
        ) {
            let text = pieces.concat();
            let bare = |text: &str| text.replace(['#', '*', '_', ' ', '\n', '\t', '\r'], "");
            let shown: String = lines(&text, width, 1_000, THEME).iter().map(ToString::to_string).collect();
            prop_assert_eq!(bare(&shown), bare(&clean(&text)));
        }
    }
}
