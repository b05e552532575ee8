//! Findings about sessions: kept by the daemon as events arrive, or computed once without one.

mod accounts;
mod event_views;
mod monitor;
mod quality;
mod throttle;

pub use monitor::{FindingsChange, Monitor};
pub use quality::quality_of;

use crate::board::recent_statuses;
use crate::status::{EVIDENCE, live_status, when};
use event_views::EventReader;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use taffrail_api::{FindingList, SCHEMA_VERSION};
use taffrail_context::LiveStatus;
use taffrail_context::{Error, Settings};
use taffrail_model::findings::{Context, Finding, Fold, Role, Standing, Thresholds};
use taffrail_model::{Timestamp, status};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// How many of the latest events of a session are read at once.
const LOOK: usize = 300;

/// Which findings to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of main sessions.
    Main,
    /// Those of sub-agents too.
    All,
}

/// Findings as a reply, the latest first.
pub fn listed(mut findings: Vec<Finding>) -> FindingList {
    findings.sort_by_key(|it| (Reverse(it.since), it.session_id, it.kind.as_str().to_owned()));
    FindingList { schema_version: SCHEMA_VERSION, findings }
}

/// The findings of one session, recent or not.
pub fn found_in(settings: &Settings, row: &SessionRow) -> Result<Vec<Finding>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    if !row.captured {
        return Ok(Vec::new());
    }
    let now = (settings.now)();
    let mut live =
        if settings.kept_up { HashMap::new() } else { recent_statuses(settings, &index)? };
    let card = match live.remove(&row.id) {
        Some(card) => card,
        None => card_of(settings, &index, row)?,
    };
    let mut fold = Fold::default();
    EventReader::new(settings).read_into(row, &index.last_events(row.row, LOOK)?, &mut fold);
    let standing = standing(row, &card, context(&index, row.row, &fold)?);
    Ok(fold.findings(&standing, now, &Thresholds::default()))
}

/// Whether a session was active within a day.
pub fn is_recent(row: &SessionRow, now: Timestamp) -> bool {
    let day = status::Thresholds::default().over;
    row.last_event_at.is_some_and(|it| now.as_second() - it.as_second() < day)
}

fn card_of(
    settings: &Settings,
    index: &IndexReader,
    row: &SessionRow,
) -> Result<Arc<LiveStatus>, Error> {
    let rows = index.last_events(row.row, EVIDENCE)?;
    let evidence = rows.iter().filter_map(EventRow::evidence).collect();
    Ok(Arc::new(live_status(evidence, row.process, &[], when(settings))))
}

fn standing<'a>(row: &SessionRow, card: &'a LiveStatus, context: Option<Context>) -> Standing<'a> {
    let role = if row.parent.is_some() { Role::Worker } else { Role::Main };
    Standing { session: row.id, reading: &card.reading, life: card.life, role, context }
}

/// How much of its context a session uses; `None` before its first compaction, because there is
/// nothing to compare with.
fn context(index: &IndexReader, row: i64, fold: &Fold) -> Result<Option<Context>, Error> {
    if !fold.has_folded() {
        return Ok(None);
    }
    Ok(index.last_usage(row)?.map(|(at, tokens)| {
        let parts = [tokens.input, tokens.cache_read, tokens.cache_write, tokens.output];
        let used = parts.into_iter().fold(0, u64::saturating_add);
        Context { used, at, window: None }
    }))
}

/// The difference between two sets of findings: those that appeared, and those that ended.
pub fn difference(before: &[Finding], after: &[Finding]) -> (Vec<Finding>, Vec<Finding>) {
    let lacks = |all: &[Finding], it: &Finding| !all.iter().any(|other| other.key() == it.key());
    let appeared = after.iter().filter(|it| lacks(before, it)).cloned().collect();
    let withdrawn = before.iter().filter(|it| lacks(after, it)).cloned().collect();
    (appeared, withdrawn)
}
