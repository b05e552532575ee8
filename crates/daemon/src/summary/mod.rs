//! What sessions are about: said at once from their turns, kept once they are over, and put into
//! the words of the user's own command where there is one.

pub(crate) mod command;
mod finals;
mod outlook;
mod retelling;

pub(crate) use finals::{Made, Walk, bring_up, make};
pub(crate) use outlook::Outlook;
pub(crate) use retelling::{Retelling, Wish};

use crate::{DaemonError, Settings, Target, TargetError, resolve};
use outlook::Known;
use std::time::Duration;
use taffrail_api::{SCHEMA_VERSION, Summary};
use taffrail_model::summary::{Final, Summary as Lines};
use taffrail_store::IndexReader;

/// How long a run of the user's own command may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The user's own command for summaries.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// Its words; none for no command.
    pub command: Vec<String>,
    /// Draws what nobody can guess, in letters and digits.
    pub draw: fn() -> String,
    /// How long a run may take.
    pub limit: Duration,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { command: Vec::new(), draw: String::new, limit: LIMIT }
    }
}

/// Sums a session up. What comes out of it is redacted.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn summary(settings: &Settings, target: &Target) -> Result<Summary, DaemonError> {
    let outlook = outlook(settings, target, &|_| None)?;
    Ok(told(&outlook, None))
}

/// One session as it stands, where somebody may have its card.
pub(crate) fn outlook(
    settings: &Settings,
    target: &Target,
    known: Known<'_>,
) -> Result<Outlook, DaemonError> {
    let found = resolve(settings, target)?;
    let gone = || TargetError::NotFound(found.id.to_string());
    let reader = IndexReader::open(&settings.data)?.ok_or_else(gone)?;
    // The index may have been made anew since.
    let row = reader.session(found.row)?.filter(|it| it.id == found.id).ok_or_else(gone)?;
    Outlook::of(&reader, row, known, (settings.now)())
}

/// The same as it is answered, in the words of a command where there are some.
pub(crate) fn told(outlook: &Outlook, retelling: Option<&Retelling>) -> Summary {
    let Final { summary, topics, category } = outlook.finish();
    let words = retelling.and_then(|it| it.words(outlook, &summary));
    let by_command = words.is_some();
    let lines: Lines = words.unwrap_or(summary);
    let over = outlook.is_over();
    Summary {
        schema_version: SCHEMA_VERSION,
        session_id: outlook.row.id,
        text: lines.lines().join("\n"),
        current: lines.current,
        recent: lines.recent,
        last_prompt: lines.last_prompt,
        topics: if over { topics } else { Vec::new() },
        category: over.then(|| category.as_str().to_owned()),
        by_command,
    }
}
