//! The byte range of each value in a YAML text.

use granit_parser::{Event, Options, Parser, StructureStyle};
use std::ops::Range;

/// The deepest nesting; a deeper text may be hostile.
const DEPTH: usize = 64;

/// A value and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// From its first byte to its last; for a block, to the end of the last value in it.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

/// The kind of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Map(Style, Vec<(String, Node)>, Option<usize>),
    List(Style, Vec<Node>),
}

/// The style of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Lines and indentation.
    Block,
    /// Brackets.
    Flow,
}

impl Node {
    /// The value at a path.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, part| node.child(part))
    }

    fn child(&self, part: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Scalar => None,
            Kind::Map(_, entries, _) => {
                entries.iter().find(|(name, _)| name == part).map(|it| &it.1)
            }
            Kind::List(_, items) => items.get(part.parse::<usize>().ok()?),
        }
    }
}

/// The values of the first document; `None` if the text is not YAML or has no document.
pub(crate) fn tree(text: &str) -> Option<Node> {
    let mut options = Options::default();
    options.emit_comments = false;
    let mut events = Events { parser: Parser::new_from_str_with_options(text, options), text };
    loop {
        let (event, range) = events.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(..) => {}
            other => return events.node(&other, range, DEPTH),
        }
    }
}

struct Events<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    text: &'t str,
}

impl<'t> Events<'t> {
    fn next(&mut self) -> Option<(Event<'t>, Range<usize>)> {
        let (event, span) = self.parser.next()?.ok()?;
        Some((event, span.byte_range()?))
    }

    fn node(&mut self, event: &Event<'t>, range: Range<usize>, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        match event {
            Event::Scalar(..) | Event::Alias(_) => {
                Some(Node { range: self.trimmed(range), kind: Kind::Scalar })
            }
            Event::SequenceStart(style, ..) => self.list(style_of(*style), range.start, depth),
            Event::MappingStart(style, ..) => self.map(style_of(*style), range.start, depth),
            _ => None,
        }
    }

    fn list(&mut self, style: Style, start: usize, depth: usize) -> Option<Node> {
        let mut items: Vec<Node> = Vec::new();
        loop {
            let (event, range) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                let end = end(style, range.end, items.last(), start);
                return Some(Node { range: start..end, kind: Kind::List(style, items) });
            }
            items.push(self.node(&event, range, depth)?);
        }
    }

    fn map(&mut self, style: Style, start: usize, depth: usize) -> Option<Node> {
        let (mut entries, mut first): (Vec<(String, Node)>, _) = (Vec::new(), None);
        loop {
            let (event, range) = self.next()?;
            let name = match event {
                Event::MappingEnd => {
                    let end = end(style, range.end, entries.last().map(|it| &it.1), start);
                    return Some(Node {
                        range: start..end,
                        kind: Kind::Map(style, entries, first),
                    });
                }
                Event::Scalar(name, ..) => name.into_owned(),
                // Other keys are never looked up.
                other => {
                    self.node(&other, range.clone(), depth)?;
                    String::new()
                }
            };
            first = first.or(Some(range.start));
            let (event, range) = self.next()?;
            let node = self.node(&event, range, depth)?;
            entries.push((name, node));
        }
    }

    /// A block scalar reaches into the indentation of the next line, which is not part of it.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        // An empty value is after the colon, not before it.
        let is_before = range.is_empty() && self.text.as_bytes().get(range.start) == Some(&b':');
        let start = range.start + usize::from(is_before);
        start..start + text.trim_end().len()
    }
}

fn style_of(style: StructureStyle) -> Style {
    match style {
        StructureStyle::Block => Style::Block,
        StructureStyle::Flow => Style::Flow,
    }
}

fn end(style: Style, close: usize, last: Option<&Node>, start: usize) -> usize {
    match style {
        Style::Flow => close,
        Style::Block => last.map_or(start, |it| it.range.end),
    }
}
