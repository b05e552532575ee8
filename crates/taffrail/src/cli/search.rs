//! `taffrail search`

use super::index::Bar;
use super::{Context, TEMPLATE, terminal};
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::client::path;
use taffrail_api::{SearchHit, SearchReply, SearchRequest};
use taffrail_model::SessionId;
use taffrail_query::search::search;
use taffrail_tui::excerpt;
use taffrail_tui::phrases::speaker;
use taffrail_tui::printer::Printer;
use taffrail_tui::terminal::{clean, fit, fit_words, line, pad};
use taffrail_tui::when::Clock;
use unicode_width::UnicodeWidthStr;

/// Hits shown unless more are asked for.
const HITS: usize = 20;
/// Hits that can be asked for.
const MOST_HITS: usize = 10_000;
/// The column that says who said it.
const WHO: usize = 8;
const STALE: &str = "(excerpt: its source is gone)";
const BY_MEANING: &str = "(by meaning)";

/// Search every session of every agent
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail search where did we fix the flaky login test
  taffrail search '\"connection refused\" since:7d'
  taffrail search 'parse_conf* agent:codex project:api kind:tool'
  taffrail search retry in:3f2a --json
  taffrail search flaky login test --all   weak matches, too
  taffrail search 'topic:parser category:fix'
  taffrail search --terminal segfault   the kept output of terminals
")]
pub(super) struct Args {
    /// Words, "phrases", prefix*, and filters: agent: branch: category: device: file: in: kind:
    /// project: since: summary: tag: topic:
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Show at most N matches
    #[arg(long, short = 'n', value_name = "N", default_value_t = HITS)]
    limit: usize,
    /// Show weak matches, too: some of the words, and far below the best match
    #[arg(long, short)]
    all: bool,
    /// Search the kept output of terminals under `run` instead: lines with all the words
    #[arg(long)]
    terminal: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.terminal {
        return terminal::search(context, &args.query.join(" "), args.limit.min(MOST_HITS));
    }
    let request = SearchRequest {
        query: args.query.join(" "),
        limit: args.limit.min(MOST_HITS),
        here: context.env.here.to_string_lossy().into_owned(),
    };
    let reply = found(&request, context)?;
    if context.json {
        return Out::new().json(&reply);
    }
    let weak = if args.all { Weak::Shown } else { Weak::Counted };
    show(&reply, weak, context)
}

/// What is done with matches far below the best.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weak {
    Shown,
    Counted,
}

fn found(request: &SearchRequest, context: &Context) -> Result<SearchReply, CliError> {
    if let Some(client) = &context.client {
        let limit = request.limit.to_string();
        let asked = [("q", request.query.as_str()), ("limit", &limit), ("here", &request.here)];
        return Ok(client.get(&path("/api/search", &asked))?);
    }
    let bar = Bar::new();
    let reply = search(&context.settings, request, &mut |it| bar.show(it));
    bar.end();
    Ok(reply?)
}

fn show(reply: &SearchReply, weak: Weak, context: &Context) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    let (clock, printer) = (context.clock(), context.printer());
    let hits: Vec<_> = reply.hits.iter().filter(|it| weak == Weak::Shown || !it.weak).collect();
    for hits in by_session(&hits) {
        if let Some(first) = hits.first() {
            out.line(&match &printer {
                Some(printer) => painted_head(first, &clock, printer),
                None => head(first, &clock).concat(),
            })?;
        }
        for hit in hits {
            let rows = match &printer {
                Some(printer) => painted(hit, printer),
                None => vec![plain(hit)],
            };
            for row in rows {
                out.line(&row)?;
            }
        }
    }
    out.end()?;
    tell(reply, hits.len() as u64, weak);
    if reply.hits.is_empty() {
        tell_of_texts(context)?;
    }
    Ok(())
}

/// What was said on other devices may not be here to be found.
fn tell_of_texts(context: &Context) -> Result<(), CliError> {
    let devices = taffrail_query::search::without_texts(&context.settings)?;
    if !devices.is_empty() {
        let devices: Vec<_> = devices.iter().map(|it| line(it)).collect();
        say(&format!(
            "what was said on {} stays there and is not searched here; to have it here, run there: taffrail config \
             set sync.bodies true && taffrail daemon restart",
            devices.join(", ")
        ));
    }
    Ok(())
}

