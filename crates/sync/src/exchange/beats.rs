//! Heartbeats: a device with live sessions sends them at intervals, and the hub does not store
//! them.
//!
//! A beat is signed and contains the sender's clock and a random id of the program's run. It shows
//! others that the device is online, how far its clock differs from theirs, and whether it runs
//! twice.

use super::engine::{Exchange, ItemSink};
use super::{ExchangeError, Inbox, Outbox};
use crate::bytes::Signature;
use crate::hub::{Hub, HubError};
use crate::roster::{Roster, Signer};
use crate::signing::{Purpose, decode, encode, sign, verify};
use std::time::Duration;
use taffrail_model::{DeviceId, Timestamp};

/// How often a device sends a beat.
pub const BEAT: Duration = Duration::from_mins(1);

/// One heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beat {
    /// The clock of the device, in milliseconds.
    at: i64,
    /// Random, made when the program started.
    run: u64,
}

impl Beat {
    fn fields(self, roster: &Roster, device: &DeviceId) -> Vec<u8> {
        let (at, run) = (self.at.to_le_bytes(), self.run.to_le_bytes());
        let device = device.as_str().as_bytes();
        encode(Purpose::Beat, &[roster.team().as_bytes(), device, &at, &run])
    }

    fn signed(self, roster: &Roster, by: &Signer<'_>) -> Vec<u8> {
        let fields = self.fields(roster, by.device);
        let signature = sign(by.secret.signing(), Purpose::Beat, &[&fields]);
        let (at, run) = (self.at.to_le_bytes(), self.run.to_le_bytes());
        encode(Purpose::Beat, &[&at, &run, signature.as_bytes()])
    }

    /// Opens a beat of a device in the team; `None` if it is invalid.
    fn opened(bytes: &[u8], roster: &Roster, device: &DeviceId) -> Option<Self> {
        let [at, run, signature] = decode(Purpose::Beat, bytes)?;
        let beat = Self {
            at: i64::from_le_bytes(at.try_into().ok()?),
            run: u64::from_le_bytes(run.try_into().ok()?),
        };
        let member = roster.member(device).filter(|it| it.is_current())?;
        let signature = Signature::from_bytes(signature.try_into().ok()?);
        let fields = beat.fields(roster, device);
        let holds = verify(member.device.keys.signing(), Purpose::Beat, &[&fields], &signature);
        holds.ok().map(|()| beat)
    }
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Sends a heartbeat. If the hub does not pass heartbeats, it is noted, and they must go
    /// through a stream.
    ///
    /// # Errors
    /// Returns an error of the hub.
    pub async fn beat(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        let run = self.run();
        let beat = Beat { at: now.as_millisecond(), run };
        let bytes = beat.signed(&self.roster, &self.us.signer());
        match self.hub.beat(&self.us.device, bytes.into()).await {
            Ok(()) => self.health.mute = false,
            Err(HubError::Refused(_)) => self.health.mute = true,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Receives a beat. A beat older than the last one is an echo.
    pub(super) fn receive_beat(
        &mut self,
        device: &DeviceId,
        bytes: &[u8],
        now: Timestamp,
    ) -> Result<(), ExchangeError> {
        let Some(beat) = Beat::opened(bytes, &self.roster, device) else { return Ok(()) };
        if *device == self.us.device {
            if beat.run != self.run() && self.health.last_sync.is_some() {
                self.health.twice = Some(now);
            }
            return Ok(());
        }
        if self.beats.get(device).is_some_and(|it| it.run == beat.run && it.at >= beat.at) {
            return Ok(());
        }
        self.beats.insert(device.clone(), beat);
        // A beat with an impossible time is ignored.
        let Ok(at) = Timestamp::from_millisecond(beat.at) else { return Ok(()) };
        Ok(self.applied.lives(device, at)?)
    }

    fn run(&mut self) -> u64 {
        let drawn = self.random.number();
        *self.run.get_or_insert(drawn)
    }
}
