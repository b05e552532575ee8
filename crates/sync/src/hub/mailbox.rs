//! The place at a hub where two devices meet that share only a code.
//!
//! A meeting has four slots, and each holds one message. What is written there is sealed, so a
//! mailbox only has to carry it. Nothing of it belongs to a team.

#[cfg(feature = "hub-nats")]
use super::nats::NatsMailbox;
#[cfg(feature = "hub-object")]
use super::object::ObjectMailbox;
use super::{Credentials, HubUrl, Put, Result};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The messages of a meeting, in their order; each slot holds one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The first device's invite.
    Offer,
    /// The new device's request.
    Request,
    /// The first device's answer.
    Answer,
    /// The new device has read the answer.
    Done,
}

impl Slot {
    /// All slots.
    pub const ALL: [Self; 4] = [Self::Offer, Self::Request, Self::Answer, Self::Done];

    /// The name in paths and subjects.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Request => "request",
            Self::Answer => "answer",
            Self::Done => "done",
        }
    }

    /// The slot of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

/// Which of the two devices uses a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The device that made the code.
    Host,
    /// The device that has the code.
    Guest,
}

impl Slot {
    /// The device that writes the slot.
    #[must_use]
    pub fn writer(self) -> Side {
        match self {
            Self::Offer | Self::Answer => Side::Host,
            Self::Request | Self::Done => Side::Guest,
        }
    }
}

/// What is in a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mail {
    /// This message.
    Message(Bytes),
    /// Nothing so far.
    NotYet,
    /// Nothing, and the device that made the code does not wait.
    Nobody,
}

/// A mailbox on any hub.
#[derive(Debug)]
pub enum Mailbox {
    /// In memory, for tests.
    Memory(MemoryMailbox),
    /// In a directory or a bucket.
    #[cfg(feature = "hub-object")]
    Object(ObjectMailbox),
    /// On NATS, where nothing is stored.
    #[cfg(feature = "hub-nats")]
    Nats(Box<NatsMailbox>),
}

impl Mailbox {
    /// Opens the mailbox of a place, as one of the two devices.
    ///
    /// # Errors
    /// The hub cannot be reached, or refuses.
    pub async fn open(
        url: &HubUrl,
        (place, side): (&str, Side),
        credentials: &Credentials,
    ) -> Result<Self> {
        match url {
            #[cfg(feature = "hub-object")]
            HubUrl::Directory(path) => ObjectMailbox::directory(path, place).map(Self::Object),
            #[cfg(feature = "hub-object")]
            HubUrl::Bucket(bucket) => {
                ObjectMailbox::bucket(bucket, place, credentials).map(Self::Object)
            }
            #[cfg(feature = "hub-nats")]
            HubUrl::Nats(servers) => {
                let opened = NatsMailbox::connect(servers, (place, side), credentials).await;
                opened.map(|it| Self::Nats(Box::new(it)))
            }
            #[cfg(not(all(feature = "hub-nats", feature = "hub-object")))]
            other => Err(not_built(other, (place, side, credentials))),
        }
    }

    /// Removes what meetings left that broke off long ago.
    ///
    /// # Errors
    /// The hub cannot be reached, or refuses.
    pub async fn sweep(&self) -> Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            #[cfg(feature = "hub-object")]
            Self::Object(it) => it.sweep().await,
            #[cfg(feature = "hub-nats")]
            Self::Nats(_) => Ok(()),
        }
    }

    /// Writes a slot, if nothing is in it.
    ///
    /// # Errors
    /// The hub cannot be reached, or refuses.
    pub async fn put(&self, slot: Slot, bytes: Bytes) -> Result<Put> {
        match self {
            Self::Memory(it) => Ok(it.put(slot, bytes)),
            #[cfg(feature = "hub-object")]
            Self::Object(it) => it.put(slot, &bytes).await,
            #[cfg(feature = "hub-nats")]
            Self::Nats(it) => it.put(slot, bytes).await,
        }
    }

    /// Reads a slot.
    ///
    /// # Errors
    /// The hub cannot be reached, or refuses.
    pub async fn get(&self, slot: Slot) -> Result<Mail> {
        match self {
            Self::Memory(it) => Ok(it.get(slot)),
            #[cfg(feature = "hub-object")]
            Self::Object(it) => it.get(slot).await,
            #[cfg(feature = "hub-nats")]
            Self::Nats(it) => it.get(slot).await,
        }
    }

    /// Removes what is in it, as far as the hub allows.
    ///
    /// # Errors
    /// The hub cannot be reached, or refuses.
    pub async fn clear(&self) -> Result<()> {
        match self {
            Self::Memory(it) => {
                it.clear();
                Ok(())
            }
            #[cfg(feature = "hub-object")]
            Self::Object(it) => it.clear().await,
            #[cfg(feature = "hub-nats")]
            Self::Nats(it) => {
                it.clear();
                Ok(())
            }
        }
    }

    /// How long to wait between two looks.
    #[must_use]
    pub fn pause(&self) -> Duration {
        match self {
            Self::Memory(_) => Duration::from_millis(1),
            #[cfg(feature = "hub-object")]
            Self::Object(it) => it.pause(),
            #[cfg(feature = "hub-nats")]
            Self::Nats(_) => Duration::from_millis(200),
        }
    }

    /// Whether the server lets only devices in that it knows.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            #[cfg(feature = "hub-object")]
            Self::Object(_) => false,
            #[cfg(feature = "hub-nats")]
            Self::Nats(it) => it.is_guarded(),
        }
    }
}

/// The error of a program that was built without an engine.
#[cfg(not(all(feature = "hub-nats", feature = "hub-object")))]
fn not_built(url: &HubUrl, _: (&str, Side, &Credentials)) -> super::HubError {
    super::HubError::Refused(format!("this program was built without what {url} needs"))
}

/// The error for a message that is too large for a slot.
pub(super) fn check_size(bytes: &[u8]) -> Result<()> {
    super::answer::fits(bytes.len(), super::ENTRY_LIMIT)
}

/// A mailbox in memory: what a hub holds, for tests that also play the hub. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct MemoryMailbox(Arc<Mutex<BTreeMap<Slot, Bytes>>>);

impl MemoryMailbox {
    /// Writes a slot, if nothing is in it.
    pub(super) fn put(&self, slot: Slot, bytes: Bytes) -> Put {
        self.change(|held| match held.get(&slot) {
            Some(there) if *there == bytes => Put::Already,
            Some(_) => Put::Conflict,
            None => {
                held.insert(slot, bytes);
                Put::New
            }
        })
    }

    pub(super) fn get(&self, slot: Slot) -> Mail {
        self.change(|held| match held.get(&slot) {
            Some(bytes) => Mail::Message(bytes.clone()),
            None if held.contains_key(&Slot::Offer) => Mail::NotYet,
            None => Mail::Nobody,
        })
    }

    fn clear(&self) {
        self.change(BTreeMap::clear);
    }

    /// Reads and changes what is in it, as its hub could.
    pub fn change<T>(&self, work: impl FnOnce(&mut BTreeMap<Slot, Bytes>) -> T) -> T {
        // No operation here can stop halfway, so the content is consistent even after a panic.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
