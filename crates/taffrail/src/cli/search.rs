//! `taffrail search`

use super::index::Bar;
use super::{Context, TEMPLATE, terminal};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal, say};
use taffrail_api::client::path;
use taffrail_api::{SearchHit, SearchReply, SearchRequest};
use taffrail_model::SessionId;
use taffrail_query::search::search;
use taffrail_tui::phrases::speaker;
use taffrail_tui::terminal::{clean, fit, line, pad};
use taffrail_tui::when::Clock;
use unicode_width::UnicodeWidthStr;

/// Hits shown unless more are asked for.
const HITS: usize = 20;
/// Hits that can be asked for.
const MOST_HITS: usize = 10_000;
/// The column that says who said it.
const WHO: usize = 8;

/// Search every session of every agent
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail search where did we fix the flaky login test
  taffrail search '\"connection refused\" since:7d'
  taffrail search 'parse_conf* agent:codex project:api kind:tool'
  taffrail search retry in:3f2a --json
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
    show(&reply, context)
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

fn show(reply: &SearchReply, context: &Context) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    let width = if is_terminal() { columns() } else { usize::MAX };
    let clock = context.clock();
    for hits in by_session(&reply.hits) {
        if let Some(first) = hits.first() {
            out.line(&fit(&head(first, &clock), width))?;
        }
        for hit in hits {
            out.line(&format!("  {} {}", pad(speaker(&hit.kind), WHO), marked(hit, width)))?;
        }
    }
    out.end()?;
    tell(reply);
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
fn by_session(hits: &[SearchHit]) -> Vec<Vec<&SearchHit>> {
    let mut out: Vec<(SessionId, Vec<&SearchHit>)> = Vec::new();
    for hit in hits {
        match out.iter_mut().find(|(id, _)| *id == hit.session_id) {
            Some((_, known)) => known.push(hit),
            None => out.push((hit.session_id, vec![hit])),
        }
    }
    out.into_iter().map(|(_, hits)| hits).collect()
}

fn tell(reply: &SearchReply) {
    let (shown, total) = (reply.hits.len(), reply.total);
    if reply.hits.is_empty() {
        say("no matches");
    } else if reply.total_is_at_least {
        say(&format!("{total}+ matches; showing {shown} (-n for more)"));
    } else if total > shown as u64 {
        say(&format!("{total} matches; showing {shown} (-n for more)"));
    }
    if reply.partial {
        say("some history is not searched yet; finish reading it with taffrail index");
    }
}

fn head(hit: &SearchHit, clock: &Clock) -> String {
    let id: String = hit.session_id.to_string().chars().take(8).collect();
    let agent = hit.agent.split('-').next().unwrap_or(&hit.agent);
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = line(project.rsplit('/').next().unwrap_or(project));
    let title = hit.title.as_deref().map_or("(no title)".to_owned(), line);
    let age = clock.age(hit.created_at);
    format!("{id} {} {age:>6}  {project}  {title}", pad(agent, WHO))
}

/// The piece on one line, with the matches in bold, and a word where it is not from its source.
fn marked(hit: &SearchHit, width: usize) -> String {
    let characters: Vec<char> = hit.snippet.chars().collect();
    let style = anstyle::Style::new().bold();
    let mut out = String::new();
    let mut room = width.saturating_sub(WHO + 3);
    let mut last = 0;
    let matches = hit.matches.iter().map(|[start, end]| (*start, *end));
    for (start, end) in matches.chain([(characters.len(), characters.len())]) {
        out += &piece(&characters, last, start, &mut room);
        let found = piece(&characters, start, end, &mut room);
        if !found.is_empty() {
            out += &format!("{style}{found}{style:#}");
        }
        last = end;
    }
    if hit.stale { out + " (excerpt: its source is gone)" } else { out }
}

/// A range of characters, harmless and on one line, as far as there is room.
fn piece(characters: &[char], start: usize, end: usize, room: &mut usize) -> String {
    let text: String = characters.get(start..end).unwrap_or_default().iter().collect();
    let one_line = |it: char| if it.is_whitespace() { ' ' } else { it };
    let text: String = clean(&text).chars().map(one_line).collect();
    let text = fit(&text, *room);
    *room = room.saturating_sub(text.width());
    text
}
