//! A digest as Markdown.

use super::{HEAD, Item, Section, words};
use crate::when::Clock;
use std::path::Path;
use taffrail_api::Digest;

/// The digest as Markdown; projects below the user's home from there on.
#[must_use]
pub fn markdown(digest: &Digest, at: (&Path, &Clock)) -> String {
    let words = words(digest, at);
    let mut out = vec![format!("# {}", words.title), words.sums];
    if !words.projects.is_empty() {
        out.push(table(&words.projects));
    }
    out.extend(words.sections.iter().map(section));
    out.join("\n\n")
}

fn table(rows: &[[String; 6]]) -> String {
    let row = |[path, numbers @ ..]: &[String; 6]| {
        format!("| {} | {} |", inert(path), numbers.join(" | "))
    };
    let head = [format!("| {} |", HEAD.join(" | ")), "|---|--:|--:|--:|--:|--:|".to_owned()];
    head.into_iter().chain(rows.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn section(section: &Section) -> String {
    let more = section.more.iter().map(|it| format!("- {}", inert(it)));
    let items: Vec<_> = section.items.iter().map(item).chain(more).collect();
    format!("## {}\n\n{}", section.head, items.join("\n"))
}

fn item(item: &Item) -> String {
    let text = item.text.as_ref().map(|it| format!(": {}", inert(it))).unwrap_or_default();
    format!("- **{}** ({}){text}", inert(&item.title), inert(&item.place))
}

/// Text of others on one line: it marks nothing up, links nowhere and calls nobody, in Markdown and
/// in channels that read some of it.
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim().chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            ':' if rest.peek() == Some(&'/') => out.push_str("&#58;"),
            '.' if rest.peek().is_some_and(char::is_ascii_alphabetic) && ends_in_www(&out) => {
                out.push_str("&#46;");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                out.extend(['\\', character]);
            }
            it => out.push(it),
        }
    }
    out
}

fn ends_in_www(text: &str) -> bool {
    text.get(text.len().saturating_sub(3)..).is_some_and(|it| it.eq_ignore_ascii_case("www"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    #[test]
    fn a_text_of_others_is_only_text() {
        let check = |text: &str, expected: &str| assert_eq!(inert(text), expected);
        check("fix the parser", "fix the parser");
        check("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;");
        check("[a](http://x) @all", "\\[a\\](http&#58;//x) &#64;all");
        check("www.x.org a.rs", "www&#46;x.org a.rs");
        check("`a` | # b", "\\`a\\` \\| \\# b");
    }

    proptest! {
        #[test]
        fn no_text_of_others_becomes_markup(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "`", "**", "<", "<b>", "<!--", "![", "]", "(x)", "[", "|", "---", "\\", "!", "# ",
                "- ", "1. ", "> ", "a", "_", "~~", "http://x.y", "www.x.y", "@all", "&lt;", " ",
            ]), 0..16)
        ) {
            let row = format!("- **{}** (x): {}", inert(&pieces.concat()), inert(&pieces.concat()));
            let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
            for event in Parser::new_ext(&row, options) {
                let is_ours = match &event {
                    Event::Start(Tag::List(None) | Tag::Item | Tag::Strong) => true,
                    Event::Start(_) | Event::Html(_) | Event::InlineHtml(_) | Event::Code(_) => false,
                    _ => true,
                };
                prop_assert!(is_ours, "{event:?} in {row}");
            }
        }
    }
}
