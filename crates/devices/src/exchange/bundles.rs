//! Teleport through the hub: pushes, lists and fetches bundles.

use super::leases::give_back;
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::error::TeleportError;
use crate::hubs;
use crate::hubs::block_on;
use crate::teleport::{PackWish, pack};
use std::collections::BTreeSet;
use std::io::Write;
use taffrail_api::{HubBundle, PackReport};
use taffrail_context::Error;
use taffrail_context::{Settings, Target};
use taffrail_model::exchange::Outbox;
use taffrail_model::{SessionId, Timestamp, hash};
use taffrail_query::contracts::{Pushed, pushed_note};
use taffrail_store::{IndexReader, Ledger};
use taffrail_sync::hub::{AnyHub, BlobName, Content, Hub, HubError, Prefix, Put};
use taffrail_team::ThisDevice;
use tempfile::NamedTempFile;

/// The key prefix of bundles on the hub: `bundle/SESSION/TIME-DEVICE`.
const BUNDLES: &str = "bundle";

/// Packs a session and uploads it to the hub, for the user's other devices unless others are named.
/// Pushing releases the lease over the session, so that others may resume it.
///
/// # Errors
/// As `pack`; when no hub is in use, or the hub refuses the bundle.
pub fn push(
    settings: &Settings,
    target: &Target,
    (to, with_patch): (&[String], bool),
) -> Result<PackReport, DevicesError> {
    let own = taffrail_team::own(settings)?;
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
        let blobs = hubs::blob_place(settings, own.roster.team(), &own.secret)?;
        let name = format!("{}/{at:015}-{}", below(session), own.id);
        let name = BlobName::new(name).map_err(HubFault::from)?;
        let content = Content::File(file.path().to_owned());
        match blobs
            .as_ref()
            .unwrap_or(&hub)
            .put_blob(&name, &content)
            .await
            .map_err(HubFault::from)?
        {
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

/// Records that a session was pushed to the hub, and for whom. The users stay in one note: each push
/// writes all of them, and nothing asks for one.
fn note_pushed(
    settings: &Settings,
    own: &ThisDevice,
    (session, packed): (SessionId, &PackReport),
) -> Result<(), DevicesError> {
    let members = own.roster.members().filter(|it| packed.to.contains(&it.device.name));
    let users = members.map(|it| it.device.user.clone()).filter(|it| *it != own.user);
    let users: BTreeSet<String> = users.collect();
    let pushed = Pushed { at: (settings.now)(), users: users.into_iter().collect() };
    // Strings and a time always serialize.
    let bytes = serde_json::to_vec(&pushed).unwrap_or_default();
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.keep_note(&pushed_note(session), &bytes).map_err(HubFault::from)?)
}

fn odd_session(packed: &PackReport) -> DevicesError {
    Error::Bug(format!("`{}` is not the id of a session", packed.session_id)).into()
}

fn scratch(settings: &Settings) -> Result<NamedTempFile, DevicesError> {
    let fault = |error| TeleportError::Io { path: settings.data.clone(), error };
    Ok(NamedTempFile::new_in(&settings.data).map_err(fault)?)
}

fn below(session: SessionId) -> String {
    format!("{BUNDLES}/{}", hash::to_hex(session.as_bytes()))
}

pub(super) async fn entered(settings: &Settings, own: &ThisDevice) -> Result<AnyHub, DevicesError> {
    let url = hubs::address(settings)?;
    Ok(hubs::open(settings, &url, own.roster.team(), &own.secret).await?)
}

/// Where bundles can be: in the place of blobs, if one is named, and on the hub.
async fn places(settings: &Settings, own: &ThisDevice) -> Result<Vec<AnyHub>, DevicesError> {
    let blobs = hubs::blob_place(settings, own.roster.team(), &own.secret)?;
    Ok(blobs.into_iter().chain([entered(settings, own).await?]).collect())
}

/// Lists the bundles on the hub, newest first.
///
/// # Errors
/// When no hub is in use, or the hub does not answer.
pub fn parcels(settings: &Settings) -> Result<Vec<HubBundle>, DevicesError> {
    let own = taffrail_team::own(settings)?;
    block_on(async {
        let prefix = Prefix::new(BUNDLES).map_err(HubFault::from)?;
        let mut found: Vec<HubBundle> = Vec::new();
        for hub in places(settings, &own).await? {
            let names = hub.blobs(&prefix).await.map_err(HubFault::from)?;
            let mut here: Vec<_> = names.iter().filter_map(|it| parcel(&own, it)).collect();
            here.sort_by_key(|it| std::cmp::Reverse(it.at));
            measured(&hub, &mut here).await?;
            found.extend(here);
        }
        found.sort_by_key(|it| std::cmp::Reverse(it.at));
        found.dedup_by(|one, other| one.name == other.name);
        described(settings, found)
    })
}

/// Fills in the size of each session's newest bundle.
async fn measured(hub: &AnyHub, found: &mut [HubBundle]) -> Result<(), DevicesError> {
    let mut met = BTreeSet::new();
    for it in found {
        if met.insert(it.session_id.clone()) {
            let name = BlobName::new(it.name.clone()).map_err(HubFault::from)?;
            let blob = hub.get_blob(&name).await.map_err(HubFault::from)?;
            it.bytes = blob.map(|it| it.size());
        }
    }
    Ok(())
}

/// Adds local facts about the sessions: a hub sees no titles.
fn described(settings: &Settings, found: Vec<HubBundle>) -> Result<Vec<HubBundle>, DevicesError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(found) };
    let mut out = Vec::with_capacity(found.len());
    for it in found {
        let id = hash::from_hex(&it.session_id).map(SessionId::from_bytes);
        let row = id.map(|id| index.session_by_id(id)).transpose()?.flatten();
        let (title, project) = row.map_or((None, None), |row| (row.title, row.project_path));
        out.push(HubBundle { title, project, ..it });
    }
    Ok(out)
}

fn parcel(own: &ThisDevice, name: &BlobName) -> Option<HubBundle> {
    let mut parts = name.as_str().split('/').skip(1);
    let (session, rest) = (parts.next()?, parts.next()?);
    let (at, device) = rest.split_once('-')?;
    let session = SessionId::from_bytes(hash::from_hex(session)?);
    let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
    let member = own.roster.members().find(|it| it.device.id.as_str() == device);
    Some(HubBundle {
        session_id: session.to_string(),
        device: member.map_or_else(|| device.to_owned(), |it| it.device.name.clone()),
        at,
        name: name.as_str().to_owned(),
        title: None,
        project: None,
        bytes: None,
    })
}

/// Downloads a bundle into a temporary file. Its content is not verified here.
///
/// # Errors
/// When the bundle no longer exists, or the hub does not answer.
pub fn fetch(settings: &Settings, parcel: &HubBundle) -> Result<NamedTempFile, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let mut file = scratch(settings)?;
    block_on(async {
        let name = BlobName::new(parcel.name.clone()).map_err(HubFault::from)?;
        let mut found = None;
        for hub in places(settings, &own).await? {
            if found.is_none() {
                found = hub.get_blob(&name).await.map_err(HubFault::from)?;
            }
        }
        let gone = || TeleportError::Gone(parcel.name.clone());
        let mut blob = found.ok_or_else(gone)?;
        while let Some(piece) = blob.next().await {
            let piece = piece.map_err(HubFault::from)?;
            file.write_all(&piece).map_err(TeleportError::at(&settings.data))?;
        }
        Ok(())
    })?;
    Ok(file)
}
