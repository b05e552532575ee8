//! Writes down what the daemon concludes about sessions: turns, statuses and findings.
//!
//! A conclusion also rests on the clock and on processes, so no source has it. It goes through the
//! journal like other evidence: it is numbered, published once, and read again by a rebuild.

use super::event_loop::Loop;
use crate::DaemonError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use taffrail_adapters::by_id;
use taffrail_context::write_concluded;
use taffrail_model::conclusion::{Concluded, Concluding, Conclusion, Holds};
use taffrail_model::findings::Finding;
use taffrail_model::observed::Marks;
use taffrail_model::replication::is_locator;
use taffrail_model::status::Status;
use taffrail_model::turn::{Turn, TurnInput, turns};
use taffrail_model::{Kind, Origin, SessionId, Timestamp};
use taffrail_query::findings::FindingsChange;
use taffrail_store::{EventRow, IndexReader, SessionRow, StoreError};

/// History that arrives later than this many seconds is not followed as it happens.
const LIVE_SECONDS: i64 = 600;
/// How many of the latest events may hold the end of a turn.
const LOOK: usize = 200;

/// What was concluded about each session that the daemon follows.
#[derive(Debug, Default)]
pub(super) struct Conclusions {
    known: HashMap<SessionId, Concluding>,
}

impl Loop {
    /// Concludes from new events of a session: whether a turn began or ended.
    pub(super) fn conclude_turn(
        &mut self,
        row: &SessionRow,
        changed: &[EventRow],
    ) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        let Some(index) = &self.index else { return Ok(()) };
        if !is_followed(row, now) || !changed.iter().any(moves_turn) {
            return Ok(());
        }
        let Some(conclusions) = &mut self.conclusions else { return Ok(()) };
        let turns = last_turns(index, row)?;
        let known = conclusions.of(index, row)?;
        // Earlier turns of a session that was not followed are history.
        let skipped = if known.started.is_none() { turns.len().saturating_sub(1) } else { 0 };
        let concluded = turns.iter().skip(skipped).flat_map(|it| known.turn(it)).collect();
        self.write(row, concluded)
    }

    /// Concludes from the status of sessions: whether it changed.
    pub(super) fn conclude_statuses(&mut self, sessions: &[SessionId]) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        for id in sessions {
            let Some(card) = self.handle.live().status(*id) else { continue };
            let Some(index) = &self.index else { return Ok(()) };
            let row = self.board.row(*id).map(|row| index.session(row)).transpose()?.flatten();
            let Some(row) = row else { continue };
            let Some(conclusions) = &mut self.conclusions else { return Ok(()) };
            if conclusions.known.contains_key(id) || is_followed(&row, now) {
                let moved = card.evidence.last().map(|it| it.at);
                let concluded = conclusions.of(index, &row)?.status(&card.reading, moved);
                self.write(&row, concluded.into_iter().collect())?;
            }
        }
        Ok(())
    }

    /// Concludes that findings began to hold, or no longer hold.
    pub(super) fn conclude_findings(&self, change: &FindingsChange) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        let raised = change.appeared.iter().map(|it| (Holds::Raised, it));
        let withdrawn = change.withdrawn.iter().map(|it| (Holds::Withdrawn, it));
        for (holds, finding) in withdrawn.chain(raised) {
            let Some(index) = &self.index else { return Ok(()) };
            let row = self.board.row(finding.session_id).map(|row| index.session(row));
            let Some(row) = row.transpose()?.flatten() else { continue };
            let Some(conclusions) = &self.conclusions else { return Ok(()) };
            if conclusions.known.contains_key(&row.id) || is_followed(&row, now) {
                self.write(&row, vec![of_finding(finding, holds, &row)])?;
            }
        }
        Ok(())
    }

    fn write(&self, row: &SessionRow, conclusions: Vec<Conclusion>) -> Result<(), DaemonError> {
        let is_wanted = row.captured && !conclusions.is_empty();
        let Some(index) = self.index.as_ref().filter(|_| is_wanted) else {
            return Ok(());
        };
        let who = index.identity_of(row.row)?;
        let session = who.id.as_str().to_owned();
        let concluded = Concluded { session, scope: who.scope, conclusions };
        write_concluded(&self.settings, &row.agent, &concluded).map_err(StoreError::from)?;
        Ok(())
    }
}

impl Conclusions {
    /// What was concluded about a session; after a restart, what the index says was concluded.
    fn of(&mut self, index: &IndexReader, row: &SessionRow) -> Result<&mut Concluding, StoreError> {
        Ok(match self.known.entry(row.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(recorded(index, row.row)?),
        })
    }
}

/// The conclusions that the index has.
fn recorded(index: &IndexReader, session: i64) -> Result<Concluding, StoreError> {
    let last = |kind: &Kind| index.last_of_kind(session, kind, Timestamp::MAX);
    let status = last(&Kind::StatusChanged)?;
    let word = |it: &EventRow| Status::parse(it.label.as_deref()?);
    Ok(Concluding {
        status: status.and_then(|it| Some((word(&it)?, it.at))),
        started: last(&Kind::TurnStarted)?.map(|it| it.at),
        completed: last(&Kind::TurnCompleted)?.map(|it| it.at),
    })
}

/// Whether a session is one of ours that moves now, and not history that is read late.
fn is_followed(row: &SessionRow, now: Timestamp) -> bool {
    let is_given = by_id(&row.agent).is_some_and(|it| it.importer().is_some());
    let age = row.last_event_at.map(|it| now.as_second() - it.as_second());
    row.captured
        && !is_given
        && !is_locator(&row.source_uri)
        && age.is_some_and(|it| it < LIVE_SECONDS)
}

/// Whether an event may begin or end a turn.
fn moves_turn(row: &EventRow) -> bool {
    let is_edge = matches!(row.kind, Kind::UserPrompt | Kind::SessionExited);
    !row.removed && is_evidence(row) && (is_edge || row.marks.has(Marks::ENDS_TURN))
}

/// The transcript says what a prompt history says, a little later.
fn is_evidence(row: &EventRow) -> bool {
    row.origin != Origin::PromptHistory
}

/// The latest turns of a session, at least the last one, also if its prompt is far back.
fn last_turns(index: &IndexReader, row: &SessionRow) -> Result<Vec<Turn>, StoreError> {
    let mut rows = index.last_events(row.row, LOOK)?;
    rows.retain(is_evidence);
    let opens = |it: &EventRow| it.kind == Kind::UserPrompt && it.turn.is_some();
    if !rows.iter().any(opens) {
        let until = rows.first().map_or(Timestamp::MAX, |it| it.at);
        let last = index.last_of_kind(row.row, &Kind::UserPrompt, until)?;
        rows.splice(0..0, last.filter(is_evidence));
    }
    Ok(turns(rows.iter().map(input), None))
}

fn input(row: &EventRow) -> TurnInput<'_> {
    TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text: "",
        label: row.label.as_deref(),
        signal: row.signal.as_ref(),
    }
}

/// A finding is dated within the history it is about, so that it does not count as activity.
fn of_finding(finding: &Finding, holds: Holds, row: &SessionRow) -> Conclusion {
    let at = match holds {
        Holds::Raised => finding.since,
        Holds::Withdrawn => row.last_event_at.unwrap_or(finding.since),
    };
    Conclusion::Finding { at, finding: finding.kind.clone(), holds, says: finding.says.clone() }
}
