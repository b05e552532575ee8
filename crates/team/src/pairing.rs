//! How a device joins with a code: the invite and the request of `join`, between two devices that
//! are both there. So the invite stays in memory, and a new device writes nothing before it is in.

use crate::change::Change;
use crate::error::DeviceError;
use crate::files::Folder;
use crate::join::{is_left, roster_after};
use crate::local_device::{self as own, Named, ThisDevice};
use crate::new_device::Beginning;
use taffrail_context::Settings;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_sync::Roster;
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::roster::{self, Device, Entry, Invite, JoinRequest, Offer, OpenInvite, Pin};

/// The longest roster that goes into the answer to a code.
const MOST_ENTRIES: usize = 256;

/// An invite for the device with the code.
#[derive(Debug)]
pub struct PairingInvite {
    /// The invite as one word; it is secret.
    pub text: String,
    open: OpenInvite,
}

/// What the inviting device answers to the device that it let in.
#[derive(Debug)]
pub enum News {
    /// All entries of the roster.
    Entries(Vec<Entry>),
    /// The last one, of a roster that is too long for a message: the hub has it.
    Head(Pin),
}

/// The roster for a device that was let in.
///
/// # Errors
/// When this device's files cannot be read.
pub fn pairing_news(settings: &Settings) -> Result<News, DeviceError> {
    let own = own::own(settings)?;
    let entries = own.roster.entries();
    Ok(match entries.len() <= MOST_ENTRIES {
        true => News::Entries(entries.to_vec()),
        false => News::Head(own.roster.pin()),
    })
}

/// Makes an invite that is valid until this instant and that no file keeps.
///
/// # Errors
/// When this device is not an admin.
pub fn pairing_invite(
    settings: &Settings,
    secret: [u8; 32],
    until: Timestamp,
) -> Result<PairingInvite, DeviceError> {
    let own = own::own(settings)?;
    own.check_admin()?;
    // The code names the hub.
    let offer = Offer { user: own.user.clone(), until, hub: None };
    let invite = Invite::new(&own.roster, &own.signer(), offer, secret);
    let invite = invite.map_err(DeviceError::from)?;
    let text = invite.to_text().map_err(DeviceError::from)?;
    Ok(PairingInvite { text, open: invite.open() })
}

/// A device with the code that asks to join.
#[derive(Debug)]
pub struct PairingRequest {
    /// Its name.
    pub name: String,
    /// Its user.
    pub user: String,
    /// Its fingerprint.
    pub words: String,
    /// The change that admits it; `None` if it is in the team already, with the same keys.
    pub change: Option<Change>,
}

/// Reads the request of the device with the code, and signs the entry that admits it.
///
/// # Errors
/// When the request does not answer this invite, or the team refuses the device.
pub fn pairing_request(
    settings: &Settings,
    invite: &PairingInvite,
    request: &str,
) -> Result<PairingRequest, DeviceError> {
    let own = own::own(settings)?;
    own.check_admin()?;
    let now = (settings.now)();
    let request = JoinRequest::parse(request).map_err(DeviceError::from)?;
    let answers = request.check(&invite.open, now);
    answers.map_err(DeviceError::from)?;
    let change = match is_in(&own.roster, request.device()) {
        true => None,
        false => {
            let made = roster::approve(&own.roster, (&request, &invite.open), &own.signer(), now);
            Some(Change::of(made.map_err(DeviceError::from)?.1))
        }
    };
    let device = request.device();
    let words = request.keys().fingerprint().to_string();
    Ok(PairingRequest { name: device.name.clone(), user: device.user.clone(), words, change })
}

/// Whether the very same device is in the team now: it did not hear the answer to an earlier code.
fn is_in(roster: &Roster, device: &Device) -> bool {
    roster.member(&device.id).is_some_and(|it| it.is_current() && it.device == *device)
}

