//! A roster that is too long for one key of a hub: full pages of entries as blobs, and a head that
//! names them and holds the entries after them.
//!
//! A page never changes, so a change costs the head and at times one page. Each page has a key of its
//! own, which the head holds. The head is sealed with a key that follows from the entry that began the
//! epoch: every device that knows that entry opens it, and the others find the key wrapped to them.

mod epoch_key;
mod head;

pub(crate) use epoch_key::EpochKey;
pub(crate) use head::{Body, Head};

use super::{Entry, Roster, SealedRosterError};
use crate::bytes::{Digest, TeamId};
use crate::compression::{pack, unpack};
use crate::envelope::EnvelopeFault;
use crate::signing::{Purpose, encode};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// How many entries a page has.
pub(crate) const PAGE_ENTRIES: usize = 64;
/// The longest roster that is one value.
pub(crate) const WHOLE_ENTRIES: usize = 128;
const KEY: &str = "taffrail 1 2026-11-19 roster page";

/// A page, as the head names it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageRef {
    /// The hash of its sealed bytes, which is its name.
    pub(crate) hash: Digest,
    /// Its key.
    key: Digest,
}

impl fmt::Debug for PageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageRef({})", self.hash)
    }
}

/// A sealed page, and what names it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) page: PageRef,
    pub(crate) bytes: Vec<u8>,
}

impl Roster {
    /// All full pages. The same entries always make the same pages.
    pub(crate) fn pages(&self) -> Result<Vec<Page>, SealedRosterError> {
        let full = self.entries().chunks_exact(PAGE_ENTRIES);
        (0..).zip(full).map(|(at, entries)| seal_page(self.team(), at, entries)).collect()
    }

    /// The entries after the full pages.
    pub(crate) fn tail(&self) -> &[Entry] {
        self.entries().chunks_exact(PAGE_ENTRIES).remainder()
    }
}

fn seal_page(team: &TeamId, at: u64, entries: &[Entry]) -> Result<Page, SealedRosterError> {
    let json = serde_json::to_vec(entries).map_err(|_| SealedRosterError::NotUnderstood)?;
    let plain = pack(&json).map_err(|_| EnvelopeFault::TooLarge)?;
    // The content holds signatures, so nobody guesses a key from what a page may say.
    let key = Digest::from_bytes(blake3::derive_key(KEY, &plain));
    let payload = Payload { msg: &plain, aad: &place(team, at) };
    // A key seals one content only, which is why its nonce may be the same for all.
    let sealed = cipher(&key).encrypt(&XNonce::default(), payload);
    let bytes = sealed.map_err(|_| EnvelopeFault::Damaged)?;
    let hash = hash_of(&bytes);
    Ok(Page { page: PageRef { hash, key }, bytes })
}

/// The entries of a page. Nothing is verified but that these are the bytes that the head names.
pub(crate) fn open_page(
    team: &TeamId,
    (at, page): (u64, &PageRef),
    bytes: &[u8],
) -> Result<Vec<Entry>, SealedRosterError> {
    let payload = Payload { msg: bytes, aad: &place(team, at) };
    let plain = cipher(&page.key).decrypt(&XNonce::default(), payload);
    let plain = Zeroizing::new(plain.map_err(|_| EnvelopeFault::Damaged)?);
    let json = unpack(&plain).map_err(|_| EnvelopeFault::Damaged)?;
    let entries: Vec<Entry> =
        serde_json::from_slice(&json).map_err(|_| SealedRosterError::NotUnderstood)?;
    match entries.len() {
        PAGE_ENTRIES => Ok(entries),
        _ => Err(SealedRosterError::NotUnderstood),
    }
}

/// The name of sealed bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> Digest {
    Digest::from_bytes(*blake3::hash(bytes).as_bytes())
}

fn place(team: &TeamId, at: u64) -> Vec<u8> {
    encode(Purpose::RosterPage, &[team.as_bytes(), &at.to_le_bytes()])
}

fn cipher(key: &Digest) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.as_bytes().into())
}
