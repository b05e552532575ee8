//! Removes the rest of sessions that are marked as forgotten.

use crate::history_lines::{history_of, is_kept};
use crate::imported_files::remove_given;
use crate::remote_drop::remove_told;
use crate::unsearch::unsearch;
use taffrail_capture::{purge_journal, remove_runs};
use taffrail_context::{Error, Settings};
use taffrail_model::{Facts, RuntimeIdentity};
use taffrail_store::archive::{Archive, Packer};
use taffrail_store::{IndexReader, Ledger, StoreError, Writer};

/// Whether data of a forgotten session still exists.
pub(crate) fn is_to_forget(
    index: &IndexReader,
    ledger: Option<&Ledger>,
) -> Result<bool, StoreError> {
    ledger.map_or(Ok(false), |ledger| index.holds_any(&ledger.forgotten()?))
}

/// Removes everything left of sessions that are marked as forgotten. The order makes it safe to
/// interrupt and repeat.
pub(crate) fn finish_forgetting(settings: &Settings, writer: &mut Writer) -> Result<(), Error> {
    let rows = writer.unburied()?;
    if rows.is_empty() {
        return Ok(());
    }
    let forgotten = writer.forgotten()?;
    let is_meant = |who: &RuntimeIdentity| forgotten.holds(who, &Facts::default());
    let device = writer.device()?;
    purge_journal(&settings.data, device.as_str(), &is_meant).map_err(StoreError::from)?;
    remove_runs(&settings.data, &is_meant).map_err(StoreError::from)?;
    let archive = Archive::new(&settings.data);
    for state in writer.sources_of(&rows)? {
        match history_of(&state) {
            Some(history) => {
                let source = (state.agent.as_str(), history);
                let stays = |line: &[u8]| is_kept(source, line, |who, _| !is_meant(who));
                archive.blank_lines((&state).into(), &mut Packer::new()?, &stays)?;
            }
            None => {
                archive.remove((&state).into())?;
            }
        }
        // Imported documents are ours to remove; files of agents are not.
        remove_given(settings, &state)?;
        remove_told(settings, &state)?;
    }
    unsearch(settings, writer, &rows)?;
    writer.erase(&rows, (settings.now)())?;
    Ok(())
}
