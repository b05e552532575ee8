//! Data keys: this device makes its own, wraps them to its readers and puts them on the hub; it fetches others'.
//!
//! The store keeps keys only wrapped. The hub decides which key of an epoch is the first, so
//! that two copies of one device use the same.

use super::engine::{Exchange, ItemSink};
use super::readers::mark;
use super::{ExchangeError, Inbox, Outbox, Readers, names};
use crate::bytes::Digest;
use crate::hub::{Hub, HubError, KeyName, Swapped};
use crate::seal::{DataKey, KeyPlace, Refused, Scope, WrappedKey, unwrap, wrap};
use std::collections::BTreeMap;
use taffrail_model::exchange::{StreamOrigin, Writing};
use taffrail_model::{DeviceId, StreamName, Timestamp};

/// How many times a contested key is tried.
const TRIES: usize = 8;
/// The number of batches after which an admin should rotate keys.
const BATCHES_OF_A_KEY: u64 = 10_000;
/// The age of a key after which an admin should rotate it: 90 days, in seconds.
const SECONDS_OF_A_KEY: i64 = 90 * 24 * 60 * 60;

type Which = (DeviceId, StreamName, u64);

/// Unwrapped keys.
#[derive(Debug, Default)]
pub(super) struct Keyring(BTreeMap<Which, DataKey>);

impl Keyring {
    fn get(&self, which: &Which) -> Option<DataKey> {
        self.0.get(which).cloned()
    }

    /// Whether any key of a stream is unwrapped.
    pub(super) fn has_any(&self, (device, stream): &(DeviceId, StreamName)) -> bool {
        self.0.keys().any(|(of, it, _)| of == device && it == stream)
    }

    /// Forgets the keys of a device, to ask the hub again.
    pub(super) fn forget(&mut self, device: &DeviceId) {
        self.0.retain(|(of, _, _), _| of != device);
    }
}

/// The result of looking up a reader's key on the hub.
#[derive(Debug)]
pub(super) enum KeyLookup {
    Key(DataKey),
    Nothing,
    NotForUs,
    RosterBehind,
    Refused(Refused),
}

/// When the key of a stream was first used, and how many batches there were.
struct KeyAge {
    batches: u64,
    second: i64,
}

impl KeyAge {
    fn of(writing: &Writing, now: Timestamp) -> Self {
        Self { batches: writing.batches, second: now.as_second() }
    }

    fn is_long_ago(&self, writing: &Writing, now: Timestamp) -> bool {
        let batches = writing.batches.saturating_sub(self.batches);
        batches >= BATCHES_OF_A_KEY || now.as_second() - self.second >= SECONDS_OF_A_KEY
    }

    fn to_bytes(&self) -> Vec<u8> {
        format!("{} {}", self.batches, self.second).into_bytes()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (batches, second) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
        Some(Self { batches: batches.parse().ok()?, second: second.parse().ok()? })
    }
}

/// A wrapped key with a digest of its recipients, as the store keeps it.
struct StoredKey {
    mark: Digest,
    wrapped: Vec<u8>,
}

impl StoredKey {
    fn to_bytes(&self) -> Vec<u8> {
        [self.mark.as_bytes().as_slice(), &self.wrapped].concat()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (mark, wrapped) = bytes.split_first_chunk::<32>()?;
        Some(Self { mark: Digest::from_bytes(*mark), wrapped: wrapped.to_vec() })
    }
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// The current key for one of this device's streams. It is on the hub before it is used.
    pub(super) async fn own_key(&mut self, writing: &Writing) -> Result<DataKey, ExchangeError> {
        let epoch = self.roster.epoch();
        let which = (self.us.device.clone(), writing.stream.clone(), epoch);
        if let Some(key) = self.keys.get(&which) {
            return Ok(key);
        }
        let name = names::key(&self.us.device, &writing.stream, epoch)?;
        let kept = self.store.note(name.as_str())?.and_then(|it| StoredKey::parse(&it));
        let key = match kept {
            Some(kept) => {
                self.put_key(&name, &kept.wrapped).await?;
                self.open_own(writing, epoch, &kept.wrapped)?
            }
            None => self.first_key(writing, &name).await?,
        };
        self.keys.0.insert(which, key.clone());
        Ok(key)
    }

    /// Makes a random key, unless the hub already has one of this device.
    async fn first_key(
        &mut self,
        writing: &Writing,
        name: &KeyName,
    ) -> Result<DataKey, ExchangeError> {
        let epoch = self.roster.epoch();
        for _ in 0..TRIES {
            let there = self.hub.get(name).await?;
            let ours = there.as_ref().and_then(|it| self.open_own(writing, epoch, &it.bytes).ok());
            let key = ours.unwrap_or_else(|| DataKey::from_random(self.random.bytes()));
            // Wrapped again even if it was there: its recipients cannot be seen from outside.
            let kept = self.wrapped(writing, epoch, &key)?;
            let revision = there.map(|it| it.revision);
            let bytes = kept.wrapped.clone().into();
            if let Swapped::Done(_) = self.hub.cas(name, revision, bytes).await? {
                self.store.keep_note(name.as_str(), &kept.to_bytes())?;
                return Ok(key);
            }
        }
        Err(contested(name))
    }

    /// Brings the keys on the hub and in the store to the current readers.
    pub(super) async fn refresh_keys(&mut self) -> Result<(), ExchangeError> {
        for writing in self.store.streams()? {
            let prefix = format!("key/{}/{}/", self.us.device, writing.stream);
            // The readers are the same for the keys of all epochs.
            let readers = mark(&self.recipients(&writing));
            for note in self.store.notes(&prefix)? {
                self.refresh_key(&writing, &note, readers).await?;
            }
        }
        Ok(())
    }

