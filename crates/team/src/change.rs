//! Founding a team and changing it.

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

/// A change of the team that is signed and not kept yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    entry: Entry,
}

impl Change {
    pub(crate) fn of(entry: Entry) -> Self {
        Self { entry }
    }

    /// What a hub appends before the change is kept.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// Makes this device's keys and founds a team of it alone.
///
/// # Errors
/// `Made` when it was done before; when the name cannot be used or a file fails.
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

/// Takes a device out of the team; what is sealed from then on is closed to it.
///
/// # Errors
/// When there is none of this name, this device is no admin, or it is the last one.
pub fn remove(settings: &Settings, name: &str) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    let device = device_named(&own, name)?;
    changed(settings, &own, Op::Remove { device })
}

/// Lets a device change the team, too.
///
/// # Errors
/// When there is none of this name, or this device is no admin.
pub fn name_admin(settings: &Settings, name: &str) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    let device = device_named(&own, name)?;
    changed(settings, &own, Op::Admin { device })
}

/// Begins an epoch: new keys are drawn for what is sealed from then on.
///
/// # Errors
/// When this device is not an admin.
pub fn rotate(settings: &Settings) -> Result<Change, DeviceError> {
    let own = own::own(settings)?;
    changed(settings, &own, Op::Rotate)
}

/// A recovery identity that is named and not kept yet.
#[derive(Debug)]
pub struct Recovered {
    /// The entry that names it.
    pub change: Change,
    /// Whose it is.
    pub user: String,
    /// Its public half.
    pub recipient: String,
    /// The key in the clear, or an age file behind a passphrase. Nobody keeps it but the user.
    pub key: Zeroizing<Vec<u8>>,
}

/// Names a recovery identity for this device's user, made of these bytes.
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
    // Whatever the roster is by the time this is kept, it goes on from the one that is known.
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

/// Reads a recovery key as it was kept: in the clear, or an age file behind a passphrase.
///
/// # Errors
/// When it is none, or the passphrase does not open it.
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

/// The devices that are meant by names and users, each once; never this one unless it is named.
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

/// Keeps a change, if it still follows from what is known here.
///
/// # Errors
/// `Roster` when the roster moved on meanwhile: the change would fork it.
pub fn keep(settings: &Settings, change: &Change) -> Result<(), DeviceError> {
    extend(settings, std::slice::from_ref(&change.entry))
}

/// Keeps what others carried here, where it follows from what is known here.
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
