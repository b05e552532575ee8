//! How a session reaches other devices, as far as this device knows; unknown values stay open.

use crate::sync_choice::is_chosen;
use serde::{Deserialize, Serialize};
use taffrail_context::remote_status::heard_at;
use taffrail_context::{Error, Settings};
use taffrail_contracts::captured::Carried;
use taffrail_model::exchange::{Outbox, StorageFault, Writing};
use taffrail_model::{SessionId, StreamName, Timestamp, hash, replication};
use taffrail_store::{IndexReader, Ledger, SessionRow, Share, ShareState};
use taffrail_sync::exchange::{Readers, own_stream};
use taffrail_sync::hub::{BucketKind, HubUrl};
use taffrail_team::ThisDevice;

/// The note about the last problem with the hub.
pub const TROUBLE: &str = "trouble";

/// The last bundle of a session that was left on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    /// When.
    pub at: Timestamp,
    /// The other users it was sealed for.
    pub users: Vec<String>,
}

/// The name of that note.
pub fn pushed_note(session: SessionId) -> String {
    format!("pushed/{}", hash::to_hex(session.as_bytes()))
}

/// The device that a session is on, `None` for this one, and the folder that its project had on the
/// device it was imported from.
pub(super) fn origin(
    settings: &Settings,
    row: &SessionRow,
) -> Result<(Option<String>, Option<String>), Error> {
    if let Some(device) = replication::device_of(&row.source_uri) {
        return Ok((Some(settings.devices.name_of(&device)), None));
    }
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok((None, None)) };
    let body = ledger.carried(row.id)?.map(|it| it.body);
    // A later version may have written a form that this one cannot read.
    let extract = body.and_then(|it| serde_json::from_str::<Extract>(&it).ok());
    Ok((None, extract.and_then(|it| it.project)))
}

/// What the ledger keeps of an imported session, as far as a document needs it.
#[derive(Deserialize)]
struct Extract {
    #[serde(default)]
    project: Option<String>,
}

/// How a session reaches other devices.
pub(super) fn carried(
    settings: &Settings,
    index: &IndexReader,
    row: &SessionRow,
) -> Result<Carried, Error> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else {
        return Ok(Carried::default());
    };
    let came = came(settings, &ledger, row)?;
    let out = match replication::is_locator(&row.source_uri) {
        true => came,
        false => goes(settings, (index, ledger), (row, came))?,
    };
    Ok(Carried { sealed: out.enabled, ..out })
}

/// The same for a session of this device: its streams, and what was left on the hub.
fn goes(
    settings: &Settings,
    (index, mut ledger): (&IndexReader, Ledger),
    (row, came): (&SessionRow, Carried),
) -> Result<Carried, Error> {
    let streams = ledger.streams()?;
    let told = told_in(&ledger, index, row)?;
    let pushed = pushed(&mut ledger, row.id)?;
    let is_chosen = settings.hub.url.is_some() && is_chosen(settings, row);
    if told.is_empty() && pushed.is_none() && !is_chosen {
        return Ok(came);
    }
    let mut out = Carried { enabled: true, store: store(settings), ..came };
    out.waiting = is_chosen && told.is_empty();
    out.last_sync = out.last_sync.max(pushed.as_ref().map(|it| it.at));
    for (stream, is_whole) in told {
        let writing = streams.iter().find(|it| it.stream == stream);
        out.waiting |= !is_whole || writing.is_none_or(waits);
        out.last_sync = out.last_sync.max(ledger.carried_at(&stream)?);
    }
    out.shared_with = shared_with(settings, &ledger, (row.id, pushed))?;
    let trouble = trouble(&mut ledger)?;
    out.error = trouble.filter(|_| out.waiting);
    Ok(out)
}

/// The device that a session was imported from, or that publishes it, if any.
fn came(settings: &Settings, ledger: &Ledger, row: &SessionRow) -> Result<Carried, Error> {
    if let Some(device) = replication::device_of(&row.source_uri) {
        let devices = vec![settings.devices.name_of(&device)];
        let last_sync = heard_at(&settings.data, &device);
        return Ok(Carried { enabled: true, last_sync, devices, ..Carried::default() });
    }
    let came = ledger.carried(row.id)?;
    Ok(came.map_or_else(Carried::default, |it| Carried {
        enabled: true,
        last_sync: Some(it.at),
        devices: vec![it.device_name],
        ..Carried::default()
    }))
}

/// The streams that publish a session, and whether each has all of it.
fn told_in(
    ledger: &Ledger,
    index: &IndexReader,
    row: &SessionRow,
) -> Result<Vec<(StreamName, bool)>, Error> {
    let is_whole = |generation: &str, sequence: u64| {
        generation == index.generation() && sequence == row.sequence
    };
    let told = ledger.told_session(row.id)?.filter(|it| !it.gone);
    let own = told.map(|it| (own_stream(), is_whole(&it.generation, it.sequence)));
    let shares = shares_of(ledger, row.id)?;
    let shares = shares.into_iter().map(|it| (it.stream, is_whole(&it.generation, it.sequence)));
    Ok(own.into_iter().chain(shares).collect())
}

fn shares_of(ledger: &Ledger, session: SessionId) -> Result<Vec<Share>, Error> {
    let mut all = ledger.shares()?;
    all.retain(|it| it.session == session && it.state == ShareState::Told);
    Ok(all)
}

fn waits(it: &Writing) -> bool {
    it.last > it.sealed || it.batches > it.appended
}

/// The other users that a session is shared with, or was bundled for.
fn shared_with(
    settings: &Settings,
    ledger: &Ledger,
    (session, pushed): (SessionId, Option<Pushed>),
) -> Result<Vec<String>, Error> {
    let mut users = pushed.map(|it| it.users).unwrap_or_default();
    let shares = shares_of(ledger, session)?;
    if !shares.is_empty() {
        let this_device =
            taffrail_team::own(settings).map_err(|error| Error::File(error.to_string()))?;
        users.extend(shares.iter().flat_map(|it| readers(&this_device, it)));
    }
    users.sort();
    users.dedup();
    Ok(users)
}

fn readers(own: &ThisDevice, share: &Share) -> Vec<String> {
    let Readers { mut users, devices } = Readers::parse(&share.readers);
    let members = devices.iter().filter_map(|it| own.roster.member(it));
    users.extend(members.map(|it| it.device.user.clone()));
    users.retain(|it| *it != own.user);
    users
}

/// The kind of the hub in use.
fn store(settings: &Settings) -> Option<String> {
    let kind = match HubUrl::parse(&settings.hub.address()?).ok()? {
        HubUrl::Directory(_) => "directory",
        HubUrl::Bucket(bucket) => match bucket.kind {
            BucketKind::S3 => "s3",
            BucketKind::Google => "gcs",
            BucketKind::Azure => "azure",
        },
        HubUrl::Nats(_) => "nats",
    };
    Some(kind.to_owned())
}

fn pushed(ledger: &mut Ledger, session: SessionId) -> Result<Option<Pushed>, StorageFault> {
    let note = Outbox::note(ledger, &pushed_note(session))?;
    Ok(note.and_then(|it| serde_json::from_slice(&it).ok()))
}

fn trouble(ledger: &mut Ledger) -> Result<Option<String>, StorageFault> {
    let note = Outbox::note(ledger, TROUBLE)?.filter(|it| !it.is_empty());
    Ok(note.map(|it| String::from_utf8_lossy(&it).into_owned()))
}
