//! A digest as one page that loads nothing.

use super::{HEAD, Item, Section, words};
use crate::transcript::page::{FOOT, escape, head};
use crate::when::Clock;
use std::path::Path;
use taffrail_api::Digest;

/// The digest as a page; projects below the user's home from there on.
#[must_use]
pub fn html(digest: &Digest, at: (&Path, &Clock)) -> String {
    let words = words(digest, at);
    let mut out = vec![
        head(&words.title),
        format!("<article>\n<header><h1>{}</h1>", escape(&words.title)),
        format!("<p>{}</p></header>", escape(&words.sums)),
    ];
    if !words.projects.is_empty() {
        out.push(table(&words.projects));
    }
    out.extend(words.sections.iter().map(section));
    out.push(format!("</article>\n{FOOT}"));
    out.join("\n")
}

fn table(rows: &[[String; 6]]) -> String {
    let row = |cells: &[String; 6]| {
        let cells = cells.each_ref().map(|it| format!("<td>{}</td>", escape(it)));
        format!("<tr>{}</tr>", cells.concat())
    };
    let head = HEAD.map(|it| format!("<th>{it}</th>")).concat();
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!("<h2>Projects</h2>\n<table>\n<tr>{head}</tr>\n{}\n</table>", rows.join("\n"))
}

fn section(section: &Section) -> String {
    let more = section.more.iter().map(|it| format!("<li>{}</li>", escape(it)));
    let items: Vec<_> = section.items.iter().map(item).chain(more).collect();
    format!("<h2>{}</h2>\n<ul>\n{}\n</ul>", section.head, items.join("\n"))
}

fn item(item: &Item) -> String {
    let text = item.text.as_ref().map(|it| format!("<br>{}", escape(it))).unwrap_or_default();
    format!("<li><b>{}</b> ({}){text}</li>", escape(&item.title), escape(&item.place))
}
