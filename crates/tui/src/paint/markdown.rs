//! Renders an agent's Markdown on a terminal: headings, lists, code, strong and emphasised text.
//!
//! The text keeps its layout and nothing is decoded. Marks are dropped only where a weight or a
//! sign of ours replaces them; inline code keeps its backticks, because colour is never the only sign.

use crate::paint::text::{span, wrap_into};
use crate::paint::theme::{Ink, Palette, Theme};
use crate::terminal::clean;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use ratatui::text::Line;
use std::ops::Range;

/// How a character is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Bold,
    Title,
    Emphasis,
    Quote,
    Code,
    Added,
    Removed,
    /// The mark of a list item; a bullet is drawn for it.
    Bullet,
    Gone,
}

impl Look {
    const fn ink(self) -> Ink {
        match self {
            Self::Plain | Self::Gone => Ink::Plain,
            Self::Bold => Ink::Bold,
            Self::Title => Ink::Title,
            Self::Emphasis => Ink::Emphasis,
            Self::Quote | Self::Bullet => Ink::Dim,
            Self::Code => Ink::Code,
            Self::Added => Ink::Added,
            Self::Removed => Ink::Removed,
        }
    }
}

/// What a line is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Running text; further rows of the line are indented by so much.
    Text(usize),
    Code,
    /// The first or last line of a code block.
    Fence,
    Rule,
}

/// A foreign text as lines of at most `width` columns, at most `most` of them.
pub(crate) fn lines(text: &str, width: usize, most: usize, theme: Theme) -> Vec<Line<'static>> {
    // More than this does not fit; deep nesting of a long text would take long to read.
    let longest = (most + 1).saturating_mul(width + 1).saturating_mul(2);
    let end = text.char_indices().nth(longest).map_or(text.len(), |(at, _)| at);
    let text = clean(text.get(..end).unwrap_or(text)).replace('\t', "    ");
    let page = match theme.palette {
        Palette::Plain => Page::new(&text),
        Palette::Dark | Palette::Light | Palette::Sixteen | Palette::Colourless => {
            Page::read(&text)
        }
    };
    let (mut at, mut out) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        if out.len() >= most {
            break;
        }
        let range = at..at + line.len();
        at = range.end;
        let part = page.part(&range, line);
        let own = page.looks.get(range).unwrap_or_default();
        let kept = line.trim_end().char_indices().filter_map(|(at, character)| {
            let look = own.get(at).copied().filter(|it| *it != Look::Gone)?;
            Some((if look == Look::Bullet { '•' } else { character }, look))
        });
        let room = most.saturating_sub(out.len());
        out.extend(rows(&kept.collect::<Vec<_>>(), part, (width, room), theme));
    }
    out
}

/// What is known about each byte of a text, and about some of its lines.
struct Page {
    looks: Vec<Look>,
    blocks: Vec<Range<usize>>,
    code: Vec<Range<usize>>,
    rules: Vec<usize>,
    /// Where the text of each list item starts, by the place of its mark.
    items: Vec<(usize, usize)>,
}

impl Page {
    fn new(text: &str) -> Self {
        let looks = vec![Look::Plain; text.len()];
        Self { looks, blocks: Vec::new(), code: Vec::new(), rules: Vec::new(), items: Vec::new() }
    }

    /// Reads the marks. An inner element comes after the one around it.
    fn read(text: &str) -> Self {
        let mut page = Self::new(text);
        for (event, range) in Parser::new(text).into_offset_iter() {
            page.push(text, &event, range);
        }
        page
    }

