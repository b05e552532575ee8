//! This device: its id, name and keys, and the roster it knows.

use crate::error::DeviceError;
use crate::files::{Folder, Lock};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use taffrail_context::Settings;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_store::Ledger;
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::{Device, Entry, Member, Op, OpenInvite, Pin, Role, Signer};
use taffrail_sync::{Roster, Signature};
use zeroize::Zeroizing;

const KEYS: &str = "keys";
const NAME: &str = "name";
const ROSTER: &str = "roster";
const INVITES: &str = "invites";
/// The version of our documents.
const VERSION: u32 = 1;

/// The name and the user of this device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) user: String,
}

#[derive(Serialize, Deserialize)]
struct RosterFile {
    version: u32,
    pin: Pin,
    entries: Vec<Entry>,
    /// The entry of the pin has not come so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    awaited: bool,
    /// The device that promised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inviter: Option<Device>,
    /// This device's own signature of the pin: it has verified all entries up to there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verified: Option<Signature>,
}

#[derive(Serialize, Deserialize)]
struct InvitesFile {
    version: u32,
    invites: Vec<OpenInvite>,
}

/// This device, with its keys and its roster.
#[derive(Debug)]
pub struct ThisDevice {
    /// Its id in the ledger.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// Its user.
    pub user: String,
    /// Its keys.
    pub secret: DeviceSecret,
    /// The team as known here.
    pub roster: Roster,
}

impl ThisDevice {
    /// This device as a signer.
    pub fn signer(&self) -> Signer<'_> {
        Signer { device: &self.id, secret: &self.secret }
    }

    /// Its entry in the roster, if it has one.
    pub fn member(&self) -> Option<&Member> {
        self.roster.member(&self.id)
    }

    /// Fails if this device is not in the team.
    pub fn check_current(&self) -> Result<(), DeviceError> {
        match self.member() {
            None => Err(DeviceError::Waiting),
            Some(member) if member.is_current() => Ok(()),
            Some(_) => Err(DeviceError::Removed),
        }
    }

    /// Fails if this device may not change the team.
    pub(crate) fn check_admin(&self) -> Result<(), DeviceError> {
        self.check_current()?;
        let is_admin = self.member().is_some_and(|member| member.role == Role::Admin);
        if is_admin { Ok(()) } else { Err(DeviceError::NotAdmin) }
    }

    /// Whether the team has other devices.
    pub(crate) fn has_others(&self) -> bool {
        self.roster.members().any(|it| it.is_current() && it.device.id != self.id)
    }
}

/// This device.
pub fn own(settings: &Settings) -> Result<ThisDevice, DeviceError> {
    let folder = Folder::open(&settings.data)?.ok_or(DeviceError::NotMade)?;
    read(settings, &folder)?.ok_or(DeviceError::NotMade)
}

/// This device's name, if it has one.
pub fn own_name(settings: &Settings) -> Option<String> {
    let named = Folder::open(&settings.data).and_then(|folder| match folder {
        Some(folder) => folder.document::<Named>(NAME),
        None => Ok(None),
    });
    named.unwrap_or_else(unread("the name of this device")).map(|named| named.name)
}

/// The roster as known here, if it can be read.
pub fn known(settings: &Settings) -> Option<Roster> {
    let known = Folder::open(&settings.data).and_then(|folder| match folder {
        Some(folder) => roster(&folder),
        None => Ok(None),
    });
    known.unwrap_or_else(unread("the roster"))
}

/// Logs what cannot be read; `doctor` reports it to the user.
fn unread<T>(what: &str) -> impl FnOnce(DeviceError) -> Option<T> {
    move |error| {
        tracing::debug!(%error, what, "cannot read a file of this device");
        None
    }
}

/// The identity of the roster's file; every change creates another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edition {
    inode: u64,
    changed: (i64, i64),
}

/// The stored roster, if it is not the edition that was read last.
pub fn newer_roster(
    settings: &Settings,
    seen: &mut Option<Edition>,
) -> Result<Option<Roster>, DeviceError> {
    let folder = Folder::open(&settings.data)?.ok_or(DeviceError::NotMade)?;
    let path = folder.path(ROSTER);
    let about = path.metadata().map_err(DeviceError::at(&path))?;
    let edition = Edition { inode: about.ino(), changed: (about.ctime(), about.ctime_nsec()) };
    if *seen == Some(edition) {
        return Ok(None);
    }
    let roster = roster(&folder)?;
    *seen = Some(edition);
    Ok(roster)
}

