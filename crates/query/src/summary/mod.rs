//! Summaries of sessions: computed from their turns, stored once a session is over, and rephrased
//! by the user's own command if one is configured.

mod command_summaries;
mod final_summaries;
mod outlook;

pub use command_summaries::{CommandSummaries, Wish};
pub use final_summaries::{Made, Walk, bring_up, make};
pub use outlook::Outlook;

use crate::resolve::resolve;
use crate::status::StatusLookup;
use taffrail_api::{SCHEMA_VERSION, Summary};
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_model::summary::{Final, Summary as Lines};
use taffrail_store::IndexReader;

/// The outlook of one session, with a live status if the caller has one.
pub fn outlook(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Outlook, Error> {
    let found = resolve(settings, target)?;
    let gone = || TargetError::NotFound(found.id.to_string());
    let reader = IndexReader::open(&settings.data)?.ok_or_else(gone)?;
    // The index may have been rebuilt since.
    let row = reader.session(found.row)?.filter(|it| it.id == found.id).ok_or_else(gone)?;
    Outlook::of(&reader, row, known, settings)
}

/// The summary as a reply, by the command if its output is valid.
pub fn answer(outlook: &Outlook, commands: Option<&CommandSummaries>) -> Summary {
    let Final { summary, topics, category } = outlook.finish();
    let words = commands.and_then(|it| it.words(outlook, &summary));
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
