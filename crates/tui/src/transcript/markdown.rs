//! A transcript as Markdown. Transcript text cannot leave its block, and becomes neither HTML nor
//! an image that is fetched.

use super::blocks::{Block, Note, Output, Said, Tool};
use super::facts::{essentials, particulars, title};
use super::html;
use super::parts::{Part, Run, parts, runs};
use crate::changes::Change;
use crate::phrases::Outcome;
use crate::when::Clock;
use taffrail_api::Session;

/// The head of a session.
pub(super) fn session(session: &Session, clock: &Clock) -> String {
    let mut out = format!("# {}\n\n", prose(&title(session)));
    out += &format!("{}\n\n", prose(&essentials(session).join(" · ")));
    for (name, fact) in particulars(session, clock) {
        out += &format!("- {name}: {}\n", prose(&fact));
    }
    out
}

/// One block.
pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Prompt(said) => quoted(&text(&said.text)) + &excerpt(said),
        Block::Answer(said) => text(&said.text) + "\n" + &excerpt(said),
        Block::Thinking(said) => folded("thinking", &text(&said.text)),
        Block::Tool(tool) => folded(&summary(tool), &details(tool)),
        Block::Note(note) => format!("*{}*{}\n", note.label, remark(note)),
    }
}

/// The head of a turn.
pub(super) fn turn(number: usize, said: &Said, clock: &Clock) -> String {
    format!("## {number} · {}\n", clock.stated(said.at))
}

fn excerpt(said: &Said) -> String {
    if said.is_excerpt { "\n*excerpt: the source is gone*\n".to_owned() } else { String::new() }
}

fn remark(note: &Note) -> String {
    if note.text.is_empty() { String::new() } else { format!(": {}", prose(&note.text)) }
}

fn folded(summary: &str, inside: &str) -> String {
    let summary = html::escape(summary);
    format!("<details><summary>{summary}</summary>\n\n{inside}\n\n</details>\n")
}

fn summary(tool: &Tool) -> String {
    let mark = match tool.output.as_ref().map(|it| it.outcome) {
        Some(it @ (Outcome::Well | Outcome::Badly)) => it.mark(),
        Some(Outcome::Unknown) | None => "",
    };
    let words = [mark, &tool.name, &tool.gist];
    words.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
}

fn details(tool: &Tool) -> String {
    let input = (!tool.input.is_empty()).then(|| fenced("", tool.input.lines()));
    let changed: Vec<_> = tool.changes.iter().map(Change::marked).collect();
    let changed = (!changed.is_empty()).then(|| fenced("diff", changed.iter().map(String::as_str)));
    let output = tool.output.as_ref().map(output);
    let parts: Vec<_> = [input, changed, output].into_iter().flatten().collect();
    parts.join("\n\n")
}

fn output(output: &Output) -> String {
    let block = fenced("", output.text.lines());
    match output.cut_from {
        Some(bytes) => format!("{block}\n\n*cut: the whole has {bytes} bytes*"),
        None => block,
    }
}

/// A text with its code blocks.
fn text(text: &str) -> String {
    let part = |part: &Part<'_>| match part {
        Part::Code { language, lines } => fenced(language, lines.iter().copied()),
        Part::Prose(lines) => {
            let lines: Vec<_> = lines.iter().map(|line| prose(line)).collect();
            lines.join("\n").trim_matches('\n').to_owned()
        }
    };
    let parts: Vec<_> = parts(text).iter().map(part).filter(|it| !it.is_empty()).collect();
    parts.join("\n\n")
}

fn quoted(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
    if text.is_empty() { ">\n".to_owned() } else { text.lines().map(line).collect() }
}

