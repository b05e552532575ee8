//! The state of an exchange: a hub, a store, this device, and the team's roster.

use super::beats::Beat;
use super::checkpoint::{Histories, Progress};
use super::health::{Health, Stall, StallReason, State};
use super::keyring::Keyring;
use super::publish::ITEM_LIMIT;
use super::wanted::Attention;
use super::{CheckpointPace, ExchangeError, Inbox, Item, Keep, Outbox, Readers, Relocation};
use crate::hub::{Hub, KeyName};
use crate::keys::DeviceSecret;
use crate::roster::{Roster, Signer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use taffrail_model::exchange::{Incarnation, StorageResult, StreamOrigin, Writing};
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// Receives the items that an exchange reads.
pub trait ItemSink {
    /// Applies the items of one batch, the first under this number. The same numbers may come again
    /// after a crash; `(origin, number)` identifies an item.
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> StorageResult<()>;

    /// Applies the items of a checkpoint, each with its number. They come again with the history, and none
    /// of them may be left out then: a checkpoint may be lost.
    fn checkpoint(&mut self, _: &StreamOrigin, _: &[(u64, Item)]) -> StorageResult<()> {
        Ok(())
    }

    /// The roster changed: store it.
    fn roster_changed(&mut self, roster: &Roster) -> StorageResult<()>;

    /// The roster, if another program of this device changed it since the last call.
    fn roster_here(&mut self) -> StorageResult<Option<Roster>> {
        Ok(None)
    }

    /// A stream began a new incarnation: publish everything in it again.
    fn republish(&mut self, stream: &StreamName) -> StorageResult<()>;

    /// These batches of a stream were removed from the hub before this device read them.
    fn gone(&mut self, _origin: &StreamOrigin, _batches: (u64, u64)) -> StorageResult<()> {
        Ok(())
    }

    /// Another device sent a beat with its clock.
    fn lives(&mut self, _device: &DeviceId, _at: Timestamp) -> StorageResult<()> {
        Ok(())
    }

    /// The team leaves this hub: follow it. `None` if it does not, or no longer.
    fn hub_moved(&mut self, _to: Option<&Relocation>) -> StorageResult<()> {
        Ok(())
    }

    /// A key changed that the exchange does not handle itself, such as a claim to a decision.
    fn key_moved(&mut self, key: &KeyName) -> StorageResult<()>;
}

/// Where batches are stored durably.
#[derive(Debug, Clone)]
pub enum Durable<H> {
    /// In the log itself, as with a directory or a bucket.
    Log,
    /// In segments beside the log, on this hub.
    Segments(H),
    /// In segments on another hub. Earlier ones may be beside the log.
    Apart(H),
}

impl<H> Durable<H> {
    /// The hub of the segments.
    pub(super) fn hub(&self) -> Option<&H> {
        match self {
            Self::Log => None,
            Self::Segments(hub) | Self::Apart(hub) => Some(hub),
        }
    }

    /// The other hub, if there is one.
    pub(super) fn other(&self) -> Option<&H> {
        match self {
            Self::Log | Self::Segments(_) => None,
            Self::Apart(hub) => Some(hub),
        }
    }
}

/// This device.
#[derive(Debug, Clone)]
pub struct LocalDevice {
    /// Its id.
    pub device: DeviceId,
    /// Its secret.
    pub secret: Arc<DeviceSecret>,
}

impl LocalDevice {
    pub(super) fn signer(&self) -> Signer<'_> {
        Signer { device: &self.device, secret: &self.secret }
    }
}

type Fill = dyn FnMut(&mut [u8]) + Send;

/// A source of random bytes.
pub struct Random(Box<Fill>);

impl Random {
    /// From a function that fills a slice with random bytes.
    pub fn new(fill: impl FnMut(&mut [u8]) + Send + 'static) -> Self {
        Self(Box::new(fill))
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        (self.0)(&mut out);
        out
    }

