//! Shares one session with others of the team: this module writes the wish into the ledger, and the
//! exchange does the rest.

mod list;

pub use list::shares;

use crate::error::DevicesError;
use crate::error::{HubFault, ShareError};
use crate::hubs;
use list::told;
use taffrail_api::{SCHEMA_VERSION, ShareChange};
use taffrail_context::{Settings, Target};
use taffrail_model::exchange::{Incarnation, Writing};
use taffrail_model::{SessionId, replication};
use taffrail_query::bindings::followed;
use taffrail_query::resolve::resolve;
use taffrail_query::{is_chosen, is_ours};
use taffrail_store::{IndexReader, Ledger, SessionRow, Share, ShareState};
use taffrail_sync::exchange::{Random, Readers};
use taffrail_sync::roster::Member;
use taffrail_team::ThisDevice;

/// The fewest digits of a share's name that identify it.
const FEWEST: usize = 4;

/// Shares one session with devices and users of the team. Sharing it again with the same readers
/// changes nothing.
///
/// # Errors
/// `ShareError` when a reader is not in the team, or the session is not ours to share; when no hub
/// is in use.
pub fn share(
    settings: &Settings,
    target: &Target,
    with: &[String],
) -> Result<ShareChange, DevicesError> {
    hubs::address(settings)?;
    let own = taffrail_team::own(settings)?;
    own.check_current()?;
    let meant = followed(settings, target)?.id;
    let row = resolve(settings, &Target::Id(meant.to_string()))?;
    check(settings, &row)?;
    let readers = readers(&own, with, is_chosen(settings, &row))?;
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let known = ledger.shares()?.into_iter().find(|it| is_same(it, row.id, &readers));
    let share = match known {
        Some(share) => share,
        None => begin(settings, &mut ledger, (row.id, &readers))?,
    };
    changed(settings, &own, &[share])
}

/// Revokes a share, or all shares of a session: its readers are asked to delete their copies.
///
/// # Errors
/// `NoShare` when the name matches nothing; when the ledger cannot be written.
pub fn revoke(settings: &Settings, word: &str) -> Result<ShareChange, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let mut shares = named(settings, &ledger, word)?;
    for share in &mut shares {
        ledger.revoke_share(share, settings.kept_up)?;
        share.state = ShareState::Revoked;
    }
    changed(settings, &own, &shares)
}

/// Refuses a session that is read-only here.
pub fn check_writable(settings: &Settings, session: SessionId) -> Result<(), DevicesError> {
    let index = IndexReader::open(&settings.data)?;
    let row = index.map(|it| it.session_by_id(session)).transpose()?.flatten();
    let shared = row.filter(|it| replication::is_shared(&it.source_uri));
    match shared.and_then(|it| replication::device_of(&it.source_uri)) {
        Some(device) => Err(ShareError::ReadOnly(settings.devices.name_of(&device)).into()),
        None => Ok(()),
    }
}

fn check(settings: &Settings, row: &SessionRow) -> Result<(), ShareError> {
    if let Some(device) = replication::device_of(&row.source_uri) {
        return Err(ShareError::Elsewhere(settings.devices.name_of(&device)));
    }
    if is_ours(row) { Ok(()) } else { Err(ShareError::NotOurs) }
}

/// Resolves the readers: a device by its name or id, otherwise all devices of a user.
fn readers(own: &ThisDevice, with: &[String], is_told: bool) -> Result<Readers, ShareError> {
    let mut readers = Readers::default();
    for word in with {
        let device = device_called(own, word);
        let is_user = own.roster.members().any(|it| it.is_current() && it.device.user == *word);
        match device {
            Some(member) if member.device.id == own.id => {
                return Err(ShareError::Ourselves(word.clone()));
            }
            Some(member) if is_told && member.device.user == own.user => {
                return Err(ShareError::Told(word.clone()));
            }
            Some(member) => readers.devices.push(member.device.id.clone()),
            None if is_user && is_told && *word == own.user => {
                return Err(ShareError::Told(word.clone()));
            }
            None if is_user => readers.users.push(word.clone()),
            None => return Err(ShareError::NoReader(word.clone())),
        }
    }
    readers.users.sort();
    readers.users.dedup();
    readers.devices.sort();
    readers.devices.dedup();
    Ok(readers)
}

fn device_called<'o>(own: &'o ThisDevice, word: &str) -> Option<&'o Member> {
    let by_id = || own.roster.members().find(|it| it.is_current() && it.device.id.as_str() == word);
    own.roster.named(word).or_else(by_id)
}

fn is_same(share: &Share, session: SessionId, readers: &Readers) -> bool {
    share.state == ShareState::Told
        && share.session == session
        && Readers::parse(&share.readers) == *readers
}

fn begin(
    settings: &Settings,
    ledger: &mut Ledger,
    (session, readers): (SessionId, &Readers),
) -> Result<Share, DevicesError> {
    let mut draw = Random::new(settings.hub.draw.ok_or(HubFault::None)?);
    let stream = taffrail_sync::exchange::share_stream(draw.bytes());
    let incarnation = Incarnation { count: 1, random: u64::from_le_bytes(draw.bytes()) };
    let share = Share {
        stream: stream.clone(),
        session,
        readers: readers.to_text(),
        since: (settings.now)(),
        state: ShareState::Told,
        generation: String::new(),
        batch: 0,
        sequence: 0,
        number: 0,
    };
    ledger.begin_share(&share, &Writing::new(stream, incarnation, readers.to_text()))?;
    Ok(share)
}

/// The shares that a name matches: one by its name or a prefix of it, or all of a session.
fn named(settings: &Settings, ledger: &Ledger, word: &str) -> Result<Vec<Share>, DevicesError> {
    let all: Vec<Share> =
        ledger.shares()?.into_iter().filter(|it| it.state == ShareState::Told).collect();
    let begins = |it: &&Share| {
        let name = it.stream.as_str();
        let digits = name.strip_prefix("share-").unwrap_or(name);
        word.len() >= FEWEST && (name.starts_with(word) || digits.starts_with(word))
    };
    if let [one] = all.iter().filter(begins).collect::<Vec<_>>().as_slice() {
        return Ok(vec![(*one).clone()]);
    }
    // A session that is gone from the index may still be shared.
    let session = match resolve(settings, &Target::Id(word.to_owned())) {
        Ok(row) => Some(row.id),
        // A session that was forgotten here may still be shared.
        Err(_) => SessionId::parse(word),
    };
    let of_session: Vec<Share> = all.into_iter().filter(|it| Some(it.session) == session).collect();
    match of_session.is_empty() {
        true => Err(ShareError::NoShare(word.to_owned()).into()),
        false => Ok(of_session),
    }
}

fn changed(
    settings: &Settings,
    own: &ThisDevice,
    shares: &[Share],
) -> Result<ShareChange, DevicesError> {
    let shares = shares.iter().map(|it| told(settings, &own.roster, it));
    Ok(ShareChange {
        schema_version: SCHEMA_VERSION,
        shares: shares.collect::<Result<_, _>>()?,
        carried: settings.kept_up,
    })
}
