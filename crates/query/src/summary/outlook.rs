//! One session as input for a summary.

use crate::status::{EVIDENCE, StatusLookup, live_status, prompt_ready, when};
use std::sync::Arc;
use taffrail_context::{Error, LiveStatus, Settings};
use taffrail_model::Timestamp;
use taffrail_model::findings::{Finding, remark};
use taffrail_model::status::{Status, Thresholds};
use taffrail_model::summary::{Final, Subject, Summary, finish, summarise};
use taffrail_model::turn::{Turn, TurnInput, turns};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// How many of the latest events are read.
const LOOK: usize = 1_000;

/// A session, its status, and its latest turns.
pub struct Outlook {
    pub row: SessionRow,
    pub card: Arc<LiveStatus>,
    pub turns: Vec<Turn>,
    findings: Vec<Finding>,
    /// How many of the latest turns a summary looks at.
    last: usize,
    over: bool,
    /// Its stored final summary.
    kept: Option<Final>,
}

impl Outlook {
    /// Reads a session; a stored final summary counts while the session is over.
    pub fn of(
        reader: &IndexReader,
        row: SessionRow,
        known: StatusLookup<'_>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let now = (settings.now)();
        let rows = reader.last_events(row.row, LOOK)?;
        let card = known(row.id).unwrap_or_else(|| {
            let late = rows.get(rows.len().saturating_sub(EVIDENCE)..).unwrap_or_default();
            let evidence = late.iter().filter_map(EventRow::evidence).collect();
            Arc::new(live_status(evidence, row.process, &[], when(settings)))
        });
        let turns = turns(rows.iter().map(input), prompt_ready(&card, settings));
        let kept = reader.final_of(&row)?;
        let over = card.reading.status == Status::Exited || is_left(&row, &card, now);
        let (findings, last) = (Vec::new(), settings.summary.turns);
        Ok(Self { row, card, turns, findings, last, over, kept })
    }

    /// Whether the session is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The summary of the session.
    pub fn summary(&self) -> Summary {
        match self.kept.as_ref().filter(|_| self.is_over()) {
            Some(kept) => kept.summary.clone(),
            None => summarise(&self.subject()),
        }
    }

    /// The final summary with topics and category, which are meaningful only once the session is
    /// over.
    pub fn finish(&self) -> Final {
        match self.kept.as_ref().filter(|_| self.is_over()) {
            Some(kept) => kept.clone(),
            None => finish(&self.subject()),
        }
    }

    /// The same with what was found about the session.
    #[must_use]
    pub fn with_findings(self, findings: Vec<Finding>) -> Self {
        Self { findings, ..self }
    }

    /// The same with what was found about the session, which is only asked for if its summary can say it: looking costs
    /// as much as all else.
    ///
    /// # Errors
    /// When `find` fails.
    pub fn finding<E>(
        self,
        find: impl FnOnce(&Self) -> Result<Vec<Finding>, E>,
    ) -> Result<Self, E> {
        if self.is_over() && self.kept.is_some() {
            return Ok(self);
        }
        let findings = find(&self)?;
        Ok(self.with_findings(findings))
    }

    /// What the summary is made of.
    pub(super) fn subject(&self) -> Subject<'_> {
        Subject {
            remark: remark(&self.findings),
            last: self.last,
            ..Subject::new(&self.turns, &self.card.reading, &self.card.evidence)
        }
    }
}

/// Whether a session has no evidence and no process, and was inactive for a day.
fn is_left(row: &SessionRow, card: &LiveStatus, now: Timestamp) -> bool {
    let age = |at: Timestamp| now.as_second() - at.as_second();
    let old = row.last_event_at.is_none_or(|it| age(it) >= Thresholds::default().over);
    card.evidence.is_empty() && row.process.is_none() && old
}

fn input(row: &EventRow) -> TurnInput<'_> {
    TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text: &row.excerpt,
        label: row.label.as_deref(),
        signal: row.signal.as_ref(),
    }
}