/// Hits of one session together, sessions in the order of their best.
fn by_session<'a>(hits: &[&'a SearchHit]) -> Vec<Vec<&'a SearchHit>> {
    let mut out: Vec<(SessionId, Vec<&SearchHit>)> = Vec::new();
    for hit in hits {
        match out.iter_mut().find(|(id, _)| *id == hit.session_id) {
            Some((_, known)) => known.push(hit),
            None => out.push((hit.session_id, vec![hit])),
        }
    }
    out.into_iter().map(|(_, hits)| hits).collect()
}

fn tell(reply: &SearchReply, shown: u64, weak: Weak) {
    let hidden = if weak == Weak::Counted { reply.weaker } else { 0 };
    let (total, plus) =
        (reply.total.saturating_sub(hidden), if reply.total_is_at_least { "+" } else { "" });
    if reply.hits.is_empty() {
        say("no matches");
    } else if total > shown || (!plus.is_empty() && hidden == 0) {
        say(&format!("{total}{plus} matches; showing {shown} (-n for more)"));
    }
    if hidden > 0 {
        let matches = if hidden == 1 { "match" } else { "matches" };
        say(&format!("{hidden}{plus} weaker {matches}: --all"));
    }
    if reply.partial {
        say("some history is not searched yet; finish reading it with taffrail index");
    }
}

/// The session of hits: id, agent, age, project and title.
fn head(hit: &SearchHit, clock: &Clock) -> [String; 4] {
    let id: String = hit.session_id.to_string().chars().take(8).collect();
    let agent = hit.agent.split('-').next().unwrap_or(&hit.agent);
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = line(project.rsplit('/').next().unwrap_or(project));
    let title = hit.title.as_deref().map_or("(no title)".to_owned(), line);
    let age = clock.age(hit.created_at);
    let who = format!("{id} {} {age:>6}  ", pad(agent, WHO));
    [who, project, "  ".to_owned(), title]
}

/// The same on a terminal.
fn painted_head(hit: &SearchHit, clock: &Clock, printer: &Printer) -> String {
    let [who, project, gap, title] = head(hit, clock);
    let room = printer.width.saturating_sub(who.width() + gap.width());
    let project = fit(&project, room);
    let title = fit_words(&title, room.saturating_sub(project.width()));
    let folder = hit.project_path.as_deref().unwrap_or_default();
    let linked = printer.links.to(folder, &project);
    format!("{}{linked}{gap}{}", printer.dim(&who), printer.bold(&title))
}

/// A hit on a terminal: its author, and rows of its text with the matches marked.
fn painted(hit: &SearchHit, printer: &Printer) -> Vec<String> {
    let rows = excerpt::rows(hit, printer.text_width().saturating_sub(WHO + 3), printer);
    let row = |(number, row): (usize, String)| {
        let who = if number == 0 { speaker(&hit.kind) } else { "" };
        format!("  {} {row}", printer.dim(&pad(who, WHO)))
    };
    let mut out: Vec<_> = rows.into_iter().enumerate().map(row).collect();
    let notes = notes(hit).map(|it| format!("  {} {}", pad("", WHO), printer.dim(it)));
    out.extend(notes);
    out
}

/// A hit on one line of text.
fn plain(hit: &SearchHit) -> String {
    let one_line = |it: char| if it.is_whitespace() { ' ' } else { it };
    let text: String = clean(&hit.snippet).chars().map(one_line).collect();
    let notes: String = notes(hit).flat_map(|it| [" ", it]).collect();
    format!("  {} {text}{notes}", pad(speaker(&hit.kind), WHO))
}

/// What there is to know about a hit beside its text.
fn notes(hit: &SearchHit) -> impl Iterator<Item = &'static str> {
    let by_meaning = hit.by_meaning.then_some(BY_MEANING);
    by_meaning.into_iter().chain(hit.stale.then_some(STALE))
}
