//! Drops sessions that another device retracted, or that were forgotten here.

use crate::unsearch::unsearch;
use std::path::Path;
use taffrail_capture::is_missing;
use taffrail_context::{Error, Settings, remote_status, remove_file};
use taffrail_model::observed::SourceState;
use taffrail_model::replication::{Order, device_of, is_locator, told_as};
use taffrail_store::{StoreError, Writer};

/// Removes sessions from the index and search whose file is gone, if no other source mentions them;
/// `true` if there were any.
pub fn drop_gone(settings: &Settings, writer: &mut Writer) -> Result<bool, Error> {
    let mut any = false;
    for source in writer.relayed_sources()? {
        if !is_missing(&Path::new(&source.state.home).join(&source.state.path)) {
            continue;
        }
        let alone = writer.told_by_alone(source.id)?;
        let rows: Vec<i64> = alone.iter().map(|(row, _)| *row).collect();
        let ids: Vec<_> = alone.iter().map(|(_, id)| *id).collect();
        if !rows.is_empty() {
            unsearch(settings, writer, &rows)?;
            writer.erase(&rows, (settings.now)())?;
            any = true;
        }
        writer.drop_relayed(source.id, &ids)?;
    }
    Ok(any)
}

/// Removes the items of another device about a session that is forgotten here.
pub(crate) fn remove_told(settings: &Settings, source: &SourceState) -> Result<(), Error> {
    let ours = settings.data.canonicalize().ok();
    if !is_locator(&source.locator) || ours.as_deref() != Some(Path::new(&source.home)) {
        return Ok(());
    }
    let path = Path::new(&source.home).join(&source.path);
    if let (Some(device), Some(told)) = (device_of(&source.locator), told_as(&source.locator)) {
        remote_status::drop(&settings.data, &device, (told, Order::LAST))
            .map_err(StoreError::from)?;
    }
    remove_file(&path).map_err(|error| StoreError::from(error).into())
}
