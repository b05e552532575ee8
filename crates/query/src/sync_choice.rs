//! Which sessions this device publishes to its other devices.

use taffrail_adapters::by_id;
use taffrail_context::Settings;
use taffrail_model::Lifecycle;
use taffrail_model::replication::is_locator;
use taffrail_store::SessionRow;

/// Whether the session belongs to this device, and the sync settings include its project.
pub fn is_chosen(settings: &Settings, row: &SessionRow) -> bool {
    is_ours(row) && settings.sync.takes(row.project_path.as_deref())
}

/// Whether the session was captured here; imported and remote sessions belong to another device.
/// Prompts whose transcript is gone stay on this one.
pub fn is_ours(row: &SessionRow) -> bool {
    let is_imported = by_id(&row.agent).is_none_or(|it| it.importer().is_some());
    let has_transcript = row.lifecycle != Lifecycle::PromptsOnly;
    row.captured && has_transcript && !is_imported && !is_locator(&row.source_uri)
}