/// The id of this device.
pub(crate) fn id_of(settings: &Settings) -> Result<DeviceId, DeviceError> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?.device()?)
}

/// This device, if it was set up completely.
pub(crate) fn read(
    settings: &Settings,
    folder: &Folder,
) -> Result<Option<ThisDevice>, DeviceError> {
    let (Some(named), Some(secret)) = (folder.document::<Named>(NAME)?, secret(folder)?) else {
        return Ok(None);
    };
    let Some(roster) = roster(folder)? else { return Ok(None) };
    let Named { name, user } = named;
    Ok(Some(ThisDevice { id: id_of(settings)?, name, user, secret, roster }))
}

/// The keys of this device, if it has any.
pub(crate) fn secret(folder: &Folder) -> Result<Option<DeviceSecret>, DeviceError> {
    let Some(text) = folder.text(KEYS)? else { return Ok(None) };
    let fault = |fault| DeviceError::Keys { path: folder.path(KEYS), fault };
    DeviceSecret::parse(&text).map(Some).map_err(fault)
}

/// The existing keys, or new ones from these bytes.
pub(crate) fn secret_or_new(
    folder: &Folder,
    random: &Zeroizing<[u8; 64]>,
) -> Result<DeviceSecret, DeviceError> {
    if let Some(known) = secret(folder)? {
        return Ok(known);
    }
    let secret = DeviceSecret::from_random(random);
    keep_secret(folder, &secret)?;
    Ok(secret)
}

/// Stores the keys of a device that has none.
pub(crate) fn keep_secret(folder: &Folder, secret: &DeviceSecret) -> Result<(), DeviceError> {
    folder.create(KEYS, &secret.to_text())
}

fn roster(folder: &Folder) -> Result<Option<Roster>, DeviceError> {
    let Some(kept) = folder.document::<RosterFile>(ROSTER)? else { return Ok(None) };
    if kept.version != VERSION {
        return Err(DeviceError::Damaged(folder.path(ROSTER)));
    }
    let RosterFile { pin, entries, awaited, inviter, verified, .. } = kept;
    if awaited {
        let known = match entries.is_empty() {
            true => Roster::awaited(pin, inviter),
            false => Roster::of(entries)?.awaiting(pin, inviter)?,
        };
        return Ok(Some(known));
    }
    // Verifying thousands of signatures takes a second, and this device has done it once.
    let secret = if verified.is_some() { secret(folder)? } else { None };
    let is_verified = match (verified, secret) {
        (Some(signature), Some(own)) => pin.is_verified_by(&own, &signature),
        (Some(_) | None, _) => false,
    };
    Ok(Some(match is_verified {
        true => Roster::verified(entries, &pin)?,
        false => Roster::pinned(entries, &pin)?,
    }))
}

/// Stores the name and the user of this device, and the roster.
pub(crate) fn keep_named(folder: &Folder, named: &Named) -> Result<(), DeviceError> {
    folder.replace(NAME, named)
}

/// Stores a roster and pins its head.
pub(crate) fn keep_roster(folder: &Folder, _: &Lock, roster: &Roster) -> Result<(), DeviceError> {
    let (pin, awaited) = (roster.pin(), roster.is_awaited());
    let own = if awaited { None } else { secret(folder)? };
    let verified = own.map(|it| pin.verified_by(&it));
    let (entries, inviter) = (roster.entries().to_vec(), roster.awaited_from().cloned());
    let version = VERSION;
    folder.replace(ROSTER, &RosterFile { version, pin, entries, awaited, inviter, verified })
}

/// The invites that are valid now and were not answered yet.
pub(crate) fn invites(
    folder: &Folder,
    roster: &Roster,
    now: Timestamp,
) -> Result<Vec<OpenInvite>, DeviceError> {
    let kept = folder.document::<InvitesFile>(INVITES)?;
    let mut open = kept.map(|it| it.invites).unwrap_or_default();
    open.retain(|it| it.until() >= now && !is_used(roster, it));
    Ok(open)
}

fn is_used(roster: &Roster, open: &OpenInvite) -> bool {
    let id = open.id();
    let uses = |entry: &Entry| matches!(entry.statement.op, Op::Add { invite, .. } if invite == id);
    roster.entries().iter().any(uses)
}

/// Stores the open invites; their secrets admit devices.
pub(crate) fn keep_invites(
    folder: &Folder,
    _: &Lock,
    invites: Vec<OpenInvite>,
) -> Result<(), DeviceError> {
    folder.replace(INVITES, &InvitesFile { version: VERSION, invites })
}