    fn push(&mut self, text: &str, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Strong) => self.marked(&range, Look::Bold, 2),
            Event::Start(Tag::Emphasis) => self.marked(&range, Look::Emphasis, 1),
            Event::Start(Tag::Heading { .. }) => {
                let heading = text.get(range.clone()).unwrap_or_default();
                let signs = heading.len() - heading.trim_start_matches('#').trim_start().len();
                self.paint(range.start..range.start + signs, Look::Gone);
                self.paint(range.start + signs..range.end, Look::Title);
            }
            Event::Start(Tag::BlockQuote(_)) if self.is(&range, Look::Quote) => {}
            Event::Start(Tag::BlockQuote(_)) => self.paint(range, Look::Quote),
            Event::Start(Tag::Item) => self.item(text, &range),
            Event::Start(Tag::CodeBlock(kind)) => {
                if matches!(kind, CodeBlockKind::Fenced(_)) {
                    self.blocks.push(range.clone());
                }
                self.block(text, kind, &range);
            }
            Event::Text(_) if self.is_in_block(&range) => self.code.push(range),
            Event::Code(_) if self.is(&range, Look::Title) => {}
            Event::Code(_) => self.paint(range, Look::Code),
            Event::Rule => self.rules.push(range.start),
            _ => {}
        }
    }

    fn paint(&mut self, range: Range<usize>, look: Look) {
        self.looks.get_mut(range).unwrap_or_default().fill(look);
    }

    /// Whether the text around an element has this look.
    fn is(&self, range: &Range<usize>, look: Look) -> bool {
        self.looks.get(range.start) == Some(&look)
    }

    /// Paints an element whose mark has so many bytes on both sides.
    fn marked(&mut self, range: &Range<usize>, look: Look, mark: usize) {
        if !self.is(range, look) && !self.is(range, Look::Title) {
            self.paint(range.clone(), look);
        }
        self.paint(range.start..range.start + mark, Look::Gone);
        self.paint(range.end.saturating_sub(mark)..range.end, Look::Gone);
    }

    fn item(&mut self, text: &str, range: &Range<usize>) {
        let item = text.get(range.clone()).unwrap_or_default();
        let digits = item.len() - item.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let after = item.get(digits + 1..).unwrap_or_default();
        let mark = digits + 1 + (after.len() - after.trim_start_matches(' ').len());
        self.items.push((range.start, mark));
        if digits == 0 {
            self.paint(range.start..range.start + 1, Look::Bullet);
        }
    }

    /// Paints the lines of a code block; those of a diff by their sign.
    fn block(&mut self, text: &str, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let is_diff =
            matches!(kind, CodeBlockKind::Fenced(it) if matches!(&**it, "diff" | "patch"));
        let mut at = range.start;
        for line in text.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
            let look = match line.as_bytes().first() {
                Some(b'+') if is_diff => Look::Added,
                Some(b'-') if is_diff => Look::Removed,
                _ => Look::Code,
            };
            self.paint(at..at + line.len(), look);
            at += line.len();
        }
    }

    fn is_in_block(&self, range: &Range<usize>) -> bool {
        self.blocks.last().is_some_and(|it| it.start <= range.start && range.end <= it.end)
    }

    fn part(&self, range: &Range<usize>, line: &str) -> Part {
        if is_any_in(&self.code, range) {
            return Part::Code;
        }
        if is_any_in(&self.blocks, range) {
            return Part::Fence;
        }
        let next = self.rules.partition_point(|at| *at < range.start);
        if self.rules.get(next).is_some_and(|at| *at < range.end) {
            return Part::Rule;
        }
        let before = self.items.partition_point(|(at, _)| *at < range.end);
        let first = before.checked_sub(1).and_then(|it| self.items.get(it));
        let first = first.filter(|(at, _)| *at >= range.start);
        let blank = line.len() - line.trim_start_matches(' ').len();
        Part::Text(first.map_or(blank, |(at, mark)| at - range.start + mark))
    }
}

/// Whether one of these ranges, which are in order, overlaps with another range.
fn is_any_in(ranges: &[Range<usize>], other: &Range<usize>) -> bool {
    let next = ranges.partition_point(|it| it.end <= other.start);
    ranges.get(next).is_some_and(|it| it.start < other.end)
}

/// One line over as many rows as it needs.
fn rows(
    line: &[(char, Look)],
    part: Part,
    (width, most): (usize, usize),
    theme: Theme,
) -> Vec<Line<'static>> {
    let dim = theme.style(Ink::Dim);
    match part {
        Part::Text(indent) => {
            let indent = indent.min(width / 2);
            wrapped(line, (width, indent), most, theme)
        }
        Part::Code => {
            let mut rows = wrapped(line, (width.saturating_sub(2), 0), most, theme);
            rows.iter_mut().for_each(|it| it.spans.insert(0, span("│ ", dim)));
            rows
        }
        Part::Fence => {
            let text: String = line.iter().map(|it| it.0).collect();
            let language = text.trim_matches(|it: char| "`~>• ".contains(it));
            match language.is_empty() || most == 0 {
                true => Vec::new(),
                false => {
                    let mut rows = wrapped(line, (width.saturating_sub(2), 0), most, theme);
                    rows.iter_mut().for_each(|it| *it = Line::from(span(fence(it), dim)));
                    rows
                }
            }
        }
        Part::Rule if most == 0 => Vec::new(),
        Part::Rule => vec![Line::from(span("─".repeat(width), dim))],
    }
}

/// The first line of a code block without its ticks.
fn fence(line: &Line<'_>) -> String {
    format!("┌ {}", line.to_string().replace(['`', '~', '>', '•'], "").trim())
}

