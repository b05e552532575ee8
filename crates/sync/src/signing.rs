//! Unambiguous encodings of everything that is signed, hashed or bound.
//!
//! Every encoding starts with its purpose, and every field with its length, so that no signature
//! for one thing is valid for another and no two fields can run together.

use crate::bytes::{Digest, Signature};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};

/// The purpose of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The fingerprint of a device's two keys.
    Fingerprint,
    /// The key for NATS servers, derived from a signing key.
    Door,
    /// The signing key of a recovery, derived from the recovery key.
    Recovery,
    /// The start of a roster's chain.
    RosterStart,
    /// The operation of a roster entry.
    RosterOp,
    /// An entry of a roster.
    RosterEntry,
    /// The head of a roster in pages.
    RosterHead,
    /// A page of a roster.
    RosterPage,
    /// The key of a roster's head in an epoch.
    RosterKey,
    /// The head of a roster that this device has verified.
    RosterVerified,
    /// The id of an invite, derived from its secret.
    Invite,
    /// What an invite promises.
    InvitePin,
    /// An answer to an invite.
    JoinRequest,
    /// The vouch of a device for another one of its user.
    Vouch,
    /// The content of a wrapped key.
    Key,
    /// The commitment to a key.
    KeyCommitment,
    /// A key wrapped to recipients.
    WrappedKey,
    /// The start of a chain of batches.
    ChainStart,
    /// The place of a batch: what its ciphertext is bound to.
    BatchPlace,
    /// A batch.
    Batch,
    /// The place of a checkpoint: what its ciphertext is bound to.
    CheckpointPlace,
    /// A part of a checkpoint.
    Checkpoint,
    /// A bundle, by its manifest and roster.
    Bundle,
    /// The recipients of a key.
    Readers,
    /// The name of a request's claim.
    Decision,
    /// What a hub keeps of a team.
    RetentionPolicy,
    /// How far a device has read.
    RetentionPositions,
    /// Where logs begin on a hub.
    RetentionFloors,
    /// The announcement that a team moves to another hub.
    Relocation,
    /// The note on the other hub that everything which must be there is there.
    Arrival,
    /// The exact input of a tool.
    Input,
    /// An answer to a request.
    Answer,
    /// A claim to have decided a request.
    Claim,
    /// A heartbeat.
    Beat,
    /// The head of an audit log.
    AuditHead,
    /// A message between two devices that share a code.
    Pairing,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Self::Fingerprint => "taffrail/1/fingerprint",
            Self::Door => "taffrail/1/door",
            Self::Recovery => "taffrail/1/recovery",
            Self::RosterStart => "taffrail/1/roster-start",
            Self::RosterOp => "taffrail/1/roster-op",
            Self::RosterEntry => "taffrail/1/roster-entry",
            Self::RosterHead => "taffrail/1/roster-head",
            Self::RosterPage => "taffrail/1/roster-page",
            Self::RosterKey => "taffrail/1/roster-key",
            Self::RosterVerified => "taffrail/1/roster-verified",
            Self::Invite => "taffrail/1/invite",
            Self::InvitePin => "taffrail/1/invite-pin",
            Self::JoinRequest => "taffrail/1/join-request",
            Self::Vouch => "taffrail/1/vouch",
            Self::Key => "taffrail/1/key",
            Self::KeyCommitment => "taffrail/1/key-commitment",
            Self::WrappedKey => "taffrail/1/wrapped-key",
            Self::ChainStart => "taffrail/1/chain-start",
            Self::BatchPlace => "taffrail/1/batch-place",
            Self::Batch => "taffrail/1/batch",
            Self::CheckpointPlace => "taffrail/1/checkpoint-place",
            Self::Checkpoint => "taffrail/1/checkpoint",
            Self::Bundle => "taffrail/1/bundle",
            Self::Readers => "taffrail/1/readers",
            Self::Decision => "taffrail/1/decision",
            Self::RetentionPolicy => "taffrail/1/retention-policy",
            Self::RetentionPositions => "taffrail/1/retention-positions",
            Self::RetentionFloors => "taffrail/1/retention-floors",
            Self::Relocation => "taffrail/1/relocation",
            Self::Arrival => "taffrail/1/arrival",
            Self::Input => "taffrail/1/input",
            Self::Answer => "taffrail/1/answer",
            Self::Claim => "taffrail/1/claim",
            Self::Beat => "taffrail/1/beat",
            Self::AuditHead => "taffrail/1/audit-head",
            Self::Pairing => "taffrail/1/pairing",
        }
    }
}

/// An invalid signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not hold")]
pub struct Forged;

