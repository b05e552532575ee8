//! What a session was about, for who resumes it: its latest turns and a summary.

use crate::events::{Texts, turns};
use crate::status::StatusLookup;
use crate::summary::{answer, outlook};
use taffrail_api::{Recap, RecapTurn};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::turn::Turn;

/// The latest turns and a summary of a session.
///
/// # Errors
/// When the session cannot be found or read.
pub fn recap(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Recap, Error> {
    let summary = answer(&outlook(settings, target, known)?, None).text;
    let all = turns(settings, target, Texts::Whole)?;
    let first = all.len().saturating_sub(settings.summary.turns);
    let shown =
        |it: Turn| RecapTurn { prompt: it.prompt, text: it.text, started_at: it.started_at };
    Ok(Recap { summary, turns: all.into_iter().skip(first).map(shown).collect() })
}