/// This device while it asks to join with a code.
#[derive(Debug)]
pub struct Guest {
    id: DeviceId,
    name: String,
    secret: DeviceSecret,
    roster: Roster,
    /// The request as one word.
    pub request: String,
    /// The inviting device.
    pub inviter: String,
    /// The fingerprint of the inviting device.
    pub inviter_words: String,
    /// The fingerprint of this device.
    pub words: String,
    /// The user this device will belong to.
    pub user: String,
    /// This device leaves a team that has no other member.
    pub leaves_own_team: bool,
}

/// The keys of this device, or those that these bytes make. Writes nothing.
///
/// # Errors
/// When the existing keys cannot be read.
pub fn keys_or_new(
    settings: &Settings,
    fresh: &Beginning<'_>,
) -> Result<DeviceSecret, DeviceError> {
    let known = match Folder::open(&settings.data)? {
        Some(folder) => own::secret(&folder)?,
        None => None,
    };
    Ok(known.unwrap_or_else(|| DeviceSecret::from_random(&fresh.random)))
}

/// Answers the invite of a code. Writes nothing but the id of this device, if it has none.
///
/// # Errors
/// When the invite is refused, or this device is in a team that it cannot leave.
pub fn pairing_guest(
    settings: &Settings,
    invite: &str,
    fresh: &Beginning<'_>,
) -> Result<Guest, DeviceError> {
    let invite = Invite::parse(invite).map_err(DeviceError::from)?;
    let known = known(settings)?;
    let roster = roster_after(known.as_ref(), &invite)?;
    let leaves_own_team = known.as_ref().is_some_and(|own| is_left(own, &invite));
    let secret = keys_or_new(settings, fresh)?;
    let (id, name) = (own::id_of(settings)?, fresh.name.to_owned());
    let request = JoinRequest::answer(&invite, (&id, fresh.name), &secret, (settings.now)());
    let request = request.and_then(|it| it.to_text()).map_err(DeviceError::from)?;
    let inviter = invite.inviter();
    Ok(Guest {
        id,
        name,
        roster,
        request,
        inviter: inviter.name.clone(),
        inviter_words: inviter.keys.fingerprint().to_string(),
        words: secret.keys().fingerprint().to_string(),
        user: invite.user().to_owned(),
        leaves_own_team,
        secret,
    })
}

fn known(settings: &Settings) -> Result<Option<ThisDevice>, DeviceError> {
    match Folder::open(&settings.data)? {
        Some(folder) => own::read(settings, &folder),
        None => Ok(None),
    }
}

impl Guest {
    /// Keeps the keys of the request, so that the answer finds the device that asked.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_keys(&self, settings: &Settings) -> Result<(), DeviceError> {
        let folder = Folder::make(&settings.data)?;
        let _lock = folder.lock()?;
        match own::secret(&folder)? {
            Some(_) => Ok(()),
            None => own::keep_secret(&folder, &self.secret),
        }
    }

    /// Enters the team: keeps the name and the roster, as far as the inviting device answered with it.
    ///
    /// # Errors
    /// When the entries do not contain the one of the invite, or this device is not in the team by
    /// them.
    pub fn enter(&self, settings: &Settings, news: News) -> Result<(), DeviceError> {
        let roster = match news {
            News::Entries(entries) => self.among(self.roster.extended(entries)?)?,
            News::Head(pin) => self.roster.promised(pin)?,
        };
        let folder = Folder::make(&settings.data)?;
        let lock = folder.lock()?;
        let (name, user) = (self.name.clone(), self.user.clone());
        own::keep_named(&folder, &Named { name, user })?;
        own::keep_invites(&folder, &lock, Vec::new())?;
        own::keep_roster(&folder, &lock, &roster)
    }

    /// The roster, if this device is in it with its keys.
    fn among(&self, roster: Roster) -> Result<Roster, DeviceError> {
        let is_in = |it: &&roster::Member| it.is_current() && it.device.keys == self.secret.keys();
        roster.member(&self.id).filter(is_in).ok_or(DeviceError::Waiting)?;
        Ok(roster)
    }
}