/// A code block whose fence is longer than any run of backticks in it.
fn fenced<'a>(language: &str, lines: impl Iterator<Item = &'a str> + Clone) -> String {
    let longest = lines.clone().map(longest_row).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let lines: Vec<_> = lines.collect();
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

fn longest_row(line: &str) -> usize {
    line.split(|it| it != '`').map(str::len).max().unwrap_or(0)
}

/// A line in which only inline code stays unescaped.
fn prose(line: &str) -> String {
    // A table is split into cells before inline code is parsed.
    let is_table = line.contains('|');
    let run = |run: &Run<'_>| match run {
        Run::Text(text) => harmless(text),
        Run::Code(code) if is_table => code.replace('<', "&lt;").replace("![", "&#33;["),
        Run::Code(code) => (*code).to_owned(),
    };
    runs(line).iter().map(run).collect()
}

/// Escapes entities, whatever is before them.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('\\', Some('`' | '<')) => {}
            ('\\', Some(escaped @ ('\\' | '!'))) => {
                out.extend(['\\', *escaped]);
                rest.next();
            }
            ('<', _) => out.push_str("&lt;"),
            ('`', _) => out.push_str("&#96;"),
            ('!', Some('[')) => out.push_str("&#33;"),
            ('~', Some('~')) if out.ends_with('~') => out.push_str("&#126;"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    #[test]
    fn code_is_left_alone_and_the_rest_is_harmless() {
        let check = |line: &str, expected: &str| assert_eq!(prose(line), expected, "{line}");
        check("a **b** `Vec<T>` [c](d)", "a **b** `Vec<T>` [c](d)");
        check("<script>", "&lt;script>");
        check("\\<script>", "&lt;script>");
        check("\\\\<script>", "\\\\&lt;script>");
        check("\\`<b>`", "&#96;&lt;b>&#96;");
        check("![x](y) \\![x](y)", "&#33;[x](y) \\![x](y)");
        check("| `a | <b> ` |", "| `a | &lt;b> ` |");
        check("- ~~~", "- ~&#126;~");
        check("- ```", "- &#96;&#96;&#96;");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("", "a".lines()), "```\na\n```");
        assert_eq!(fenced("sh", "````\n`".lines()), "`````sh\n````\n`\n`````");
    }

    /// Another parser reads it as text, and what follows stays where we put it.
    fn check_contained(markdown: &str) {
        let whole = format!("{markdown}\n\nafterwards\n");
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let (mut depth, mut follows) = (0, false);
        for event in Parser::new_ext(&whole, options) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{html:?} in {whole}"),
                Event::Start(Tag::Image { .. }) => panic!("an image in {whole}"),
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Text(text) => follows = depth == 1 && text.as_ref() == "afterwards",
                _ => {}
            }
        }
        assert!(follows, "what follows is swallowed: {whole}");
    }

    #[test]
    fn known_ways_out_are_closed() {
        for said in [
            "x | y\n-|-\n`a | <b> ` | c",
            "x | y\n-|-\n`a | ![b](c) ` | c",
            "a ` b\n` <b> `",
            "- ```\n  ```\n<b>",
            "> ~~~\n<b>",
            "\\\\`<b>\\`",
            "<details>\n\n```\n</details>\n<script>",
            "[a]: <b>\n\n![a]",
            "    <b>\n\n\t```\n<b>",
        ] {
            check_contained(&text(said));
            check_contained(&quoted(&text(said)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn nothing_a_text_says_becomes_markup(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "`", "``", "```", "````", "~~~", "~", "<", "<b>", "</b>", "<script>", "<!--", "-->",
                "![", "]", "(x)", "[", "]]>", "|", "---", "\\", "!", "\n", "\n\n", "    ", "\t",
                "  ", "- ", "1. ", "> ", "# ", "a", "|-|-|\n", ":", "&lt;", "&#96;", "=",
            ]), 0..24)
        ) {
            let said = pieces.concat();
            check_contained(&text(&said));
            check_contained(&quoted(&text(&said)));
            check_contained(&format!("# {}", prose(&said.replace('\n', " "))));
            check_contained(&fenced("", said.lines()));
        }
    }
}
