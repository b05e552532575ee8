//! Final summaries: made for sessions that are over, a bounded step at a time.

use super::outlook::Outlook;
use crate::board::recent_statuses;
use crate::status::StatusLookup;
use taffrail_context::{Error, Settings};
use taffrail_ingest::Budget;
use taffrail_model::Timestamp;
use taffrail_model::status::Thresholds;
use taffrail_store::{FinalRow, IndexReader, SessionRow, Writer};

/// A step takes no further session after this many rows of the index.
const STEP_ROWS: u64 = 4_096;
/// The cost of searching for sessions that lack one, in rows.
const LOOK_ROWS: u64 = 256;

/// The final summary of a session that is over; `None` for one that is not.
pub fn make(
    reader: &IndexReader,
    row: SessionRow,
    known: StatusLookup<'_>,
    settings: &Settings,
) -> Result<Option<FinalRow>, Error> {
    let outlook = Outlook::of(reader, row, known, settings)?;
    let row = &outlook.row;
    let (number, id, sequence) = (row.row, row.id, row.sequence);
    let over = outlook.is_over();
    Ok(over.then(|| FinalRow { row: number, id, sequence, told: outlook.finish() }))
}

/// Walks over all sessions, from the last to the first, to find those that lack a final summary.
#[derive(Debug, Default)]
pub struct Walk {
    /// Where to continue; `None` when nothing is left.
    below: Option<i64>,
    /// Sessions that were found and not processed yet.
    due: Vec<SessionRow>,
}

/// The result of a step.
#[derive(Debug, Default)]
pub struct Made {
    pub finals: Vec<FinalRow>,
    /// About how many rows of the index were read.
    pub rows: u64,
}

impl Walk {
    /// Starts at the last session.
    pub fn new() -> Self {
        Self { below: Some(i64::MAX), due: Vec::new() }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.below.is_none() && self.due.is_empty()
    }

    /// Continues for a bounded number of rows; only a single session larger than that takes more.
    pub fn step(
        &mut self,
        reader: &IndexReader,
        known: StatusLookup<'_>,
        settings: &Settings,
    ) -> Result<Made, Error> {
        let mut made = Made::default();
        while made.rows < STEP_ROWS && !self.is_done() {
            match self.due.pop() {
                Some(row) if made.rows > 0 && made.rows + row.sequence > STEP_ROWS => {
                    self.due.push(row);
                    break;
                }
                Some(row) => {
                    made.rows += row.sequence + 1;
                    made.finals.extend(make(reader, row, known, settings)?);
                }
                None => {
                    made.rows += LOOK_ROWS;
                    self.look(reader)?;
                }
            }
        }
        Ok(made)
    }

    fn look(&mut self, reader: &IndexReader) -> Result<(), Error> {
        let Some(below) = self.below.take() else { return Ok(()) };
        if let Some((found, next)) = reader.lacking_final(below)? {
            (self.due, self.below) = (found, Some(next));
        }
        Ok(())
    }
}

/// Makes missing final summaries for a query, within the budget; `false` when some may still be
/// missing. A daemon makes them in the background.
pub fn bring_up(settings: &Settings, budget: Budget<'_>) -> Result<bool, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(true) };
    let now = (settings.now)();
    if settings.kept_up {
        let over = now.as_second().saturating_sub(Thresholds::default().over);
        let over = Timestamp::from_second(over).unwrap_or(now);
        return Ok(!reader.lacks_finals(over)?);
    }
    let cards = recent_statuses(settings, &reader)?;
    let (mut walk, mut writer) = (Walk::new(), None);
    while !walk.is_done() {
        if budget.is_over() {
            return Ok(false);
        }
        let made = walk.step(&reader, &|id| cards.get(&id).cloned(), settings)?;
        if made.finals.is_empty() {
            continue;
        }
        let writer = match &mut writer {
            Some(writer) => writer,
            none => match opened(settings)? {
                Some(opened) => none.insert(opened),
                None => return Ok(false),
            },
        };
        writer.keep_finals(&made.finals)?;
    }
    if let Some(mut writer) = writer {
        writer.finish(now)?;
    }
    Ok(true)
}

/// The writer; `None` while another process holds the lock.
fn opened(settings: &Settings) -> Result<Option<Writer>, Error> {
    match Writer::open(&settings.data, settings.boot()).map_err(Error::from) {
        Ok(writer) => Ok(Some(writer)),
        Err(error) if error.is_busy() => Ok(None),
        Err(error) => Err(error),
    }
}
