//! `taffrail search`

use super::index::{Bar, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal, say};
use crate::terminal::{clean, fit, line, pad};
use crate::{rim, when};
use taffrail_api::client::path;
use taffrail_api::{SearchHit, SearchReply, SearchRequest};
use taffrail_daemon::search;
use taffrail_model::{Kind, SessionId};
use unicode_width::UnicodeWidthStr;

/// Hits shown unless more are asked for.
const HITS: usize = 20;
/// Hits that can be asked for.
const MOST_HITS: usize = 10_000;
/// The column that says who said it.
const WHO: usize = 8;

/// Find what was said, in every session of every agent
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail search where did we fix the flaky login test
  taffrail search '\"connection refused\" since:7d'
  taffrail search 'parse_conf* agent:codex project:api kind:tool'
  taffrail search retry in:3f2a --json
  taffrail search 'topic:parser category:fix'
")]
pub(super) struct Args {
    /// Words, "phrases", prefix*, and agent: project: device: kind: since: in: topic: category: filters
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// At most so many hits
    #[arg(long, short = 'n', value_name = "N", default_value_t = HITS)]
    limit: usize,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = SearchRequest {
        query: args.query.join(" "),
        limit: args.limit.min(MOST_HITS),
        here: context.rim.here.to_string_lossy().into_owned(),
    };
    let reply = found(&request, context)?;
    if args.json {
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
    for hits in by_session(&reply.hits) {
        if let Some(first) = hits.first() {
            out.line(&fit(&head(first), width))?;
        }
        for hit in hits {
            out.line(&format!("  {} {}", pad(who(&hit.kind), WHO), marked(hit, width)))?;
        }
    }
    out.end()?;
    tell(reply);
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
    if reply.hits.is_empty() {
        say("nothing found");
    } else if reply.total_is_at_least {
        say(&format!("more than {} fit; -n shows more", counted(reply.total, "event")));
    } else if reply.total > reply.hits.len() as u64 {
        say(&format!("{} fit; -n shows more", counted(reply.total, "event")));
    }
    if reply.partial {
        say("not everything on disk was searched yet: taffrail index");
    }
}

fn head(hit: &SearchHit) -> String {
    let id: String = hit.session_id.to_string().chars().take(8).collect();
    let agent = hit.agent.split('-').next().unwrap_or(&hit.agent);
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = line(project.rsplit('/').next().unwrap_or(project));
    let title = hit.title.as_deref().map_or("(no title)".to_owned(), line);
    let age = when::ago(hit.created_at, rim::now());
    format!("{id} {} {age:>4}  {project}  {title}", pad(agent, WHO))
}

/// Who said it, in a word.
pub(crate) fn who(kind: &Kind) -> &str {
    match kind {
        Kind::UserPrompt => "prompt",
        Kind::AssistantMessage => "answer",
        Kind::AssistantThinking => "thought",
        Kind::ToolCall => "call",
        Kind::ToolResult => "output",
        Kind::ContextCompacted => "summary",
        other => other.as_str().rsplit('.').next().unwrap_or_default(),
    }
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
