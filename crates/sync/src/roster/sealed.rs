//! A roster sealed for a hub, which must not read the names in it.
//!
//! It contains all entries, sealed to the devices that are in the team after the last one, so that
//! a new device can read from the first one on.

use super::{Audience, Entry, Fault, Roster};
use crate::envelope::{EnvelopeFault, open_with, seal_to};
use crate::keys::Identity;

const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Why a sealed roster is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealedRosterError {
    /// It does not open, or cannot be sealed.
    #[error(transparent)]
    Envelope(#[from] EnvelopeFault),
    /// Its content cannot be parsed.
    #[error("it is of another version")]
    NotUnderstood,
    /// The hub does not have a part that the head names.
    #[error("the hub does not have a part of it")]
    Missing,
    /// It is sealed with a key that does not follow from its entries.
    #[error("its key is not the one of its entries")]
    OtherKey,
    /// Its entries do not follow from those known here.
    #[error(transparent)]
    Roster(#[from] Fault),
}

impl Roster {
    /// The whole roster, sealed for a hub.
    ///
    /// # Errors
    ///
    /// It is too large.
    pub fn to_sealed(&self) -> Result<Vec<u8>, SealedRosterError> {
        let json =
            serde_json::to_vec(self.entries()).map_err(|_| SealedRosterError::NotUnderstood)?;
        if json.len() > MOST_BYTES {
            return Err(EnvelopeFault::TooLarge.into());
        }
        Ok(seal_to(&self.recipients(Audience::Team), &json)?)
    }

    /// This roster, extended by the sealed one of a hub.
    ///
    /// # Errors
    ///
    /// It is not sealed to us, as for a removed device, or does not follow from the roster known
    /// here.
    pub fn extended_by_sealed(
        &self,
        sealed: &[u8],
        identity: &Identity,
    ) -> Result<Self, SealedRosterError> {
        Ok(self.extended(entries_of_sealed(sealed, identity)?)?)
    }
}

/// The entries of a sealed roster. Nothing is verified so far.
pub(crate) fn entries_of_sealed(
    sealed: &[u8],
    identity: &Identity,
) -> Result<Vec<Entry>, SealedRosterError> {
    let json = open_with(identity, sealed, MOST_BYTES)?;
    serde_json::from_slice(&json).map_err(|_| SealedRosterError::NotUnderstood)
}
