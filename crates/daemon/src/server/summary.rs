//! What a session is about, in three lines.

use super::beginning::Moment;
use crate::live::Card;
use crate::standing::{card, of_row};
use crate::{DaemonError, Settings, Target};
use std::sync::Arc;
use taffrail_api::{SCHEMA_VERSION, Summary};
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_model::summary::finish;
use taffrail_model::turn::{TurnInput, turns};
use taffrail_store::EventRow;

/// The latest events that are looked at.
const LOOK: usize = 400;

/// Sums a session up. What comes out of it is redacted.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn summary(settings: &Settings, target: &Target) -> Result<Summary, DaemonError> {
    summary_with(settings, target, &|_| None)
}

/// The same, where somebody may have its card.
pub(super) fn summary_with(
    settings: &Settings,
    target: &Target,
    known: &dyn Fn(SessionId) -> Option<Arc<Card>>,
) -> Result<Summary, DaemonError> {
    let moment = Moment::of(settings, target)?;
    let rows = moment.reader.last_events(moment.row.row, LOOK)?;
    let now = (settings.now)();
    let card = known(moment.row.id).unwrap_or_else(|| {
        let evidence = rows.iter().filter_map(of_row).collect();
        Arc::new(card(evidence, moment.row.process, &[], now))
    });
    let turns = turns(rows.iter().map(input), None);
    let told = finish(&turns, &card.reading, &card.evidence);
    let over = card.reading.status == Status::Exited;
    Ok(Summary {
        schema_version: SCHEMA_VERSION,
        session_id: moment.row.id,
        text: told.summary.lines().join("\n"),
        current: told.summary.current,
        recent: told.summary.recent,
        last_prompt: told.summary.last_prompt,
        topics: if over { told.topics } else { Vec::new() },
        category: over.then(|| told.category.as_str().to_owned()),
    })
}

fn input(row: &EventRow) -> TurnInput<'_> {
    TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text: &row.excerpt,
        label: row.label.as_deref(),
    }
}