    /// Whether a key has sealed so much, or for so long, that an admin should rotate it.
    pub(super) fn is_rotation_due(
        &mut self,
        streams: &[Writing],
        now: Timestamp,
    ) -> Result<bool, ExchangeError> {
        let mut is_due = false;
        for writing in streams {
            let name = format!("age/{}/{}", writing.stream, self.roster.epoch());
            let began = self.store.note(&name)?.and_then(|it| KeyAge::parse(&it));
            match began {
                Some(began) => is_due |= began.is_long_ago(writing, now),
                None => self.store.keep_note(&name, &KeyAge::of(writing, now).to_bytes())?,
            }
        }
        Ok(is_due)
    }

    async fn refresh_key(
        &mut self,
        writing: &Writing,
        note: &str,
        readers: Digest,
    ) -> Result<(), ExchangeError> {
        let epoch = note.rsplit('/').next().and_then(|it| it.parse().ok());
        let kept = self.store.note(note)?.and_then(|it| StoredKey::parse(&it));
        let (Some(epoch), Some(mut kept)) = (epoch, kept) else { return Ok(()) };
        if kept.mark != readers {
            let key = self.open_own(writing, epoch, &kept.wrapped)?;
            kept = self.wrapped(writing, epoch, &key)?;
            self.store.keep_note(note, &kept.to_bytes())?;
        }
        if self.is_written(note, &kept) {
            return Ok(());
        }
        self.put_key(&KeyName::new(note)?, &kept.wrapped).await
    }

    /// A key that was written correctly is checked again only when it changed.
    fn is_written(&self, note: &str, kept: &StoredKey) -> bool {
        self.attention.written.contains(&written_mark(note, &kept.wrapped))
    }

    /// The key of another device's stream, from the hub.
    pub(super) async fn their_key(
        &mut self,
        origin: &StreamOrigin,
        epoch: u64,
    ) -> Result<KeyLookup, ExchangeError> {
        let which = (origin.device.clone(), origin.stream.clone(), epoch);
        if let Some(key) = self.keys.get(&which) {
            return Ok(KeyLookup::Key(key));
        }
        let name = names::key(&origin.device, &origin.stream, epoch)?;
        let Some(value) = self.hub.get(&name).await? else { return Ok(KeyLookup::Nothing) };
        let place = self.key_place(&origin.device, &origin.stream, epoch);
        Ok(match self.open_theirs(&origin.device, &place, &value.bytes) {
            Ok(key) => {
                self.keys.0.insert(which, key.clone());
                KeyLookup::Key(key)
            }
            Err(Refused::NotForUs) => KeyLookup::NotForUs,
            Err(Refused::RosterBehind { .. }) => KeyLookup::RosterBehind,
            Err(refused) => KeyLookup::Refused(refused),
        })
    }

    fn open_theirs(
        &self,
        device: &DeviceId,
        place: &KeyPlace,
        bytes: &[u8],
    ) -> Result<DataKey, Refused> {
        let wrapped = WrappedKey::parse(bytes)?;
        // A device of the team may not put a key in another's place.
        if wrapped.by != *device {
            return Err(Refused::OtherPlace);
        }
        unwrap(&wrapped, place, &self.roster, self.us.secret.identity())
    }

    fn open_own(
        &self,
        writing: &Writing,
        epoch: u64,
        bytes: &[u8],
    ) -> Result<DataKey, ExchangeError> {
        let place = self.key_place(&self.us.device, &writing.stream, epoch);
        self.open_theirs(&self.us.device, &place, bytes).map_err(|why| sealing(writing, why))
    }

    fn wrapped(
        &self,
        writing: &Writing,
        epoch: u64,
        key: &DataKey,
    ) -> Result<StoredKey, ExchangeError> {
        let place = self.key_place(&self.us.device, &writing.stream, epoch);
        let recipients = self.recipients(writing);
        let wrapped = wrap(key, &place, &recipients, &self.us.signer());
        let wrapped = wrapped.map_err(|why| sealing(writing, why))?.to_bytes();
        Ok(StoredKey { mark: mark(&recipients), wrapped })
    }

    fn recipients(&self, writing: &Writing) -> Vec<crate::keys::Recipient> {
        Readers::parse(&writing.audience).recipients(&self.roster, &self.us.device)
    }

    fn key_place(&self, device: &DeviceId, stream: &StreamName, epoch: u64) -> KeyPlace {
        let scope = Scope::new(format!("{device}/{stream}"));
        KeyPlace { team: *self.roster.team(), scope, epoch }
    }

    /// Writes a key on the hub unless the same bytes are already there.
    async fn put_key(&mut self, name: &KeyName, bytes: &[u8]) -> Result<(), ExchangeError> {
        for _ in 0..TRIES {
            let there = self.hub.get(name).await?;
            if there.as_ref().is_some_and(|it| *it.bytes == *bytes) {
                self.attention.written.insert(written_mark(name.as_str(), bytes));
                return Ok(());
            }
            let revision = there.map(|it| it.revision);
            let swapped = self.hub.cas(name, revision, bytes.to_vec().into()).await?;
            if let Swapped::Done(_) = swapped {
                return Ok(());
            }
        }
        Err(contested(name))
    }
}

/// Identifies a written key.
fn written_mark(name: &str, bytes: &[u8]) -> String {
    format!("{name} {}", blake3::hash(bytes).to_hex())
}

pub(super) fn sealing(writing: &Writing, why: Refused) -> ExchangeError {
    ExchangeError::Sealing { stream: writing.stream.clone(), why }
}

fn contested(name: &KeyName) -> ExchangeError {
    HubError::Unreachable(format!("{name} is written by others again and again")).into()
}
