//! The kept output of terminals: `show --terminal`, `search --terminal`, `export --terminal`.

use super::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::{TerminalReply, TerminalRun, TerminalSearch};
use taffrail_context::Target;
use taffrail_query::Secrets;
use taffrail_query::terminal::{redacted, search_terminals, terminals};
use taffrail_tui::terminal::{clean, line};
use taffrail_tui::when::Clock;

/// Prints the kept terminals of a session.
pub(super) fn print(
    context: &Context,
    target: &Target,
    secrets: Secrets,
    mut out: Out,
) -> Result<(), CliError> {
    let reply = terminals(&context.settings, target)?;
    let reply = if secrets == Secrets::Redacted { redacted(reply) } else { reply };
    if context.json {
        return out.json(&reply);
    }
    if reply.runs.iter().all(|it| it.lines.is_empty()) {
        say("no terminal output is kept of this session; docs/run.md says when it is");
    }
    for run in reply.runs.iter().rev() {
        out.line(&head(run, &context.clock()))?;
        for text in &run.lines {
            out.line(&clean(text))?;
        }
    }
    out.end()
}

fn head(run: &TerminalRun, clock: &Clock) -> String {
    let command = run.command.as_ref().map_or("(command not known)".to_owned(), |it| it.join(" "));
    let state = if run.is_running { "running" } else { "ended without a normal exit" };
    let last = run
        .last_output_at
        .map_or("no output kept".to_owned(), |it| format!("last output {}", clock.minute(it)));
    let cut = if run.is_cut { ", older output dropped" } else { "" };
    let hidden = match run.hidden_at.len() {
        0 => String::new(),
        gaps => format!(", {gaps} left out while a hidden line was typed"),
    };
    format!("──── {} · {state} · {last}{cut}{hidden} ────", line(&command))
}

/// The last lines of the latest terminal of a session, before it is resumed.
pub(super) fn last_lines(
    context: &Context,
    target: &Target,
    most: usize,
) -> Result<Vec<String>, CliError> {
    let TerminalReply { runs, .. } = terminals(&context.settings, target)?;
    let lines = runs.into_iter().find(|it| !it.lines.is_empty()).map(|it| it.lines);
    let lines = lines.unwrap_or_default();
    let from = lines.len().saturating_sub(most);
    Ok(lines.iter().skip(from).map(|it| clean(it).into_owned()).collect())
}

/// Searches the kept terminals of all sessions.
pub(super) fn search(context: &Context, words: &str, limit: usize) -> Result<(), CliError> {
    let reply = search_terminals(&context.settings, words, limit)?;
    if context.json {
        return Out::new().json(&reply);
    }
    let TerminalSearch { total, hits, .. } = &reply;
    let mut out = Out::paged(context.pager.as_ref());
    for hit in hits {
        let id: String = hit.session_id.to_string().chars().take(8).collect();
        out.line(&format!("{id} {}:{} {}", hit.agent, hit.line, line(&hit.text)))?;
    }
    out.end()?;
    match hits.len() as u64 {
        0 => say("no matches"),
        shown if shown < *total => say(&format!("{total} matches; showing {shown} (-n for more)")),
        _ => {}
    }
    Ok(())
}