    pub(super) fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

/// The parts of an exchange.
#[derive(Debug)]
pub struct Parts<H, S, A> {
    /// The hub.
    pub hub: H,
    /// Where batches are stored durably.
    pub durable: Durable<H>,
    /// The outbox and inbox.
    pub store: S,
    /// The receiver of the items that are read.
    pub applied: A,
    /// This device.
    pub us: LocalDevice,
    /// The roster, as far as this device knows it.
    pub roster: Roster,
    /// The source of random bytes.
    pub random: Random,
}

/// Exchanges items between this device and the others of its team.
#[derive(Debug)]
pub struct Exchange<H, S, A> {
    pub(super) hub: H,
    pub(super) durable: Durable<H>,
    pub(super) store: S,
    pub(super) applied: A,
    pub(super) us: LocalDevice,
    pub(super) roster: Roster,
    pub(super) random: Random,
    pub(super) keys: Keyring,
    pub(super) health: Health,
    /// Streams whose beginning seemed to be gone at the last check.
    pub(super) suspects: BTreeMap<StreamName, u64>,
    /// A batch has an epoch that is not known here.
    pub(super) needs_roster: bool,
    /// The results of the last scans.
    pub(super) attention: Attention,
    /// The next checkpoint of this device's own stream.
    pub(super) progress: Option<Progress>,
    /// How often it is made.
    pub(super) checkpoint_pace: CheckpointPace,
    /// The gaps behind checkpoints that were used.
    pub(super) histories: Histories,
    /// What the hub keeps of the team, as far as this device decides it.
    pub(super) keep: Keep,
    /// Until when the place of segments is left alone.
    pub(super) durable_pause: Option<Timestamp>,
    /// The last sign of life of each device.
    pub(super) beats: BTreeMap<DeviceId, Beat>,
    /// The random id of this run of the program, made for the first beat.
    pub(super) run: Option<u64>,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Builds an exchange.
    #[must_use]
    pub fn new(parts: Parts<H, S, A>) -> Self {
        let Parts { hub, durable, store, applied, us, roster, random } = parts;
        Self {
            hub,
            durable,
            store,
            applied,
            us,
            roster,
            random,
            keys: Keyring::default(),
            health: Health::default(),
            suspects: BTreeMap::new(),
            needs_roster: false,
            attention: Attention::default(),
            progress: None,
            checkpoint_pace: CheckpointPace::default(),
            histories: None,
            keep: Keep::default(),
            durable_pause: None,
            beats: BTreeMap::new(),
            run: None,
        }
    }

    /// With a limit of what the hub keeps. It counts if this device is an admin of the team.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    /// With checkpoints at another pace.
    #[must_use]
    pub fn with_checkpoints(self, checkpoint_pace: CheckpointPace) -> Self {
        Self { checkpoint_pace, ..self }
    }

    /// Opens a stream for readers, or changes its readers from now on.
    ///
    /// # Errors
    /// The store fails.
    pub fn open(&mut self, stream: &StreamName, readers: &Readers) -> Result<(), ExchangeError> {
        let incarnation = Incarnation { count: 1, random: self.random.number() };
        let new = Writing::new(stream.clone(), incarnation, readers.to_text());
        Ok(self.store.open_stream(&new)?)
    }

    /// Adds items to the outbox, all of them or none. Returns the number of the last.
    ///
    /// # Errors
    /// An item is too large, or the store fails.
    pub fn push(
        &mut self,
        stream: &StreamName,
        items: &[Item],
        at: Timestamp,
    ) -> Result<u64, ExchangeError> {
        let bytes: Vec<_> = items.iter().map(Item::to_bytes).collect();
        match bytes.iter().map(Vec::len).find(|size| *size > ITEM_LIMIT) {
            Some(size) => Err(ExchangeError::ItemTooLarge { size, limit: ITEM_LIMIT }),
            None => Ok(self.store.push(stream, &bytes, at)?),
        }
    }

    /// The health of the exchange.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// The roster, as far as this device knows it.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The store.
    pub fn store(&mut self) -> &mut S {
        &mut self.store
    }

    /// The receiver of the items that are read.
    pub fn applied(&mut self) -> &mut A {
        &mut self.applied
    }

    /// Splits the exchange into its parts.
    #[must_use]
    pub fn into_parts(self) -> Parts<H, S, A> {
        let Self { hub, durable, store, applied, us, roster, random, .. } = self;
        Parts { hub, durable, store, applied, us, roster, random }
    }

    pub(super) fn origin_of(&self, writing: &Writing) -> StreamOrigin {
        StreamOrigin {
            device: self.us.device.clone(),
            stream: writing.stream.clone(),
            incarnation: writing.incarnation,
        }
    }

    /// Notes a stalled reader. The same stall is counted once.
    pub(super) fn stall(&mut self, origin: &StreamOrigin, seq: u64, why: StallReason) {
        let is_refused = matches!(why, StallReason::Refused(_));
        let now = Stall { seq, why };
        let before = self.health.standing.insert(origin.clone(), now.clone());
        if before.as_ref() == Some(&now) {
            return;
        }
        let (device, why) = (origin.device.as_str(), &now.why);
        tracing::warn!(device, seq, %why, "a stream of another device cannot be read on");
        if is_refused {
            self.health.refused += 1;
        }
    }

    pub(super) fn note_outcome(&mut self, error: Option<&ExchangeError>, now: Timestamp) {
        self.health.error = error.map(ToString::to_string);
        self.health.state = match error {
            None => State::UpToDate,
            Some(error) if error.is_unreachable() => State::Unreachable,
            Some(_) => State::Failing,
        };
        if error.is_none() {
            self.health.last_sync = Some(now);
        }
    }
}
