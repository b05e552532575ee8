//! After a power cut: what the archive lost is copied again.

use crate::{DaemonError, Settings};
use std::collections::HashMap;
use std::time::Duration;
use taffrail_model::observed::Kept;
use taffrail_store::Writer;
use taffrail_store::archive::Archive;

/// What was written longer before the cut than this had reached the disk.
const WRITTEN_BACK: Duration = Duration::from_secs(600);

/// Looks at what was kept shortly before a cut, cuts away what is damaged, and has the sources read
/// again of which something is missing.
pub(crate) fn mend_archive(settings: &Settings, writer: &mut Writer) -> Result<(), DaemonError> {
    if !writer.was_cut_off() {
        return Ok(());
    }
    let archive = Archive::new(&settings.data);
    let last = archive.all()?.entries.iter().map(|it| it.modified).max();
    let since = last.and_then(|last| last.checked_sub(WRITTEN_BACK));
    archive.verify_all(since)?;
    let mut kept: HashMap<_, (u32, u64)> = HashMap::new();
    for entry in archive.all()?.entries {
        let place = (entry.label.home, entry.label.path, entry.label.key);
        let known = kept.entry(place).or_default();
        *known = (*known).max((entry.edition, entry.kept_bytes));
    }
    writer.begin()?;
    for source in writer.sources()? {
        let Kept::Bytes(bytes) = source.state.kept else { continue };
        let state = source.state;
        let there = kept.get(&(state.home, state.path, state.key)).map_or(0, |it| it.1);
        if source.present && there < bytes {
            writer.read_again(source.id)?;
        }
    }
    Ok(writer.commit((settings.now)())?)
}
