//! A digest as Markdown and as a page. Titles and paths are the words of others: none of them
//! becomes markup, a link, or a mention.

mod html;
mod markdown;

pub use html::html;
pub use markdown::markdown;

use crate::numbers::{counted, dollars, short};
use crate::stats::below_home;
use crate::table;
use crate::terminal::line;
use crate::when::Clock;
use std::path::Path;
use taffrail_api::{Digest, DigestSession, DigestSums};

/// The columns of the table of projects.
const HEAD: [&str; 6] = ["project", "sessions", "prompts", "tokens", "cost", "failures"];

/// The longest text of a session.
const TEXT: usize = 160;

/// A digest in plain words, for either form.
struct Words {
    title: String,
    sums: String,
    projects: Vec<[String; 6]>,
    sections: Vec<Section>,
}

/// A list of sessions.
struct Section {
    head: &'static str,
    items: Vec<Item>,
    more: Option<String>,
}

/// A session: its title, where it is, and what it waits for or did.
struct Item {
    title: String,
    place: String,
    text: Option<String>,
}

fn words(digest: &Digest, (home, clock): (&Path, &Clock)) -> Words {
    let (since, until) = (clock.stated(digest.since), clock.stated(digest.until));
    let more = (digest.more_finished > 0)
        .then(|| format!("and {}", counted(digest.more_finished, "more session")));
    let section = |head, all: &[DigestSession], more| Section {
        head,
        items: all.iter().map(|it| item(it, clock)).collect(),
        more,
    };
    let sections = [
        section("Waits for you", &digest.waiting, None),
        section("Broke down", &digest.failed, None),
        section("Finished", &digest.finished, more),
    ];
    let projects = digest.projects.iter().map(|it| {
        let path = it.path.as_deref().map_or("(no project)".to_owned(), |it| below_home(it, home));
        cells(line(&path), &it.sums)
    });
    Words {
        title: format!("Sessions from {since} to {until}"),
        sums: sums(digest),
        projects: projects.collect(),
        sections: sections.into_iter().filter(|it| !it.items.is_empty()).collect(),
    }
}

fn cells(path: String, sums: &DigestSums) -> [String; 6] {
    [
        path,
        sums.sessions.to_string(),
        sums.prompts.to_string(),
        short(sums.tokens),
        dollars(sums.cost_microdollars),
        sums.failures.to_string(),
    ]
}

/// All sessions in one sentence.
fn sums(digest: &Digest) -> String {
    let sums = &digest.totals;
    let cost = sums.cost_microdollars.map(|it| dollars(Some(it)));
    let commits = (digest.commits > 0).then(|| counted(digest.commits, "commit"));
    let parts = [
        Some(counted(sums.sessions, "session")),
        Some(counted(sums.prompts, "prompt")),
        Some(format!("{} tokens", short(sums.tokens))),
        cost,
        Some(counted(sums.failures, "failure")),
        commits,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn item(session: &DigestSession, clock: &Clock) -> Item {
    let project = session.project_path.as_deref().unwrap_or("?");
    let project = project.trim_end_matches('/').rsplit('/').next().unwrap_or(project);
    let agent = table::short(&session.agent);
    let at = session.at.map(|it| clock.minute(it));
    let place = [Some(line(project)), Some(line(agent)), at];
    Item {
        title: session.title.as_deref().map_or("(no title)".to_owned(), cut),
        place: place.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        text: session.text.as_deref().map(cut).filter(|it| !it.is_empty()),
    }
}

/// A text on one line, cut where it is too long for a list.
fn cut(text: &str) -> String {
    let text = line(text);
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
