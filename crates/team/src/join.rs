//! How a device joins the team: an invite, a request in return, and an entry in the roster.

use crate::change::Change;
use crate::error::DeviceError;
use crate::files::Folder;
use crate::local_device::{self as own, Named, ThisDevice};
use crate::new_device::Beginning;
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_sync::Roster;
use taffrail_sync::roster::{self, Fault, Invite, JoinRequest, Offer};

/// How long an invite is valid: three days.
const INVITE_SECONDS: i64 = 3 * 24 * 3_600;

/// The result of joining a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The request to take back to the inviter; it is not secret.
    pub request: String,
    /// The inviting device.
    pub inviter: String,
    /// The fingerprint of the inviting device.
    pub inviter_words: String,
    /// The fingerprint of this device.
    pub words: String,
    /// The user this device will belong to.
    pub user: String,
    /// This device left a team that had no other member.
    pub left_own_team: bool,
    /// The address of the team's hub, as the inviting device uses it.
    pub hub: Option<String>,
}

/// A device that asks to join, and the entry that admits it.
#[derive(Debug)]
pub struct Asking {
    /// Its name.
    pub name: String,
    /// Its user.
    pub user: String,
    /// Its fingerprint.
    pub words: String,
    /// The change that admits it once it is stored.
    pub change: Change,
}

/// A token that lets one device of a user ask to join. It is secret.
///
/// # Errors
/// When this device is not an admin, or a file operation fails.
pub fn invite(
    settings: &Settings,
    user: Option<&str>,
    secret: [u8; 32],
) -> Result<String, DeviceError> {
    let folder = Folder::open(&settings.data)?.ok_or(DeviceError::NotMade)?;
    let lock = folder.lock()?;
    let own = own::read(settings, &folder)?.ok_or(DeviceError::NotMade)?;
    own.check_admin()?;
    let now = (settings.now)();
    let (user, hub) = (user.unwrap_or(&own.user).to_owned(), settings.hub.url.clone());
    let offer = Offer { user, until: ends(now), hub };
    let invite = Invite::new(&own.roster, &own.signer(), offer, secret);
    let invite = invite.map_err(DeviceError::from)?;
    let text = invite.to_text().map_err(DeviceError::from)?;
    let mut open = own::invites(&folder, &own.roster, now)?;
    open.push(invite.open());
    own::keep_invites(&folder, &lock, open)?;
    Ok(text)
}

fn ends(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second().saturating_add(INVITE_SECONDS)).unwrap_or(now)
}

/// Answers an invite: pins the entry that it names, and returns the request to take back.
///
/// # Errors
/// When the invite is refused, or this device is in a team that it cannot leave.
pub fn join(
    settings: &Settings,
    invite: &str,
    fresh: Option<&Beginning<'_>>,
) -> Result<Joined, DeviceError> {
    let invite = Invite::parse(invite).map_err(DeviceError::from)?;
    let folder = Folder::make(&settings.data)?;
    let lock = folder.lock()?;
    let known = own::read(settings, &folder)?;
    let roster = roster_after(known.as_ref(), &invite)?;
    let left_own_team = known.as_ref().is_some_and(|own| is_left(own, &invite));
    let (name, secret) = match (known, fresh) {
        (Some(own), wish) => (wish.map_or(own.name, |it| it.name.to_owned()), own.secret),
        (None, Some(wish)) => (wish.name.to_owned(), own::secret_or_new(&folder, &wish.random)?),
        (None, None) => return Err(DeviceError::NotMade),
    };
    let id = own::id_of(settings)?;
    let request = JoinRequest::answer(&invite, (&id, name.as_str()), &secret, (settings.now)());
    let request = request.map_err(DeviceError::from)?;
    let inviter = invite.inviter();
    let joined = Joined {
        request: request.to_text().map_err(DeviceError::from)?,
        inviter: inviter.name.clone(),
        inviter_words: inviter.keys.fingerprint().to_string(),
        words: secret.keys().fingerprint().to_string(),
        user: invite.user().to_owned(),
        left_own_team,
        hub: invite.hub().map(ToOwned::to_owned),
    };
    own::keep_named(&folder, &Named { name, user: joined.user.clone() })?;
    if joined.left_own_team {
        own::keep_invites(&folder, &lock, Vec::new())?;
    }
    own::keep_roster(&folder, &lock, &roster)?;
    Ok(joined)
}

/// The roster that a device knows after it answers this invite, or why it must not answer.
pub(crate) fn roster_after(
    known: Option<&ThisDevice>,
    invite: &Invite,
) -> Result<Roster, DeviceError> {
    let Some(own) = known else { return Ok(invite.roster().clone()) };
    let is_same = own.roster.team() == invite.roster().team();
    match (own.member(), is_same) {
        (None, true) => Ok(told_again(&own.roster, invite)?),
        (None, false) => Ok(invite.roster().clone()),
        (Some(member), true) if member.is_current() => Err(DeviceError::InThere),
        (Some(_), true) => Err(DeviceError::Removed),
        (Some(member), false) if member.is_current() && own.has_others() => {
            Err(DeviceError::OthersThere)
        }
        (Some(_), false) => Ok(invite.roster().clone()),
    }
}

/// The roster that a device waits for, with what another invite of the team tells.
fn told_again(known: &Roster, invite: &Invite) -> Result<Roster, Fault> {
    let told = invite.roster();
    match told.awaited_from() {
        None => known.extended(told.entries().iter().cloned()),
        inviter => known.awaiting(told.pin(), inviter.cloned()),
    }
}

/// Whether the device leaves a team of its own for another.
pub(crate) fn is_left(own: &ThisDevice, invite: &Invite) -> bool {
    own.roster.team() != invite.roster().team() && own.check_current().is_ok()
}

/// Reads a request and signs the entry that admits its device.
///
/// # Errors
/// When the request answers no open invite of this device, or is refused.
pub fn approve(settings: &Settings, request: &str) -> Result<Asking, DeviceError> {
    let folder = Folder::open(&settings.data)?.ok_or(DeviceError::NotMade)?;
    let own = own::read(settings, &folder)?.ok_or(DeviceError::NotMade)?;
    own.check_admin()?;
    let now = (settings.now)();
    let request = JoinRequest::parse(request).map_err(DeviceError::from)?;
    let open = own::invites(&folder, &own.roster, now)?;
    let open = open.into_iter().find(|it| it.id() == request.invite());
    let open = open.ok_or(DeviceError::NoInvite)?;
    let approved = roster::approve(&own.roster, (&request, &open), &own.signer(), now);
    let (_, entry) = approved.map_err(DeviceError::from)?;
    let device = request.device();
    Ok(Asking {
        name: device.name.clone(),
        user: device.user.clone(),
        words: request.keys().fingerprint().to_string(),
        change: Change::of(entry),
    })
}

/// A request that another device of the same user vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    /// The name of the new device.
    pub name: String,
    /// Its fingerprint.
    pub words: String,
    /// The request for an admin.
    pub request: String,
}

/// Vouches for a device that asks to join as one of this device's user.
///
/// # Errors
/// When the request is for another user or another team, or is forged.
pub fn vouch(settings: &Settings, request: &str) -> Result<Vouched, DeviceError> {
    let own = own::own(settings)?;
    own.check_current()?;
    let request = JoinRequest::parse(request).map_err(DeviceError::from)?;
    let vouched = request.vouched(&own.roster, &own.signer()).map_err(DeviceError::from)?;
    Ok(Vouched {
        name: vouched.device().name.clone(),
        words: vouched.keys().fingerprint().to_string(),
        request: vouched.to_text().map_err(DeviceError::from)?,
    })
}
