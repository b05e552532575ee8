//! What carrying needs, held together: a hub, memory, who we are, and who is in the team.

use super::health::{Health, Standstill, State, Why};
use super::keyring::Keyring;
use super::publish::ITEM_LIMIT;
use super::{ExchangeError, Inbox, Item, Outbox, Readers};
use crate::hub::{Hub, KeyName};
use crate::keys::DeviceSecret;
use crate::roster::{Roster, Signer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use taffrail_model::exchange::{Incarnation, Kept, StreamOrigin, Writing};
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// Where what is read goes.
pub trait Applied {
    /// Takes the items of one batch, the first under this number. The same numbers may come
    /// again after a crash; `(origin, number)` tells.
    fn apply(&mut self, origin: &StreamOrigin, first: u64, items: &[Item]) -> Kept<()>;

    /// The team is another: keep it.
    fn roster_changed(&mut self, roster: &Roster) -> Kept<()>;

    /// The team, where another program of this device changed it since this was last asked.
    fn roster_here(&mut self) -> Kept<Option<Roster>> {
        Ok(None)
    }

    /// A stream began another life: tell everything in it anew.
    fn tell_anew(&mut self, stream: &StreamName) -> Kept<()>;

    /// A key that is no matter of carrying moved, such as a claim to a decision.
    fn key_moved(&mut self, key: &KeyName) -> Kept<()>;
}

/// Where batches outlive the hub they are published on.
#[derive(Debug, Clone)]
pub enum Durable<H> {
    /// In the log itself, as with a directory or a bucket.
    Log,
    /// In segments on this hub.
    Segments(H),
}

/// This device.
#[derive(Debug, Clone)]
pub struct Us {
    /// Its id.
    pub device: DeviceId,
    /// Its secret.
    pub secret: Arc<DeviceSecret>,
}

impl Us {
    pub(super) fn signer(&self) -> Signer<'_> {
        Signer { device: &self.device, secret: &self.secret }
    }
}

type Fill = dyn FnMut(&mut [u8]) + Send;

/// Where random bytes come from.
pub struct Draw(Box<Fill>);

impl Draw {
    /// Of a function that fills a slice.
    pub fn new(fill: impl FnMut(&mut [u8]) + Send + 'static) -> Self {
        Self(Box::new(fill))
    }

    /// Some bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        (self.0)(&mut out);
        out
    }

    pub(super) fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }
}

impl fmt::Debug for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Draw")
    }
}

/// Everything an exchange is made of.
#[derive(Debug)]
pub struct Parts<H, S, A> {
    /// The hub.
    pub hub: H,
    /// Where batches outlive it.
    pub durable: Durable<H>,
    /// Our memory.
    pub store: S,
    /// Where what is read goes.
    pub applied: A,
    /// Who we are.
    pub us: Us,
    /// Who is in the team, as far as we know.
    pub roster: Roster,
    /// Where random bytes come from.
    pub draw: Draw,
}

/// Carries between this device and the others of its team.
#[derive(Debug)]
pub struct Exchange<H, S, A> {
    pub(super) hub: H,
    pub(super) durable: Durable<H>,
    pub(super) store: S,
    pub(super) applied: A,
    pub(super) us: Us,
    pub(super) roster: Roster,
    pub(super) draw: Draw,
    pub(super) keys: Keyring,
    pub(super) health: Health,
    /// Streams whose beginning seemed to be gone when last looked at.
    pub(super) suspects: BTreeMap<StreamName, u64>,
    /// A batch is of an epoch that is not known here.
    pub(super) needs_roster: bool,
}

impl<H: Hub, S: Outbox + Inbox, A: Applied> Exchange<H, S, A> {
    /// Puts an exchange together.
    #[must_use]
    pub fn new(parts: Parts<H, S, A>) -> Self {
        let Parts { hub, durable, store, applied, us, roster, draw } = parts;
        Self {
            hub,
            durable,
            store,
            applied,
            us,
            roster,
            draw,
            keys: Keyring::default(),
            health: Health::default(),
            suspects: BTreeMap::new(),
            needs_roster: false,
        }
    }

    /// Opens a stream for readers, or gives it to others from now on.
    ///
    /// # Errors
    /// When memory fails.
    pub fn open(&mut self, stream: &StreamName, readers: &Readers) -> Result<(), ExchangeError> {
        let incarnation = Incarnation { count: 1, random: self.draw.number() };
        let new = Writing::new(stream.clone(), incarnation, readers.to_text());
        Ok(self.store.open_stream(&new)?)
    }

    /// Gives items to be carried, all of them or none. The number of the last is answered.
    ///
    /// # Errors
    /// When one is too large, or memory fails.
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

    /// How well this device keeps up.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Who is in the team, as far as we know.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Our memory.
    pub fn store(&mut self) -> &mut S {
        &mut self.store
    }

    /// Where what is read goes.
    pub fn applied(&mut self) -> &mut A {
        &mut self.applied
    }

    /// Takes the exchange apart.
    #[must_use]
    pub fn into_parts(self) -> Parts<H, S, A> {
        let Self { hub, durable, store, applied, us, roster, draw, .. } = self;
        Parts { hub, durable, store, applied, us, roster, draw }
    }

    pub(super) fn origin_of(&self, writing: &Writing) -> StreamOrigin {
        StreamOrigin {
            device: self.us.device.clone(),
            stream: writing.stream.clone(),
            incarnation: writing.incarnation,
        }
    }

    /// Notes where a reader stands still. The same thing is counted once.
    pub(super) fn stand_still(&mut self, origin: &StreamOrigin, seq: u64, why: Why) {
        let is_refused = matches!(why, Why::Refused(_));
        let now = Standstill { seq, why };
        let before = self.health.standing.insert(origin.clone(), now.clone());
        if is_refused && before != Some(now) {
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
