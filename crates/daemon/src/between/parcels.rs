//! Teleport through the hub: bundles that were left there.

use super::leases::give_back;
use crate::contracts::{Pushed, pushed_note};
use crate::devices::{self, Own};
use crate::hubs::{self, HubFault, block_on};
use crate::teleport::{PackWish, TeleportError, pack};
use crate::{DaemonError, Settings, Target};
use std::collections::BTreeSet;
use std::io::Write;
use taffrail_api::{Packed, Parcel};
use taffrail_model::exchange::Outbox;
use taffrail_model::{SessionId, Timestamp, hash};
use taffrail_store::Ledger;
use taffrail_sync::hub::{AnyHub, BlobName, Content, Hub, HubError, Prefix, Put};
use tempfile::NamedTempFile;

/// Where bundles are on the hub: `bundle/SESSION/TIME-DEVICE`.
const BUNDLES: &str = "bundle";

/// Packs a session and leaves it on the hub, for the user's other devices unless others are named. Whoever
/// leaves it there gives the lease over it back: others may go on with it.
///
/// # Errors
/// As `pack`; when there is no hub, or it does not take it.
pub fn push(
    settings: &Settings,
    target: &Target,
    (to, with_patch): (&[String], bool),
) -> Result<Packed, DaemonError> {
    let own = devices::own(settings)?;
    let mine = [own.user.clone()];
    let to = if to.is_empty() { mine.as_slice() } else { to };
    let file = scratch(settings)?;
    let wish = PackWish { to, out: file.path(), replace: true, with_patch, redacted: false };
    let packed = pack(settings, target, &wish)?;
    let at = (settings.now)().as_millisecond();
    let session = hash::from_hex(&packed.session_id).map(SessionId::from_bytes);
    let session = session.ok_or_else(|| odd_session(&packed))?;
    block_on(async {
        let hub = entered(settings, &own).await?;
        let name = format!("{}/{at:015}-{}", below(session), own.id);
        let name = BlobName::new(name).map_err(HubFault::from)?;
        let content = Content::File(file.path().to_owned());
        match hub.put_blob(&name, &content).await.map_err(HubFault::from)? {
            Put::New | Put::Already => give_back(&hub, &own, session).await,
            Put::Conflict => Err(HubFault::from(in_the_way()).into()),
        }
    })?;
    note_pushed(settings, &own, (session, &packed))?;
    Ok(packed)
}

fn in_the_way() -> HubError {
    HubError::Refused("another bundle of this moment is there; push it again".to_owned())
}

/// Remembers that a session was left on the hub, and for whom.
fn note_pushed(
    settings: &Settings,
    own: &Own,
    (session, packed): (SessionId, &Packed),
) -> Result<(), DaemonError> {
    let members = own.roster.members().filter(|it| packed.to.contains(&it.device.name));
    let users = members.map(|it| it.device.user.clone()).filter(|it| *it != own.user);
    let users: BTreeSet<String> = users.collect();
    let pushed = Pushed { at: (settings.now)(), users: users.into_iter().collect() };
    // Words and a time can always be written.
    let bytes = serde_json::to_vec(&pushed).unwrap_or_default();
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.keep_note(&pushed_note(session), &bytes).map_err(HubFault::from)?)
}

fn odd_session(packed: &Packed) -> DaemonError {
    DaemonError::Bug(format!("`{}` is no id of a session", packed.session_id))
}

fn scratch(settings: &Settings) -> Result<NamedTempFile, DaemonError> {
    let fault = |error| TeleportError::Io { path: settings.data.clone(), error };
    Ok(NamedTempFile::new_in(&settings.data).map_err(fault)?)
}

fn below(session: SessionId) -> String {
    format!("{BUNDLES}/{}", hash::to_hex(session.as_bytes()))
}

pub(super) async fn entered(settings: &Settings, own: &Own) -> Result<AnyHub, DaemonError> {
    let url = hubs::address(settings)?;
    Ok(hubs::open(settings, &url, own.roster.team(), &own.secret).await?)
}

/// Bundles on the hub, the newest first.
///
/// # Errors
/// When there is no hub, or it does not answer.
pub fn parcels(settings: &Settings) -> Result<Vec<Parcel>, DaemonError> {
    let own = devices::own(settings)?;
    block_on(async {
        let hub = entered(settings, &own).await?;
        let prefix = Prefix::new(BUNDLES).map_err(HubFault::from)?;
        let names = hub.blobs(&prefix).await.map_err(HubFault::from)?;
        let mut found: Vec<Parcel> = names.iter().filter_map(|it| parcel(&own, it)).collect();
        found.sort_by_key(|it| std::cmp::Reverse(it.at));
        Ok(found)
    })
}

fn parcel(own: &Own, name: &BlobName) -> Option<Parcel> {
    let mut parts = name.as_str().split('/').skip(1);
    let (session, rest) = (parts.next()?, parts.next()?);
    let (at, device) = rest.split_once('-')?;
    let session = SessionId::from_bytes(hash::from_hex(session)?);
    let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
    let member = own.roster.members().find(|it| it.device.id.as_str() == device);
    Some(Parcel {
        session_id: session.to_string(),
        device: member.map_or_else(|| device.to_owned(), |it| it.device.name.clone()),
        at,
        name: name.as_str().to_owned(),
    })
}

/// Brings a bundle into a file of ours. Nothing about it is believed yet.
///
/// # Errors
/// When it is not there any more, or the hub does not answer.
pub fn fetch(settings: &Settings, parcel: &Parcel) -> Result<NamedTempFile, DaemonError> {
    let own = devices::own(settings)?;
    let mut file = scratch(settings)?;
    block_on(async {
        let hub = entered(settings, &own).await?;
        let name = BlobName::new(parcel.name.clone()).map_err(HubFault::from)?;
        let blob = hub.get_blob(&name).await.map_err(HubFault::from)?;
        let gone = || TeleportError::Gone(parcel.name.clone());
        let mut blob = blob.ok_or_else(gone)?;
        while let Some(piece) = blob.next().await {
            let piece = piece.map_err(HubFault::from)?;
            file.write_all(&piece).map_err(TeleportError::at(&settings.data))?;
        }
        Ok(())
    })?;
    Ok(file)
}
