//! `taffrail search`

use super::index::{Bar, counted};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal, say};
use crate::terminal::{clean, fit, line};
use crate::{rim, when};
use taffrail_api::{SearchHit, SearchReply, SearchRequest};
use taffrail_daemon::search;

/// Hits shown unless more are asked for.
const HITS: usize = 20;
/// Hits that can be asked for.
const MOST_HITS: usize = 10_000;

/// Find what was said, in every session of every agent
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail search where did we fix the flaky login test
  taffrail search '\"connection refused\" since:7d'
  taffrail search 'parse_conf* agent:codex project:api kind:tool'
  taffrail search retry in:3f2a --json
")]
pub(super) struct Args {
    /// Words, \"phrases\", prefix*, and agent: project: kind: since: in: filters
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
    let bar = Bar::new();
    let reply = search(&context.settings, &request, &mut |it| bar.show(it));
    bar.end();
    let reply = reply?;
    if args.json {
        return Out::new().json(&reply);
    }
    show(&reply, context)
}

fn show(reply: &SearchReply, context: &Context) -> Result<(), CliError> {
    let mut out = Out::paged(context.pager.as_ref());
    let width = if is_terminal() { columns() } else { usize::MAX };
    for hit in &reply.hits {
        out.line(&fit(&head(hit), width))?;
        out.line(&format!("  {}", marked(hit, width)))?;
    }
    out.end()?;
    if reply.hits.is_empty() {
        say("nothing found");
    } else if reply.total > reply.hits.len() as u64 {
        let more = if reply.total_is_at_least { "more than " } else { "" };
        say(&format!("{more}{} fit; -n shows more", counted(reply.total, "event")));
    }
    if reply.partial {
        say("not everything on disk was searched yet: taffrail index");
    }
    Ok(())
}

fn head(hit: &SearchHit) -> String {
    let id: String = hit.session_id.to_string().chars().take(8).collect();
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = project.rsplit('/').next().unwrap_or(project);
    let title = hit.title.as_deref().map(line).unwrap_or_default();
    let (age, kind) = (when::ago(hit.created_at, rim::now()), hit.kind.as_str());
    let stale = if hit.stale { " (from memory: its source is gone)" } else { "" };
    format!("{id}  {age} ago  {kind}  {}  {title}{stale}", line(project))
}

/// The piece on one line, with the matches in bold.
fn marked(hit: &SearchHit, width: usize) -> String {
    let characters: Vec<char> = hit.snippet.chars().collect();
    let style = anstyle::Style::new().bold();
    let mut out = String::new();
    let mut room = width.saturating_sub(3);
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
    out
}

/// A range of characters, harmless and on one line, as far as there is room.
fn piece(characters: &[char], start: usize, end: usize, room: &mut usize) -> String {
    let text: String = characters.get(start..end).unwrap_or_default().iter().collect();
    let text: String =
        clean(&text).chars().map(|it| if it.is_whitespace() { ' ' } else { it }).collect();
    let text = fit(&text, *room);
    *room = room.saturating_sub(unicode_width::UnicodeWidthStr::width(text.as_str()));
    text
}
