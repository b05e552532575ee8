//! The kept output of terminals under `taffrail run`: shown again, and searched.

use crate::resolve::resolve;
use std::borrow::Cow;
use taffrail_api::{SCHEMA_VERSION, TerminalHit, TerminalReply, TerminalRun, TerminalSearch};
use taffrail_capture::{KeptRun, kept_runs};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::SessionId;
use taffrail_model::redact::redact;
use taffrail_store::StoreError;

/// The kept terminals of a session.
///
/// # Errors
/// When the session cannot be found, or the folder cannot be read.
pub fn terminals(settings: &Settings, target: &Target) -> Result<TerminalReply, Error> {
    let session_id = resolve(settings, target)?.id;
    let runs = runs(settings)?.iter().filter(|it| it.ran(session_id)).map(shown).collect();
    Ok(TerminalReply { schema_version: SCHEMA_VERSION, session_id, runs })
}

/// The command line with which a session was last started under `taffrail run`; `None` if it exited
/// normally since, or the command line is not known.
///
/// # Errors
/// When the folder cannot be read.
pub fn started_as(settings: &Settings, session: SessionId) -> Result<Option<Vec<String>>, Error> {
    let run = runs(settings)?.into_iter().find(|it| it.ran(session));
    Ok(run.map(|it| it.record.command).filter(|it| !it.is_empty()))
}

/// The lines of all kept terminals that have all these words, in any case.
///
/// # Errors
/// When the folder cannot be read.
pub fn search_terminals(
    settings: &Settings,
    words: &str,
    limit: usize,
) -> Result<TerminalSearch, Error> {
    let words: Vec<_> = words.split_whitespace().map(str::to_lowercase).collect();
    let runs = runs(settings)?;
    let mut found = runs.iter().flat_map(|it| hits(it, &words));
    let hits: Vec<_> = found.by_ref().take(limit).collect();
    let total = (hits.len() + found.count()) as u64;
    Ok(TerminalSearch { schema_version: SCHEMA_VERSION, total, hits })
}

/// The same without secrets, as exports are.
#[must_use]
pub fn redacted(mut reply: TerminalReply) -> TerminalReply {
    for run in &mut reply.runs {
        run.command.iter_mut().flatten().for_each(redact_text);
        redact_text(&mut run.folder);
        // A key may take several lines.
        let mut text = run.lines.join("\n");
        redact_text(&mut text);
        run.lines = text.lines().map(str::to_owned).collect();
    }
    reply
}

fn redact_text(text: &mut String) {
    if let Cow::Owned(new) = redact(text) {
        *text = new;
    }
}

fn runs(settings: &Settings) -> Result<Vec<KeptRun>, Error> {
    Ok(kept_runs(&settings.data).map_err(StoreError::from)?)
}

fn shown(run: &KeptRun) -> TerminalRun {
    let replay = run.replay();
    let record = run.record.clone();
    TerminalRun {
        run: run.name.as_str().to_owned(),
        is_running: run.is_running(),
        started_at: record.started_at,
        command: Some(record.command).filter(|it| !it.is_empty()),
        folder: record.folder,
        last_output_at: replay.last_output_at,
        columns: replay.size.map(|(columns, _)| columns),
        rows: replay.size.map(|(_, rows)| rows),
        bytes: run.bytes(),
        is_cut: replay.is_cut,
        hidden_at: replay.hidden_at,
        lines: replay.lines,
    }
}

fn hits(run: &KeptRun, words: &[String]) -> Vec<TerminalHit> {
    let Some(session) = run.record.sessions(&run.name).next() else { return Vec::new() };
    let has_all = |line: &str| {
        let line = line.to_lowercase();
        words.iter().all(|it| line.contains(it))
    };
    let lines = run.replay().lines.into_iter().zip(1..);
    let hit = |(text, line)| TerminalHit {
        session_id: session.session(),
        agent: run.record.agent.as_str().to_owned(),
        run: run.name.as_str().to_owned(),
        line,
        text,
    };
    lines.filter(|(text, _)| has_all(text)).map(hit).collect()
}
