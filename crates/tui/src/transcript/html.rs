//! A transcript as one inert HTML file: no scripts, nothing fetched, and transcript text is never
//! markup.

use super::blocks::{Block, Note, Output, Said, Tool};
use super::facts::{essentials, particulars, title};
use super::parts::{Part, Run, parts, runs};
use super::plain::plain;
use super::rendered::rendered;
use crate::changes::Change;
use crate::phrases::Outcome;
use crate::when::Clock;
use taffrail_api::Session;

const STYLE: &str = include_str!("html.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The beginning of a file.
pub(crate) fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    )
}

/// The end of a file.
pub(crate) const FOOT: &str = "</body>\n</html>";

/// The beginning of a session; its end is `SESSION_END`.
pub(super) fn session(session: &Session, clock: &Clock) -> String {
    let mut words = essentials(session).into_iter();
    let agent = words.next().unwrap_or_default();
    let words: String = words.map(|word| format!("<span>{}</span>", escape(&word))).collect();
    let fact =
        |(name, fact): (&str, String)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(&fact));
    let facts: String = particulars(session, clock).into_iter().map(fact).collect();
    format!(
        "<article>\n<header><h1>{}</h1><p><b>{}</b>{words}</p></header>\n<dl>\n{facts}</dl>",
        escape(&title(session)),
        escape(&agent)
    )
}

/// The end of a session.
pub(super) const SESSION_END: &str = "</article>";

/// The head of a turn.
pub(super) fn turn(number: usize, said: &Said, clock: &Clock) -> String {
    format!("<h2>{number}<span>{}</span></h2>", clock.stated(said.at))
}

/// One block.
pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Prompt(said) => spoken("prompt", &text(&said.text), said),
        Block::Answer(said) => spoken("answer", &rendered(&said.text), said),
        Block::Thinking(said) => folded("thinking", "<b>thinking</b>", &rendered(&said.text)),
        Block::Tool(tool) => folded("tool", &summary(tool), &details(tool)),
        Block::Note(note) => remark(note),
    }
}

/// Escapes text for content and attributes. The slashes of URLs are escaped, too, so that no reader
/// takes them for something to fetch.
pub(crate) fn escape(text: &str) -> String {
    let text = plain(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = rest.next() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '/' if before == '/' || rest.peek() == Some(&'/') => out.push_str("&#47;"),
            it => out.push(it),
        }
        before = character;
    }
    out
}

fn spoken(class: &str, text: &str, said: &Said) -> String {
    let excerpt =
        if said.is_excerpt { "<p class=\"note\">excerpt: the source is gone</p>" } else { "" };
    format!("<div class=\"{class}\">{text}{excerpt}</div>")
}

fn folded(class: &str, summary: &str, inside: &str) -> String {
    format!("<details class=\"{class}\"><summary>{summary}</summary>{inside}</details>")
}

fn summary(tool: &Tool) -> String {
    let mark = match tool.output.as_ref().map(|it| it.outcome) {
        Some(Outcome::Badly) => "<i class=\"bad\">✕</i>",
        Some(Outcome::Well) => "<i>✓</i>",
        Some(Outcome::Unknown) | None => "<i>·</i>",
    };
    format!("{mark}<b>{}</b> {}", escape(&tool.name), escape(&tool.gist))
}

fn details(tool: &Tool) -> String {
    let input = if tool.input.is_empty() { String::new() } else { code(&tool.input) };
    input + &compared(&tool.changes) + &tool.output.as_ref().map(output).unwrap_or_default()
}

/// A change line by line, as a diff.
fn compared(changes: &[Change]) -> String {
    let line = |it: &Change| {
        let text = escape(&it.marked());
        match it {
            Change::Added(_) => format!("<ins>{text}</ins>\n"),
            Change::Removed(_) => format!("<del>{text}</del>\n"),
            Change::Same(_) => format!("{text}\n"),
        }
    };
    let lines: String = changes.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("<pre class=\"diff\">\n{lines}</pre>") }
}

fn output(output: &Output) -> String {
    let text = if output.text.is_empty() { "(no output)" } else { &output.text };
    let cut = output.cut_from.map(|bytes| format!("cut: the whole has {bytes} bytes"));
    let cut = cut.map(|cut| format!("<p class=\"note\">{cut}</p>")).unwrap_or_default();
    code(text) + &cut
}

fn remark(note: &Note) -> String {
    let class = if note.label == "error" { "note bad" } else { "note" };
    format!("<p class=\"{class}\"><b>{}</b> {}</p>", note.label, escape(&note.text))
}

pub(super) fn code(text: &str) -> String {
    // HTML drops the first line feed of a `pre`.
    format!("<pre>\n{}</pre>", escape(text))
}

/// A person's text, with its code blocks.
fn text(text: &str) -> String {
    let part = |part: &Part<'_>| match part {
        Part::Code { lines, .. } => code(&lines.join("\n")),
        Part::Prose(lines) => prose(lines),
    };
    parts(text).iter().map(part).collect()
}

fn prose(lines: &[&str]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| inline(line)).collect();
    let text = lines.join("\n");
    match text.trim_matches('\n') {
        "" => String::new(),
        text => format!("<p>{text}</p>"),
    }
}

fn inline(line: &str) -> String {
    let run = |run: &Run<'_>| match run {
        Run::Text(text) => escape(text),
        Run::Code(code) => format!("<code>{}</code>", escape(code.trim_matches('`'))),
    };
    runs(line).iter().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_exported_as_a_difference() {
        let changes = [
            Change::Same("fn a() {".to_owned()),
            Change::Removed("<old>".to_owned()),
            Change::Added("new".to_owned()),
        ];
        let expected =
            "<pre class=\"diff\">\n fn a() {\n<del>-&lt;old&gt;</del>\n<ins>+new</ins>\n</pre>";
        assert_eq!(compared(&changes), expected);
        assert_eq!(compared(&[]), "");
    }
}
