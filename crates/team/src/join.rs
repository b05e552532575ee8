//! How a device comes into the team: an invite, a request back, and an entry in the roster.

use crate::change::Change;
use crate::error::DeviceError;
use crate::files::Folder;
use crate::local_device::{self as own, Named, ThisDevice};
use crate::new_device::Beginning;
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_sync::Roster;
use taffrail_sync::roster::{self, Invite, JoinFault, JoinRequest, Offer};

/// How long an invite is good for: three days.
const INVITE_SECONDS: i64 = 3 * 24 * 3_600;

/// What came of joining a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The word to be carried back; it is not secret.
    pub request: String,
    /// Who invites.
    pub inviter: String,
    /// The six words of who invites.
    pub inviter_words: String,
    /// The six words of this device.
    pub words: String,
    /// Whose device this will be.
    pub user: String,
    /// A team of this device alone was given up for it.
    pub left_own_team: bool,
}

/// A device that asks to come in, and the entry that lets it.
#[derive(Debug)]
pub struct Asking {
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Its six words.
    pub words: String,
    /// What lets it in, once it is kept.
    pub change: Change,
}

/// One word that lets one device of a user ask to come in. It is secret.
///
/// # Errors
/// When this device is not an admin, or a file fails.
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
    let offer = Offer { user: user.unwrap_or(&own.user).to_owned(), until: ends(now) };
    let invite = Invite::new(&own.roster, &own.id, offer, secret).map_err(DeviceError::from)?;
    let text = invite.to_text().map_err(DeviceError::from)?;
    let mut open = own::invites(&folder, &own.roster, now)?;
    open.push(invite.open());
    own::keep_invites(&folder, &lock, open)?;
    Ok(text)
}

fn ends(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second().saturating_add(INVITE_SECONDS)).unwrap_or(now)
}

/// Answers an invite: pins the roster in it, and gives the word to be carried back.
///
/// # Errors
/// When the invite is refused, or this device is in a team it cannot leave.
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
    let inviter = invite.inviter().ok_or(DeviceError::Join(JoinFault::NotAnAdmin))?;
    let joined = Joined {
        request: request.to_text().map_err(DeviceError::from)?,
        inviter: inviter.name.clone(),
        inviter_words: inviter.keys.fingerprint().to_string(),
        words: secret.keys().fingerprint().to_string(),
        user: invite.user().to_owned(),
        left_own_team,
    };
    own::keep_named(&folder, &Named { name, user: joined.user.clone() })?;
    if joined.left_own_team {
        own::keep_invites(&folder, &lock, Vec::new())?;
    }
    own::keep_roster(&folder, &lock, &roster)?;
    Ok(joined)
}

/// The roster a device that answers this invite knows from then on, or why it must not answer.
fn roster_after(known: Option<&ThisDevice>, invite: &Invite) -> Result<Roster, DeviceError> {
    let Some(own) = known else { return Ok(invite.roster().clone()) };
    let is_same = own.roster.team() == invite.roster().team();
    match (own.member(), is_same) {
        (None, true) => Ok(own.roster.extended(invite.roster().entries().iter().cloned())?),
        (None, false) => Ok(invite.roster().clone()),
        (Some(member), true) if member.is_current() => Err(DeviceError::InThere),
        (Some(_), true) => Err(DeviceError::Removed),
        (Some(member), false) if member.is_current() && own.has_others() => {
            Err(DeviceError::OthersThere)
        }
        (Some(_), false) => Ok(invite.roster().clone()),
    }
}

fn is_left(own: &ThisDevice, invite: &Invite) -> bool {
    own.roster.team() != invite.roster().team() && own.check_current().is_ok()
}

/// Reads a request and signs the entry that lets its device in.
///
/// # Errors
/// When it answers no open invite of this device, or is refused.
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

/// A request that a device of the same user vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    /// What the new device is called.
    pub name: String,
    /// Its six words.
    pub words: String,
    /// The word for an admin.
    pub request: String,
}

/// Signs for a device that asks to come in as one of this device's user.
///
/// # Errors
/// When it asks for somebody else, for another team, or is forged.
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
