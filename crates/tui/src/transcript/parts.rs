//! Splits a text into prose and code blocks, and a line into prose and inline code.
//!
//! Both are recognised generously and always written again by us, so that a text cannot decide
//! where our own blocks end. A Markdown parser would recognise only the code of one dialect.

/// A range of lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Prose(Vec<&'a str>),
    Code { language: String, lines: Vec<&'a str> },
}

/// A range of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run<'a> {
    Text(&'a str),
    /// With its backticks.
    Code(&'a str),
}

struct Fence {
    tick: char,
    length: usize,
    indent: usize,
}

/// Splits a text at its fences; an unclosed fence lasts to the end.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    let mut fence: Option<Fence> = None;
    for line in text.lines() {
        match &fence {
            Some(open) if closes(line, open) => fence = None,
            Some(open) => push_code(&mut out, unindented(line, open.indent)),
            None => match opens(line) {
                Some((open, language)) => {
                    fence = Some(open);
                    out.push(Part::Code { language, lines: Vec::new() });
                }
                None => push_prose(&mut out, line),
            },
        }
    }
    out
}

fn push_code<'a>(out: &mut [Part<'a>], line: &'a str) {
    if let Some(Part::Code { lines, .. }) = out.last_mut() {
        lines.push(line);
    }
}

fn push_prose<'a>(out: &mut Vec<Part<'a>>, line: &'a str) {
    match out.last_mut() {
        Some(Part::Prose(lines)) => lines.push(line),
        _ => out.push(Part::Prose(vec![line])),
    }
}

fn opens(line: &str) -> Option<(Fence, String)> {
    let body = line.trim_start();
    let tick = body.chars().next().filter(|it| matches!(it, '`' | '~'))?;
    let length = body.chars().take_while(|it| *it == tick).count();
    let word = body.trim_start_matches(tick);
    if length < 3 || (tick == '`' && word.contains('`')) {
        return None;
    }
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || "_+#.-".contains(*it);
    let language = word.trim().chars().take_while(is_plain).collect();
    Some((Fence { tick, length, indent: line.len() - body.len() }, language))
}

fn closes(line: &str, fence: &Fence) -> bool {
    let body = line.trim();
    body.chars().all(|it| it == fence.tick) && body.chars().count() >= fence.length
}

fn unindented(line: &str, indent: usize) -> &str {
    let blank = line.bytes().take(indent).take_while(|it| *it == b' ').count();
    line.get(blank..).unwrap_or(line)
}

/// Splits a line at its inline code: a run of backticks, up to the next run of the same length.
pub(super) fn runs(line: &str) -> Vec<Run<'_>> {
    let mut out = Vec::new();
    let (mut text_from, mut at) = (0, 0);
    while let Some(found) = next_ticks(line, at) {
        let Some(end) = closing(line, found) else {
            at = found.1;
            continue;
        };
        push_text(&mut out, line.get(text_from..found.0));
        out.extend(line.get(found.0..end).map(Run::Code));
        (text_from, at) = (end, end);
    }
    push_text(&mut out, line.get(text_from..));
    out
}

fn push_text<'a>(out: &mut Vec<Run<'a>>, text: Option<&'a str>) {
    out.extend(text.filter(|it| !it.is_empty()).map(Run::Text));
}

/// The next run of backticks that is not escaped.
fn next_ticks(line: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 2,
            b'`' => return Some((at, row_end(bytes, at))),
            _ => at += 1,
        }
    }
    None
}

/// The end of the inline code that a run of backticks begins.
fn closing(line: &str, (from, to): (usize, usize)) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = to;
    while at < bytes.len() {
        let end = row_end(bytes, at);
        if end - at == to - from {
            return Some(end);
        }
        at = end.max(at + 1);
    }
    None
}

fn row_end(bytes: &[u8], from: usize) -> usize {
    from + bytes.iter().skip(from).take_while(|it| **it == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_found_wherever_they_stand() {
        let code = |language: &str, lines: &[&'static str]| Part::Code {
            language: language.to_owned(),
            lines: lines.to_vec(),
        };
        let check = |text: &str, expected: &[Part<'_>]| assert_eq!(parts(text), expected, "{text}");
        check("a\n\nb", &[Part::Prose(vec!["a", "", "b"])]);
        check(
            "a\n```rust\nx\n```\nb",
            &[Part::Prose(vec!["a"]), code("rust", &["x"]), Part::Prose(vec!["b"])],
        );
        check("  ~~~~ sh x\n    y\n  ~~~\n~~~~", &[code("sh", &["  y", "~~~"])]);
        check("```\nopen", &[code("", &["open"])]);
        check("```a`b\nx", &[Part::Prose(vec!["```a`b", "x"])]);
        check("- ```\nx", &[Part::Prose(vec!["- ```", "x"])]);
        check("```\"><script>\nx", &[code("", &["x"])]);
        check("", &[]);
    }

    #[test]
    fn code_in_a_line_is_between_equal_rows_of_ticks() {
        let shown = |line: &str| {
            let shown = |run: &Run<'_>| match run {
                Run::Text(text) => format!("T{text}"),
                Run::Code(text) => format!("C{text}"),
            };
            runs(line).iter().map(shown).collect::<Vec<_>>()
        };
        let check = |line: &str, expected: &[&str]| assert_eq!(shown(line), expected, "{line}");
        check("a `b` c", &["Ta ", "C`b`", "T c"]);
        check("`` a`b `` `", &["C`` a`b ``", "T `"]);
        check("\\`a` b`", &["T\\`a", "C` b`"]);
        check("`a\\` b", &["C`a\\`", "T b"]);
        check("``a` b", &["T``a` b"]);
        check("\\\\`é`", &["T\\\\", "C`é`"]);
        check("", &[]);
    }
}