/// Encodes the purpose and the fields, each after its length in eight bytes, little-endian.
#[must_use]
pub fn encode(purpose: Purpose, fields: &[&[u8]]) -> Vec<u8> {
    let parts = || std::iter::once(purpose.label().as_bytes()).chain(fields.iter().copied());
    let mut out = Vec::with_capacity(parts().map(|part| part.len() + 8).sum());
    for part in parts() {
        out.extend_from_slice(&(part.len() as u64).to_le_bytes());
        out.extend_from_slice(part);
    }
    out
}

/// Decodes exactly this many fields for this purpose.
#[must_use]
pub fn decode<const N: usize>(purpose: Purpose, mut bytes: &[u8]) -> Option<[&[u8]; N]> {
    if next(&mut bytes)? != purpose.label().as_bytes() {
        return None;
    }
    let mut out = [[].as_slice(); N];
    for field in &mut out {
        *field = next(&mut bytes)?;
    }
    bytes.is_empty().then_some(out)
}

fn next<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (field, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(field)
}

/// The BLAKE3 hash of an encoding.
#[must_use]
pub fn digest(purpose: Purpose, fields: &[&[u8]]) -> Digest {
    Digest::from_bytes(*blake3::hash(&encode(purpose, fields)).as_bytes())
}

/// Signs an encoding.
#[must_use]
pub fn sign(key: &SigningKey, purpose: Purpose, fields: &[&[u8]]) -> Signature {
    Signature::from_bytes(key.sign(&encode(purpose, fields)).to_bytes())
}

/// Verifies a signature strictly: it rejects weak keys and other encodings of the signature.
///
/// # Errors
///
/// The signature is invalid for these fields and this purpose.
pub fn verify(
    key: &VerifyingKey,
    purpose: Purpose,
    fields: &[&[u8]],
    signature: &Signature,
) -> Result<(), Forged> {
    let signature = ed25519_dalek::Signature::from_bytes(signature.as_bytes());
    key.verify_strict(&encode(purpose, fields), &signature).map_err(|_| Forged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    proptest! {
        #[test]
        fn an_encoding_means_one_thing(a: Vec<u8>, b: Vec<u8>, c: Vec<u8>) {
            let bytes = encode(Purpose::Batch, &[&a, &b, &c]);
            prop_assert_eq!(decode(Purpose::Batch, &bytes), Some([&*a, &*b, &*c]));
            prop_assert_eq!(decode::<3>(Purpose::Bundle, &bytes), None);
            prop_assert_eq!(decode::<2>(Purpose::Batch, &bytes), None);
            prop_assert_eq!(decode::<4>(Purpose::Batch, &bytes), None);
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>) {
            prop_assert_eq!(decode::<3>(Purpose::Batch, &bytes), None);
        }

        #[test]
        fn a_signature_with_any_bit_flipped_is_refused(text: Vec<u8>, bit in 0_usize..512) {
            let signature = sign(&key(), Purpose::Batch, &[&text]);
            let public = key().verifying_key();
            prop_assert_eq!(verify(&public, Purpose::Batch, &[&text], &signature), Ok(()));
            let mut bytes = *signature.as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let forged = Signature::from_bytes(bytes);
            prop_assert_eq!(verify(&public, Purpose::Batch, &[&text], &forged), Err(Forged));
        }
    }

    #[test]
    fn a_signature_is_for_its_purpose_and_its_fields() {
        let public = key().verifying_key();
        let signature = sign(&key(), Purpose::Batch, &[b"ab", b"c"]);
        let check = |purpose: Purpose, fields: &[&[u8]], expected: Result<(), Forged>| {
            assert_eq!(verify(&public, purpose, fields, &signature), expected, "{purpose:?}");
        };
        check(Purpose::Batch, &[b"ab", b"c"], Ok(()));
        check(Purpose::Bundle, &[b"ab", b"c"], Err(Forged));
        check(Purpose::Batch, &[b"a", b"bc"], Err(Forged));
        check(Purpose::Batch, &[b"abc"], Err(Forged));
        check(Purpose::Batch, &[b"ab", b"c", b""], Err(Forged));
    }

    #[test]
    fn a_weak_key_signs_nothing() {
        // The neutral element: with it, a lax check accepts one signature for every text.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        let weak = VerifyingKey::from_bytes(&neutral).unwrap();
        let mut signature = [0; 64];
        signature[0] = 1;
        let signature = Signature::from_bytes(signature);
        assert_eq!(verify(&weak, Purpose::Batch, &[b"any"], &signature), Err(Forged));
    }
}
