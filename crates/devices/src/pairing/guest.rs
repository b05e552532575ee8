//! The device that has the code, and asks to be let in.

use super::{Heard, Meeting, Random, runtime};
use crate::error::{DevicesError, HubFault, PairingError};
use crate::hubs::secrets;
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_sync::hub::{Credentials, HubUrl, Mailbox, NatsKey, Put, Side, Slot};
use taffrail_sync::pairing::{Answer, Code, Done, Offer, Outcome, Request};
use taffrail_team::{Beginning, Guest, News, keys_or_new, pairing_guest};

/// This device at the place of a code, with the invite it found there.
#[derive(Debug)]
pub struct Knock {
    meeting: Meeting,
    until: Timestamp,
    /// The address of the hub.
    pub url: String,
    /// This device and the one that invites it.
    pub guest: Guest,
}

/// This device in the team.
#[derive(Debug)]
pub struct Arrival {
    /// The address of the hub.
    pub url: String,
    /// The device that let it in.
    pub host: String,
}

impl Knock {
    /// Reads the invite of a code. Writes nothing.
    ///
    /// # Errors
    /// No device waits for the code, the hub cannot be reached, or the invite is refused.
    pub fn open(
        settings: &Settings,
        code: &str,
        fresh: &Beginning<'_>,
    ) -> Result<Self, DevicesError> {
        let code = Code::parse(code).map_err(PairingError::from)?;
        let credentials = shown(settings, &code, fresh)?;
        let (runtime, place) = (runtime()?, code.secret.place());
        let mailbox = Mailbox::open(&code.url, (&place, Side::Guest), &credentials);
        let mailbox = runtime.block_on(mailbox).map_err(HubFault::from)?;
        let meeting = Meeting { mailbox, secret: code.secret, runtime };
        Self::begin(settings, meeting, &code.url, fresh)
    }

    pub(super) fn begin(
        settings: &Settings,
        meeting: Meeting,
        url: &HubUrl,
        fresh: &Beginning<'_>,
    ) -> Result<Self, DevicesError> {
        let Heard::Message(Offer { invite, until }) = meeting.read(Slot::Offer)? else {
            return Err(PairingError::Nobody.into());
        };
        let guest = pairing_guest(settings, &invite, fresh)?;
        Ok(Self { meeting, until, url: url.to_string(), guest })
    }

    /// Asks to be let in. The code is used from here on.
    ///
    /// # Errors
    /// Another device used the code, or the keys of this device cannot be written.
    pub fn ask(&self, settings: &Settings, random: Random<'_>) -> Result<(), DevicesError> {
        let request = self.request();
        match self.meeting.say(Slot::Request, &request, random)? {
            Put::New => Ok(self.guest.keep_keys(settings)?),
            Put::Already | Put::Conflict => Err(PairingError::Used.into()),
        }
    }

    fn request(&self) -> Request {
        Request { request: self.guest.request.clone() }
    }

    /// Waits for the answer, and enters the team.
    ///
    /// # Errors
    /// The other device refused or left, or its answer is not what it must be.
    pub fn enter(&self, settings: &Settings, random: Random<'_>) -> Result<Arrival, DevicesError> {
        let answer = self.answer(settings)?;
        if answer.request != self.request().digest() {
            return Err(PairingError::Used.into());
        }
        let entered = match answer.outcome {
            Outcome::In(entries) => self.entered(settings, News::Entries(entries)),
            Outcome::InAt(pin) => self.entered(settings, News::Head(pin)),
            Outcome::Refused(why) => Err(PairingError::Refused(why).into()),
        };
        // Best effort: the other device also ends without it.
        if let Err(error) = self.meeting.say(Slot::Done, &Done {}, random) {
            tracing::debug!(%error, "the other device is not told that its answer was read");
        }
        entered?;
        Ok(Arrival { url: self.url.clone(), host: self.guest.inviter.clone() })
    }

    fn entered(&self, settings: &Settings, news: News) -> Result<(), DevicesError> {
        self.guest.enter(settings, news).map_err(DevicesError::from)
    }

    fn answer(&self, settings: &Settings) -> Result<Answer, DevicesError> {
        loop {
            match self.meeting.read(Slot::Answer)? {
                Heard::Message(answer) => return Ok(answer),
                Heard::Nobody => return Err(PairingError::Left.into()),
                Heard::NotYet if (settings.now)() > self.until => {
                    return Err(PairingError::Expired.into());
                }
                Heard::NotYet => self.meeting.rest(),
            }
        }
    }
}

/// What this device shows the hub: the door of the code, or what it would show as a member.
fn shown(
    settings: &Settings,
    code: &Code,
    fresh: &Beginning<'_>,
) -> Result<Credentials, DevicesError> {
    let own = keys_or_new(settings, fresh)?;
    let shown = secrets(settings, &code.url, &own)?;
    let door = code.door.as_ref().and_then(taffrail_sync::roster::Door::seed);
    let door = door.filter(|_| settings.hub.credentials.is_none());
    Ok(match door {
        Some(seed) => Credentials { nats: Some(NatsKey::Seed(seed.to_string())), ..shown },
        None => shown,
    })
}
