//! Founds a team and changes it.

use crate::error::DeviceError;
use crate::files::Folder;
use crate::local_device::{self as own, Named, ThisDevice};
use crate::new_device::Beginning;
use std::collections::BTreeSet;
use taffrail_context::Settings;
use taffrail_model::DeviceId;
use taffrail_sync::keys::{DeviceSecret, Identity, open_with_passphrase, seal_with_passphrase};
use taffrail_sync::roster::{Device, Entry, Op, RecoveryKey};
use taffrail_sync::{Roster, TeamId};
use zeroize::Zeroizing;

/// A signed change of the team that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    entry: Entry,
}

impl Change {
    pub(crate) fn of(entry: Entry) -> Self {
        Self { entry }
    }

    /// The entry to append on the hub before the change is stored.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// Creates this device's keys and founds a team with this device as its only member.
///
/// # Errors
/// `Made` when the device already has keys; when the name is invalid or a file operation fails.
pub fn init_device(
    settings: &Settings,
    wish: &Beginning<'_>,
    team: [u8; 16],
) -> Result<(), DeviceError> {
    let folder = Folder::make(&settings.data)?;
    let lock = folder.lock()?;
    if let Some(known) = own::read(settings, &folder)? {
        return Err(DeviceError::Made(known.name));
    }
    let secret = own::secret_or_new(&folder, &wish.random)?;
    let (name, user) = (wish.name.to_owned(), wish.user.to_owned());
    let id = own::id_of(settings)?;
    let device = Device { id, name: name.clone(), user: user.clone(), keys: secret.keys() };
    let team = TeamId::from_bytes(team);
    let roster = Roster::found(team, device, &secret, (settings.now)());
    let roster = roster.map_err(DeviceError::from)?;
    own::keep_named(&folder, &Named { name, user })?;
    own::keep_roster(&folder, &lock, &roster)
}

/// Removes a device from the team; it cannot open anything sealed from then on.
///
/// # Errors
/// When no device has this name, this device is not an admin, or it is the last one.
pub fn remove(settings: &Settings, name: &str) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    let device = device_named(&own, name)?;
    changed(settings, &own, Op::Remove { device })
}

/// Makes another device an admin.
///
/// # Errors
/// When no device has this name, or this device is not an admin.
pub fn name_admin(settings: &Settings, name: &str) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    let device = device_named(&own, name)?;
    changed(settings, &own, Op::Admin { device })
}

/// Starts a new epoch with new keys for everything sealed from then on.
///
/// # Errors
/// When this device is not an admin.
pub fn rotate(settings: &Settings) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    changed(settings, &own, Op::Rotate)
}

/// A named recovery identity that is not stored yet.
#[derive(Debug)]
pub struct Recovered {
    /// The entry that names it.
    pub change: Change,
    /// Its user.
    pub user: String,
    /// Its public half.
    pub recipient: String,
    /// The key in plain text, or an age file encrypted with a passphrase. Only the user keeps it.
    pub key: Zeroizing<Vec<u8>>,
}

/// Names a recovery identity for this device's user, derived from these bytes.
///
/// # Errors
/// When this device is not an admin, or the passphrase cannot be used.
pub fn recovery(
    settings: &Settings,
    random: &Zeroizing<[u8; 32]>,
    passphrase: Option<Zeroizing<String>>,
) -> Result<Recovered, DeviceError> {
    let own = own::own(settings)?;
    let identity = Identity::from_random(random);
    let (user, recipient) = (own.user.clone(), identity.recipient());
    let door = DeviceSecret::of_recovery(identity.clone()).keys().nats_user().cloned();
    // However the roster grows until this is stored, it extends the one known now.
    let key = RecoveryKey { identity, pin: own.roster.pin() }.to_text();
    let op = Op::Recovery { user: user.clone(), recipient: recipient.clone(), door };
    let change = changed(settings, &own, op)?;
    let key = match passphrase {
        None => Zeroizing::new(key.as_bytes().to_vec()),
        Some(words) => {
            let file = seal_with_passphrase(&key, words).map_err(DeviceError::from)?;
            Zeroizing::new(file)
        }
    };
    Ok(Recovered { change, user, recipient: recipient.to_string(), key })
}

/// Reads a recovery key: in plain text, or an age file encrypted with a passphrase.
///
/// # Errors
/// When the text is not a recovery key, or the passphrase does not open it.
pub fn recovery_key(
    bytes: &[u8],
    passphrase: Option<Zeroizing<String>>,
) -> Result<RecoveryKey, DeviceError> {
    let text = match passphrase {
        Some(words) => open_with_passphrase(bytes, words)?,
        None => Zeroizing::new(String::from_utf8_lossy(bytes).into_owned()),
    };
    RecoveryKey::parse(&text).ok_or(DeviceError::NoRecoveryKey)
}

fn changed(settings: &Settings, own: &ThisDevice, op: Op) -> Result<Change, DeviceError> {
    own.check_admin()?;
    let made = own.roster.with(op, &own.signer(), (settings.now)());
    let (_, entry) = made.map_err(DeviceError::from)?;
    Ok(Change::of(entry))
}

fn device_named(own: &ThisDevice, name: &str) -> Result<DeviceId, DeviceError> {
    let by_id = || own.roster.members().find(|it| it.is_current() && it.device.id.as_str() == name);
    let found = own.roster.named(name).or_else(by_id);
    let found = found.map(|member| member.device.id.clone());
    found.ok_or_else(|| DeviceError::NoDevice(name.to_owned()))
}

/// Resolves names of devices and users to devices, each once; never this one unless it is named.
pub fn resolve_recipients(
    own: &ThisDevice,
    words: &[String],
) -> Result<Vec<DeviceId>, DeviceError> {
    let mut out = BTreeSet::new();
    for word in words {
        match device_named(own, word) {
            Ok(device) => out.extend([device]),
            Err(none) => {
                let theirs = own.roster.members().filter(|it| it.is_current());
                let theirs = theirs.filter(|it| it.device.user == *word && it.device.id != own.id);
                let theirs: Vec<_> = theirs.map(|it| it.device.id.clone()).collect();
                match theirs.is_empty() {
                    true if own.user == *word => return Err(DeviceError::Alone),
                    true => return Err(none),
                    false => {}
                }
                out.extend(theirs);
            }
        }
    }
    Ok(out.into_iter().collect())
}

/// Stores a change, if it still extends the known roster.
///
/// # Errors
/// `Roster` when the roster changed meanwhile: the change would fork it.
pub fn keep(settings: &Settings, change: &Change) -> Result<(), DeviceError> {
    extend(settings, std::slice::from_ref(&change.entry))
}

/// Stores a roster from another device, if it extends the known one.
pub fn take_in(settings: &Settings, roster: &Roster) -> Result<(), DeviceError> {
    extend(settings, roster.entries())
}

fn extend(settings: &Settings, entries: &[Entry]) -> Result<(), DeviceError> {
    let folder = Folder::open(&settings.data)?.ok_or(DeviceError::NotMade)?;
    let lock = folder.lock()?;
    let own = own::read(settings, &folder)?.ok_or(DeviceError::NotMade)?;
    let roster = own.roster.extended(entries.iter().cloned()).map_err(DeviceError::from)?;
    if roster == own.roster {
        return Ok(());
    }
    own::keep_roster(&folder, &lock, &roster)?;
    let open = own::invites(&folder, &roster, (settings.now)())?;
    own::keep_invites(&folder, &lock, open)
}
