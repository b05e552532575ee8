//! What agents wanted to do and somebody refused: in the agents' own dialogs, as their transcripts say,
//! and in Taffrail, as the log of decisions says.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use taffrail_api::{DecisionRow, DenialRow};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{reference, sources};
use taffrail_model::approval::is_denial;
use taffrail_model::{EventId, Kind, SessionId, Timestamp};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// The most events of transcripts that are read.
const EVENTS: usize = 400;
/// A transcript says so at most this long before or after the log does, in milliseconds.
const NEAR_MS: i64 = 120_000;
/// How a refusal in the agent's own dialog is named.
const DIALOG: &str = "dialog";

/// What was refused since an instant, the latest first; the decisions are those of the log.
///
/// # Errors
/// When the index cannot be read.
pub fn denials(
    settings: &Settings,
    since: Timestamp,
    decisions: Vec<DecisionRow>,
) -> Result<Vec<DenialRow>, Error> {
    let mut out: Vec<_> = decisions.into_iter().filter(|it| it.at >= since).collect();
    out.retain(|it| is_denial(it.decision.as_str()));
    let mut out: Vec<_> = out.into_iter().map(decided).collect();
    if let Some(reader) = IndexReader::open(&settings.data)? {
        join(&mut out, in_dialogs(settings, &reader, since)?);
        name_sessions(&reader, &mut out)?;
    }
    out.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.session_id.cmp(&b.session_id)));
    Ok(out)
}

fn decided(it: DecisionRow) -> DenialRow {
    DenialRow {
        at: it.at,
        session_id: it.session_id,
        title: None,
        agent: None,
        project_path: None,
        tool: None,
        command: it.command,
        by: it.by,
        why: it.why,
        rule: it.rule,
        event_id: None,
        approval_id: Some(it.approval_id),
    }
}

/// Adds what transcripts say. What the log says, too, is not listed twice.
fn join(out: &mut Vec<DenialRow>, said: Vec<DenialRow>) {
    let decided = out.len();
    for it in said {
        let logged = out.iter_mut().take(decided);
        match logged.filter(|row| row.event_id.is_none()).find(|row| is_same(row, &it)) {
            Some(row) => (row.event_id, row.tool) = (it.event_id, it.tool),
            None => out.push(it),
        }
    }
}

fn is_same(logged: &DenialRow, said: &DenialRow) -> bool {
    let apart = logged.at.as_millisecond() - said.at.as_millisecond();
    let words = |it: &DenialRow| it.command.split_whitespace().collect::<Vec<_>>().join(" ");
    let (one, other) = (words(logged), words(said));
    let other = other.trim_end_matches('…');
    logged.session_id == said.session_id
        && apart.abs() <= NEAR_MS
        && (one.contains(other) || other.contains(one.as_str()))
}

/// What transcripts say since an instant, one for each call.
fn in_dialogs(
    settings: &Settings,
    reader: &IndexReader,
    since: Timestamp,
) -> Result<Vec<DenialRow>, Error> {
    let (mut out, mut known) = (Vec::<DenialRow>::new(), HashSet::new());
    let mut sessions = HashMap::new();
    for (row, id) in reader.denials(since, EVENTS)? {
        if let Entry::Vacant(free) = sessions.entry(row) {
            free.insert(reader.session_at(row)?);
        }
        let Some(Some(session)) = sessions.get(&row) else { continue };
        let Some(event) = reader.event_by_id(row, id)? else { continue };
        let call = refused_call(reader, row, &event)?;
        let about = call.as_ref().unwrap_or(&event);
        let why = why(settings, session, &event);
        match known.insert((row, about.id)) {
            true => out.push(said(session, (&event, about), why)),
            // The decision and the result say the same; only one of them has the words.
            false => add_why(&mut out, (session.id, about.id), why),
        }
    }
    Ok(out)
}

fn add_why(out: &mut [DenialRow], (session, call): (SessionId, EventId), why: Option<String>) {
    let mut rows = out.iter_mut().rev();
    let row = rows.find(|it| it.session_id == session && it.event_id == Some(call));
    if let Some(row) = row {
        row.why = row.why.take().or(why);
    }
}

/// The call that was refused, or else the request for it.
fn refused_call(
    reader: &IndexReader,
    session: i64,
    event: &EventRow,
) -> Result<Option<EventRow>, Error> {
    if let Some(parent) = event.parent {
        return Ok(reader.event_by_id(session, parent)?);
    }
    Ok(reader.last_of_kind(session, &Kind::ApprovalRequested, event.at)?)
}

fn said(
    session: &SessionRow,
    (event, about): (&EventRow, &EventRow),
    why: Option<String>,
) -> DenialRow {
    let is_call = matches!(about.kind, Kind::ToolCall | Kind::ApprovalRequested);
    DenialRow {
        at: event.at,
        session_id: session.id,
        title: session.title.clone(),
        agent: Some(session.agent.clone()),
        project_path: session.project_path.clone(),
        tool: about.label.clone().filter(|_| is_call),
        command: about.excerpt.clone(),
        by: DIALOG.to_owned(),
        why,
        rule: None,
        event_id: Some(about.id),
        approval_id: None,
    }
}

/// The person's own words with a decision. What cannot be read back stays unknown.
fn why(settings: &Settings, session: &SessionRow, event: &EventRow) -> Option<String> {
    if event.kind != Kind::ApprovalResolved {
        return None;
    }
    let body = sources(settings).body(&reference(&session.agent, event)).ok()?;
    body.data.get("reason")?.as_str().map(str::to_owned)
}

fn name_sessions(reader: &IndexReader, out: &mut [DenialRow]) -> Result<(), Error> {
    for row in out.iter_mut().filter(|it| it.agent.is_none()) {
        // A session may be forgotten, and its decisions are not.
        let Some(session) = reader.session_by_id(row.session_id)? else { continue };
        (row.title, row.agent) = (session.title, Some(session.agent));
        row.project_path = session.project_path;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(second: i64, command: &str, event: Option<u8>) -> DenialRow {
        DenialRow {
            at: Timestamp::from_second(second).unwrap(),
            session_id: SessionId::from_bytes([1; 16]),
            title: None,
            agent: None,
            project_path: None,
            tool: None,
            command: command.to_owned(),
            by: "web".to_owned(),
            why: None,
            rule: None,
            event_id: event.map(|it| EventId::from_bytes([it; 16])),
            approval_id: None,
        }
    }

    #[test]
    fn what_the_log_and_the_transcript_say_of_one_call_is_listed_once() {
        let check = |said: DenialRow, expected: usize| {
            let mut out = vec![row(100, "git push  --force\norigin", None)];
            join(&mut out, vec![said.clone()]);
            assert_eq!(out.len(), expected, "{said:?}");
            assert_eq!(out[0].event_id.is_some(), expected == 1, "{said:?}");
        };
        check(row(101, "git push --force origin", Some(1)), 1);
        check(row(101, "git push --fo…", Some(1)), 1);
        check(row(101, "git pull", Some(1)), 2);
        check(row(900, "git push --force origin", Some(1)), 2);
    }

    #[test]
    fn the_same_command_refused_twice_is_listed_twice() {
        let mut out = vec![row(100, "rm x", None)];
        join(&mut out, vec![row(100, "rm x", Some(1)), row(110, "rm x", Some(2))]);
        assert_eq!(out.len(), 2);
    }
}
