//! Lists what is shared from here, and what others share with us.

use crate::error::DevicesError;
use taffrail_api::{ReceivedRow, SCHEMA_VERSION, ShareList, ShareReaders, ShareRow};
use taffrail_context::Settings;
use taffrail_model::replication;
use taffrail_store::{IndexReader, Ledger, SessionRow, Share, ShareState};
use taffrail_sync::Roster;
use taffrail_sync::exchange::Readers;

/// Lists what is shared from here and with us.
///
/// # Errors
/// When this device has no keys yet, or our files cannot be read.
pub fn shares(settings: &Settings) -> Result<ShareList, DevicesError> {
    let roster = taffrail_team::own(settings)?.roster;
    let ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let shared = ledger.shares()?.into_iter().map(|it| told(settings, &roster, &it));
    let index = IndexReader::open(&settings.data)?;
    let received = index.map(|it| it.shared_here()).transpose()?.unwrap_or_default();
    Ok(ShareList {
        schema_version: SCHEMA_VERSION,
        shared: shared.collect::<Result<_, _>>()?,
        received: received.into_iter().filter_map(|it| came(&roster, it)).collect(),
    })
}

/// A share as the user interfaces show it.
pub(super) fn told(
    settings: &Settings,
    roster: &Roster,
    share: &Share,
) -> Result<ShareRow, DevicesError> {
    let index = IndexReader::open(&settings.data)?;
    let row = index.map(|it| it.session_by_id(share.session)).transpose()?.flatten();
    let Readers { users, devices } = Readers::parse(&share.readers);
    let name = |id| roster.member(&id).map_or_else(|| id.to_string(), |it| it.device.name.clone());
    Ok(ShareRow {
        id: share.stream.to_string(),
        session_id: share.session.to_string(),
        title: row.and_then(|it| it.title),
        with: ShareReaders { users, devices: devices.into_iter().map(name).collect() },
        since: share.since,
        state: match share.state {
            ShareState::Told => "shared".to_owned(),
            ShareState::Revoked | ShareState::Gone => "revoked".to_owned(),
        },
    })
}

fn came(roster: &Roster, row: SessionRow) -> Option<ReceivedRow> {
    let device = replication::device_of(&row.source_uri)?;
    let member = roster.member(&device);
    Some(ReceivedRow {
        session_id: row.id.to_string(),
        session_id_there: replication::told_as(&row.source_uri).map(|it| it.to_string()),
        title: row.title,
        device: member.map_or_else(|| device.to_string(), |it| it.device.name.clone()),
        user: member.map(|it| it.device.user.clone()),
    })
}