/// The rows of a line, all but the first of them indented.
fn wrapped(
    line: &[(char, Look)],
    (width, indent): (usize, usize),
    most: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let text: String = line.iter().map(|it| it.0).collect();
    let (text, mut rows) = (text.trim_end(), Vec::new());
    wrap_into(&mut rows, text, width.max(1), most.min(1));
    let over = rows.first().and_then(|it: &String| text.get(it.len()..)).unwrap_or_default();
    let over = over.trim_start_matches(' ');
    if !over.is_empty() {
        wrap_into(&mut rows, over, width.saturating_sub(indent).max(1), most);
    }
    // A row continues the line; only spaces between two rows are dropped.
    let mut rest = line.iter();
    let row = |(number, row): (usize, String)| {
        let looks: Vec<_> = row.chars().filter_map(|it| rest.find(|next| next.0 == it)).collect();
        let pieces = looks.chunk_by(|one, next| one.1 == next.1).filter_map(|alike| {
            let text: String = alike.iter().map(|it| it.0).collect();
            Some(span(text, theme.style(alike.first()?.1.ink())))
        });
        let blank =
            (number > 0 && indent > 0).then(|| span(" ".repeat(indent), theme.style(Ink::Plain)));
        Line::from(blank.into_iter().chain(pieces).collect::<Vec<_>>())
    };
    rows.into_iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::theme::Motion;
    use proptest::prelude::*;
    use ratatui::style::Modifier;

    const THEME: Theme =
        Theme { palette: Palette::Colourless, motion: Motion::Reduced, is_guessed: false };

    /// Lines with bold text in angle brackets.
    fn shown(text: &str, width: usize) -> Vec<String> {
        let piece = |it: &ratatui::text::Span<'_>| match it.style.add_modifier {
            Modifier::BOLD => format!("⟨{}⟩", it.content),
            Modifier::ITALIC => format!("/{}/", it.content),
            _ => it.content.to_string(),
        };
        let lines = lines(text, width, 100, THEME);
        lines.iter().map(|line| line.spans.iter().map(piece).collect()).collect()
    }

    #[test]
    fn what_is_strong_is_bold_and_the_rest_is_as_it_was_written() {
        let check = |text: &str, expected: &[&str]| assert_eq!(shown(text, 20), expected, "{text}");
        check("a **b** c", &["a ⟨b⟩ c"]);
        check("# Done\n\nIt *is* `**x**`.", &["⟨Done⟩", "", "It /is/ `**x**`."]);
        check("- one\n  1. **two**", &["• one", "  1. ⟨two⟩"]);
        check("```\n# no heading\n  **x**\n```", &["│ # no heading", "│   **x**"]);
        check("```rust\nlet a;\n\nlet b;\n```\nc", &["┌ rust", "│ let a;", "│ ", "│ let b;", "c"]);
        check("- a long item that goes on", &["• a long item that", "  goes on"]);
        check("1. a long item that goes on", &["1. a long item that", "   goes on"]);
        check("a\n\n---\n\nb", &["a", "", "────────────────────", "", "b"]);
        check("> so **be** it", &["> so ⟨be⟩ it"]);
        check("## a `b` **c**", &["⟨a `b` c⟩"]);
        check("**one two three four five**", &["⟨one two three four⟩", "⟨five⟩"]);
        check("2 ** 3 &lt; <b> \u{1b}[1m", &["2 ** 3 &lt; <b> \u{fffd}[1m"]);
        check("", &[]);
    }

    /// Marks, and what is drawn in their place.
    const DROPPED: [char; 16] =
        ['>', '#', '*', '_', ' ', '\n', '\t', '\r', '`', '-', '+', '•', '│', '┌', '─', '~'];

    #[test]
    fn without_weights_every_mark_stays() {
        let theme = Theme { palette: Palette::Plain, ..THEME };
        let text = "# A **b** `c`\n- d\n```\ne\n```";
        let shown: Vec<_> = lines(text, 20, 100, theme).iter().map(ToString::to_string).collect();
        assert_eq!(shown.join("\n"), text);
    }

    #[test]
    fn a_diff_has_colours_by_its_signs() {
        let theme = Theme { palette: Palette::Sixteen, ..THEME };
        let lines = lines("```diff\n-a\n+b\n c\n```", 20, 100, theme);
        let inks = [Ink::Dim, Ink::Removed, Ink::Added, Ink::Code].map(|it| theme.style(it));
        let got: Vec<_> =
            lines.iter().filter_map(|it| it.spans.last()).map(|it| it.style).collect();
        assert_eq!(got, inks);
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
            let bare = |text: &str| text.replace(DROPPED, "");
            let shown: String = lines(&text, width, 1_000, THEME).iter().map(ToString::to_string).collect();
            prop_assert_eq!(bare(&shown), bare(&clean(&text)));
        }
    }
}
