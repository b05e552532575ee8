//! The device that makes the code, and lets the other one in.

use super::{GOOD_SECONDS, GOODBYE, Heard, Meeting, Random, runtime};
use crate::error::{DevicesError, HubFault, PairingError};
use crate::exchange::keep_change;
use crate::hubs::{address, secrets};
use std::time::Instant;
use taffrail_context::Settings;
use taffrail_model::Timestamp;
use taffrail_sync::hub::{Mailbox, Put, Side, Slot};
use taffrail_sync::pairing::{Answer, Code, Done, Offer, Outcome, PairingSecret, Request};
use taffrail_sync::roster::Door;
use taffrail_team::{
    News, PairingInvite, PairingRequest, own, pairing_invite, pairing_news, pairing_request,
};
use zeroize::Zeroizing;

/// This device while it waits for the device with the code.
#[derive(Debug)]
pub struct Host {
    meeting: Meeting,
    invite: PairingInvite,
    code: Code,
    /// When the code expires.
    pub until: Timestamp,
    /// The six words of this device.
    pub words: String,
}

/// The device with the code.
#[derive(Debug)]
pub struct Visitor {
    pub(super) request: Request,
    /// Its name, its words, and the change that admits it.
    pub asks: PairingRequest,
}

impl Host {
    /// Opens the place of a new code at the hub in use, and leaves an invite there.
    ///
    /// # Errors
    /// When this device is not an admin, or the hub does not answer or refuses.
    pub fn open(settings: &Settings, random: Random<'_>) -> Result<Self, DevicesError> {
        let own = own(settings)?;
        let url = address(settings)?;
        let secret = PairingSecret::from_random(&random()?);
        let credentials = secrets(settings, &url, &own.secret)?;
        let runtime = runtime()?;
        let place = secret.place();
        let mailbox = Mailbox::open(&url, (&place, Side::Host), &credentials);
        let mailbox = runtime.block_on(mailbox).map_err(HubFault::from)?;
        // A server that knows its devices lets the new one in by a door, unless all share a secret.
        let is_guarded = mailbox.is_guarded() && settings.hub.credentials.is_none();
        let door = is_guarded.then(|| Door::of(&own.roster));
        let code = Code { url, secret: secret.clone(), door };
        let words = own.secret.keys().fingerprint().to_string();
        Self::begin(settings, Meeting { mailbox, secret, runtime }, (code, words), random)
    }

    pub(super) fn begin(
        settings: &Settings,
        meeting: Meeting,
        (code, words): (Code, String),
        random: Random<'_>,
    ) -> Result<Self, DevicesError> {
        let now = (settings.now)();
        let until = now.as_second().saturating_add(GOOD_SECONDS);
        let until = Timestamp::from_second(until).unwrap_or(now);
        let invite = pairing_invite(settings, random()?, until)?;
        let offer = Offer { invite: invite.text.clone(), until };
        meeting.say(Slot::Offer, &offer, random)?;
        // Best effort: what broke off long ago does no harm.
        if let Err(error) = meeting.runtime.block_on(meeting.mailbox.sweep()) {
            tracing::debug!(%error, "the messages of older codes stay at the hub for now");
        }
        Ok(Self { meeting, invite, code, until, words })
    }

    /// The code for the other device.
    #[must_use]
    pub fn code(&self) -> Zeroizing<String> {
        self.code.to_text()
    }

    /// Whether the server lets only devices in that its configuration names, so that it has to be
    /// written again for the new one.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.code.door.is_some()
    }

    /// Waits for the device with the code, until the code expires.
    ///
    /// # Errors
    /// `Expired`, or what stands at the hub is not a request of this code. The code counts no more.
    pub fn wait(&self, settings: &Settings) -> Result<Visitor, DevicesError> {
        let came = self.came(settings);
        if came.is_err() {
            self.meeting.clear();
        }
        came
    }

    fn came(&self, settings: &Settings) -> Result<Visitor, DevicesError> {
        loop {
            match self.meeting.read::<Request>(Slot::Request)? {
                Heard::Message(request) => return self.visitor(settings, request),
                // The hub lost the offer, so nobody can use the code.
                Heard::Nobody => return Err(PairingError::Left.into()),
                Heard::NotYet if (settings.now)() > self.until => {
                    return Err(PairingError::Expired.into());
                }
                Heard::NotYet => self.meeting.rest(),
            }
        }
    }

    fn visitor(&self, settings: &Settings, request: Request) -> Result<Visitor, DevicesError> {
        match pairing_request(settings, &self.invite, &request.request) {
            Ok(asks) => Ok(Visitor { request, asks }),
            Err(error) => {
                let why = error.to_string();
                // The first error is more specific.
                self.answer(&request, Outcome::Refused(why), &|| Ok([0; 32])).ok();
                Err(error.into())
            }
        }
    }

    /// Lets the device in: publishes the change, and answers with the roster.
    ///
    /// # Errors
    /// When the hub does not take the change; nothing is changed then.
    pub fn admit(
        &self,
        settings: &Settings,
        visitor: &Visitor,
        random: Random<'_>,
    ) -> Result<(), DevicesError> {
        let kept = match &visitor.asks.change {
            Some(change) => keep_change(settings, change).map(drop),
            None => Ok(()),
        };
        if let Err(error) = kept {
            let why = error.to_string();
            // The first error is more specific.
            self.answer(&visitor.request, Outcome::Refused(why), random).ok();
            self.meeting.clear();
            return Err(error);
        }
        let outcome = match pairing_news(settings)? {
            News::Entries(entries) => Outcome::In(entries),
            News::Head(pin) => Outcome::InAt(pin),
        };
        self.answer(&visitor.request, outcome, random)?;
        self.goodbye();
        Ok(())
    }

    /// Refuses the device.
    ///
    /// # Errors
    /// When the hub cannot be reached; the device is not in the team all the same.
    pub fn refuse(
        &self,
        visitor: &Visitor,
        why: &str,
        random: Random<'_>,
    ) -> Result<(), DevicesError> {
        self.answer(&visitor.request, Outcome::Refused(why.to_owned()), random)?;
        self.goodbye();
        Ok(())
    }

    pub(super) fn answer(
        &self,
        request: &Request,
        outcome: Outcome,
        random: Random<'_>,
    ) -> Result<(), DevicesError> {
        let answer = Answer { request: request.digest(), outcome };
        match self.meeting.say(Slot::Answer, &answer, random)? {
            Put::New | Put::Already => Ok(()),
            Put::Conflict => Err(PairingError::Used.into()),
        }
    }

    /// Waits until the other device has read the answer, and clears the place.
    fn goodbye(&self) {
        let end = Instant::now() + GOODBYE;
        while Instant::now() < end {
            // Whatever is wrong now, the answer was given.
            match self.meeting.read::<Done>(Slot::Done) {
                Ok(Heard::NotYet) => self.meeting.rest(),
                Ok(Heard::Message(_) | Heard::Nobody) | Err(_) => break,
            }
        }
        self.meeting.clear();
    }
}
