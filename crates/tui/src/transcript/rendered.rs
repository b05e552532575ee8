//! Renders an agent's Markdown as our own HTML: every tag is written here, and every text is
//! escaped. HTML in it is shown as text, and nothing in it is fetched or can be followed.

use super::html::{code, escape};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Renders a text as HTML.
pub(super) fn rendered(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::default();
    for event in Parser::new_ext(text, options) {
        page.push(event);
    }
    page.out
}

#[derive(Default)]
struct Page {
    out: String,
    /// The text of the current code block.
    block: Option<String>,
    /// The current cells are those of a table's head.
    is_head: bool,
    /// The URLs of the open links.
    addresses: Vec<String>,
}

impl Page {
    fn push(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.block {
                Some(block) => block.push_str(&text),
                None => self.out += &escape(&text),
            },
            Event::Code(text) => self.out += &format!("<code>{}</code>", escape(&text)),
            Event::Html(text) | Event::InlineHtml(text) => self.out += &escape(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.out += &escape(&text);
            }
            // A paragraph keeps its lines.
            Event::SoftBreak | Event::HardBreak => self.out.push('\n'),
            Event::Rule => self.out += "<hr>\n",
            Event::TaskListMarker(is_done) => self.out += if is_done { "☑ " } else { "☐ " },
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.block = Some(String::new());
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.addresses.push(dest_url.into_string());
            }
            Tag::List(Some(first)) => self.out += &format!("<ol start=\"{first}\">\n"),
            Tag::TableHead => {
                self.is_head = true;
                self.out += "<tr>";
            }
            Tag::TableCell => self.out += if self.is_head { "<th>" } else { "<td>" },
            other => self.out += &opened(&other),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                let block = self.block.take().unwrap_or_default();
                self.out += &code(block.trim_end_matches('\n'));
            }
            TagEnd::Link | TagEnd::Image => self.address(),
            TagEnd::TableHead => {
                self.is_head = false;
                self.out += "</tr>\n";
            }
            TagEnd::TableCell => self.out += if self.is_head { "</th>" } else { "</td>" },
            other => self.out += &closed(other),
        }
    }

    /// The URL after the text of a link, unless the text is the URL.
    fn address(&mut self) {
        let address = escape(&self.addresses.pop().unwrap_or_default());
        if !address.is_empty() && !self.out.ends_with(&address) {
            self.out += &format!(" ({address})");
        }
    }
}

fn opened(tag: &Tag<'_>) -> String {
    match tag {
        Tag::Heading { level, .. } => format!("<h{}>", heading(*level as usize)),
        other => name(other.to_end()).map(|it| format!("<{it}>")).unwrap_or_default(),
    }
}

fn closed(tag: TagEnd) -> String {
    match tag {
        TagEnd::Heading(level) => format!("</h{}>\n", heading(level as usize)),
        other => name(other).map(|it| format!("</{it}>\n")).unwrap_or_default(),
    }
}

/// The page uses the first and second level itself.
fn heading(level: usize) -> usize {
    (level + 2).min(6)
}

fn name(tag: TagEnd) -> Option<&'static str> {
    match tag {
        TagEnd::Paragraph => Some("p"),
        TagEnd::BlockQuote(_) => Some("blockquote"),
        TagEnd::List(true) => Some("ol"),
        TagEnd::List(false) => Some("ul"),
        TagEnd::Item => Some("li"),
        TagEnd::Emphasis => Some("em"),
        TagEnd::Strong => Some("strong"),
        TagEnd::Strikethrough => Some("del"),
        TagEnd::Table => Some("table"),
        TagEnd::TableRow => Some("tr"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered() {
        let check = |text: &str, expected: &str| {
            assert_eq!(rendered(text).replace('\n', ""), expected, "{text}");
        };
        check("**NOTES.md** and `x`", "<p><strong>NOTES.md</strong> and <code>x</code></p>");
        check("# Done", "<h3>Done</h3>");
        check("- a\n- *b*", "<ul><li>a</li><li><em>b</em></li></ul>");
        check("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>");
        check("- [x] a", "<ul><li>☑ a</li></ul>");
        check("> a", "<blockquote><p>a</p></blockquote>");
        check("```rust\nlet a = \"<b>\";\n```", "<pre>let a = &quot;&lt;b&gt;&quot;;</pre>");
        let table = "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>";
        check("|a|\n|-|\n|b|", table);
        check("[a](b)", "<p>a (b)</p>");
        check("<https://x.org>", "<p>https:&#47;&#47;x.org</p>");
        check("![pic](http://x/y.png)", "<p>pic (http:&#47;&#47;x/y.png)</p>");
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("a <img src=x onerror=y> b", "<p>a &lt;img src=x onerror=y&gt; b</p>");
        check("[a](javascript:alert)", "<p>a (javascript:alert)</p>");
    }

    /// For any input, there are no tags but ours, and no attribute but the number of a list.
    fn check_contained(text: &str) {
        let html = rendered(text);
        let known = |tag: &str| {
            let tag = tag.trim_start_matches('/');
            let names = [
                "p",
                "blockquote",
                "ol",
                "ul",
                "li",
                "em",
                "strong",
                "del",
                "table",
                "tr",
                "th",
                "td",
                "h3",
                "h4",
                "h5",
                "h6",
                "pre",
                "code",
                "hr",
            ];
            let number = tag.strip_prefix("ol start=\"").and_then(|it| it.strip_suffix('"'));
            names.contains(&tag) || number.is_some_and(|it| it.parse::<u64>().is_ok())
        };
        for piece in html.split('<').skip(1) {
            let (tag, rest) = piece.split_once('>').unwrap_or((piece, ">"));
            assert!(known(tag), "<{tag}> in {html}");
            assert!(!rest.contains('>'), "{html}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(2000))]

        #[test]
        fn nothing_a_text_says_becomes_markup(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "`", "```", "~~~", "<", "<b>", "</p>", "<script>", "<!--", "-->", "![", "]", "(x)",
                "[", "](", "|", "---", "\\", "\n", "\n\n", "    ", "- ", "1. ", "> ", "# ", "a",
                "|-|\n", "&lt;", "&#60;", "\"", "'", "**", "_", "<https://x>", "[^1]", "$",
            ]), 0..24)
        ) {
            check_contained(&pieces.concat());
        }
    }
}
