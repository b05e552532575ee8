//! Repairs the archive after a power cut.
//!
//! Copies are not synced one by one, so after a power cut the index may record more of them than
//! the disk holds. Once after each boot the most recent copies are checked, and a source with an
//! incomplete copy is read again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use taffrail_context::{Error, Settings};
use taffrail_model::observed::{ArchiveState, SourceState};
use taffrail_model::{hash, prompt_history};
use taffrail_store::archive::{Archive, Shape, Volume};
use taffrail_store::{SourceRow, Writer};

/// Data written this long before the last write is on the disk; systems sync within half a minute.
const UNSETTLED: Duration = Duration::from_secs(600);

/// Checks the copies, if the machine was booted since the last check.
pub(crate) fn mend(settings: &Settings, writer: &mut Writer) -> Result<(), Error> {
    if !settings.archive.enabled || writer.is_mended()? {
        return Ok(());
    }
    let archive = Archive::new(&settings.data);
    // A folder that cannot be read now is read next time.
    let written = match archive.times() {
        Ok(written) => written,
        Err(error) => {
            tracing::warn!(%error, "cannot look into the archive after a start of the machine");
            return Ok(());
        }
    };
    let last = written.values().max().copied().unwrap_or(UNIX_EPOCH).min((settings.now)().into());
    let settled = last.checked_sub(UNSETTLED).unwrap_or(UNIX_EPOCH);
    let mut torn = Vec::new();
    for source in
        writer.sources()?.into_iter().filter(|it| matches!(it.state.kept, ArchiveState::Bytes(_)))
    {
        let written = written.get(&Archive::name((&source.state).into())).copied();
        let is_settled = written.is_some_and(|it| it < settled) && changed(&source) < settled;
        if !is_settled && !is_kept(&archive, &source) {
            torn.push(source.id);
        }
    }
    if !torn.is_empty() {
        tracing::info!(
            sources = torn.len(),
            "copies in the archive lack something and are made again"
        );
    }
    Ok(writer.mend(&torn, (settings.now)())?)
}

/// The modification time of a source when it was read.
fn changed(source: &SourceRow) -> SystemTime {
    let since = u64::try_from(source.state.fingerprint.modified_ns).unwrap_or(0);
    UNIX_EPOCH + Duration::from_nanos(since)
}

/// Whether the copy holds the source up to its cursor; for a source that is gone, anything at all.
/// A copy that cannot be read holds nothing.
fn is_kept(archive: &Archive, source: &SourceRow) -> bool {
    let SourceRow { state, present, .. } = source;
    let verified = archive.verify(state.into(), None);
    let found = verified.and_then(|_| archive.find(state.into()));
    let Ok(Some(mut volume)) = found else { return false };
    match volume.label().shape {
        _ if !present => true,
        // The copy of a prompt history may have spaces in place of the last line.
        Shape::Lines if prompt_history::is_locator(&state.locator) => {
            volume.covered_to() >= state.offset
        }
        Shape::Lines => has_last_line(&mut volume, state),
        Shape::Document | Shape::Rows => {
            ArchiveState::Bytes(volume.covered_to()) == state.kept && volume.whole().is_ok()
        }
    }
}

fn has_last_line(volume: &mut Volume, source: &SourceState) -> bool {
    let Some(last) = source.last_line else { return true };
    let length = usize::try_from(last.length).unwrap_or(usize::MAX);
    volume.range(last.offset, length).is_ok_and(|bytes| hash::checksum(&bytes) == last.hash)
}
