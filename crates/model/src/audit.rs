//! The audit log: decisions and attempts in a hash chain. Each entry is hashed with the one before
//! it, so changing or removing an entry breaks the chain.
//!
//! Entries hold hashes of an agent's or a person's text, never the text: they outlive a forgotten
//! session.

use crate::approval::{ApprovalId, Decision};
use crate::caller::Who;
use crate::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The hash of an entry and all before it.
pub type ChainHash = [u8; 32];

/// The hash before the first entry.
pub const BEGINNING: ChainHash = [0; 32];

/// An action, or an attempt at one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
pub enum Deed {
    /// A request was decided here.
    Decided {
        /// The request.
        approval_id: ApprovalId,
        /// The session that asked.
        session_id: SessionId,
        /// The decision.
        decision: Decision,
        /// The surface it came from, or a rule.
        by: String,
        /// The caller, as far as it is known; `None` for a rule.
        who: Option<Who>,
        /// The hash of the exact input.
        input_hash: String,
    },
    /// A decision that was never delivered because its hook disconnected.
    Undelivered {
        /// The request.
        approval_id: ApprovalId,
    },
    /// A caller tried something that it may not do.
    Refused {
        /// The attempted action: one of our commands or an API route.
        what: String,
        /// The request the attempt was about.
        approval_id: Option<ApprovalId>,
        /// The session the attempt came from, where that is known.
        session_id: Option<SessionId>,
        /// The caller.
        who: Who,
    },
}

impl Deed {
    /// The session of this entry, where that is known.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Decided { session_id, .. } => Some(*session_id),
            Self::Refused { session_id, .. } => *session_id,
            Self::Undelivered { .. } => None,
        }
    }
}

/// An entry as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The entry's number, from 1 without gaps.
    pub number: u64,
    /// When.
    pub at: Timestamp,
    /// The content as JSON, exactly as it was hashed.
    pub body: String,
    /// The hash of this entry and all before it.
    pub hash: ChainHash,
}

impl Entry {
    /// The content, if this version understands it.
    #[must_use]
    pub fn deed(&self) -> Option<Deed> {
        serde_json::from_str(&self.body).ok()
    }
}

/// Computes the hash of an entry from the hash of the one before.
#[must_use]
pub fn chained(before: &ChainHash, number: u64, at: Timestamp, body: &str) -> ChainHash {
    let mut hasher = blake3::Hasher::new_derive_key("taffrail 2026-11-16 audit chain v1");
    hasher.update(before);
    hasher.update(&number.to_le_bytes());
    hasher.update(&at.as_microsecond().to_le_bytes());
    hasher.update(body.as_bytes());
    *hasher.finalize().as_bytes()
}

/// The place where a chain fails verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// The first entry that was changed or is missing.
    pub number: u64,
}

/// Verifies a chain from a known entry on and returns its last hash.
///
/// # Errors
/// Returns the first entry that does not follow from the one before it.
pub fn follow<'e>(
    (mut number, mut before): (u64, ChainHash),
    entries: impl IntoIterator<Item = &'e Entry>,
) -> Result<(u64, ChainHash), Broken> {
    for entry in entries {
        number += 1;
        let hash = chained(&before, number, entry.at, &entry.body);
        if entry.number != number || entry.hash != hash {
            return Err(Broken { number });
        }
        before = hash;
    }
    Ok((number, before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chain(bodies: &[String]) -> Vec<Entry> {
        let mut before = BEGINNING;
        let next = |(number, body): (u64, &String)| {
            let at = Timestamp::from_second(1_000 + i64::try_from(number).unwrap()).unwrap();
            before = chained(&before, number, at, body);
            Entry { number, at, body: body.clone(), hash: before }
        };
        (1..).zip(bodies).map(next).collect()
    }

    proptest! {
        #[test]
        fn a_chain_that_was_touched_is_found_out(
            bodies in prop::collection::vec("[a-z]{0,8}", 1..12),
            at in any::<prop::sample::Index>(),
            how in 0..5,
        ) {
            let whole = chain(&bodies);
            let end = follow((0, BEGINNING), &whole).unwrap();
            prop_assert_eq!(end, (whole.len() as u64, whole.last().unwrap().hash));
            let mut touched = whole;
            let at = at.index(touched.len());
            match how {
                0 => touched[at].body.push('x'),
                1 => { touched.remove(at); }
                2 => touched[at].at = Timestamp::from_second(1).unwrap(),
                3 => touched[at].hash[0] ^= 1,
                _ => { let twice = touched[at].clone(); touched.insert(at, twice); }
            }
            // Only the recorded last hash reveals a missing end.
            prop_assert_ne!(follow((0, BEGINNING), &touched), Ok(end));
        }
    }
}
