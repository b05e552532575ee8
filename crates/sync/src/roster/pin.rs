//! The last entry that a device has seen.

use crate::bytes::{Digest, Signature, TeamId};
use crate::keys::DeviceSecret;
use crate::signing::{Purpose, encode, sign, verify};
use serde::{Deserialize, Serialize};

/// The last entry that a device has seen; a roster must not roll back behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The team.
    pub team: TeamId,
    /// The position of the entry.
    pub n: u64,
    /// Its hash.
    pub head: Digest,
}

impl Pin {
    /// A device's own note that it verified all entries up to this one. It says nothing to other
    /// devices.
    #[must_use]
    pub fn verified_by(&self, own: &DeviceSecret) -> Signature {
        sign(own.signing(), Purpose::RosterVerified, &[&self.fields()])
    }

    /// Whether this device noted that.
    #[must_use]
    pub fn is_verified_by(&self, own: &DeviceSecret, signature: &Signature) -> bool {
        let (keys, fields) = (own.keys(), self.fields());
        verify(keys.signing(), Purpose::RosterVerified, &[&fields], signature).is_ok()
    }

    fn fields(&self) -> Vec<u8> {
        let fields: [&[u8]; 3] =
            [self.team.as_bytes(), &self.n.to_le_bytes(), self.head.as_bytes()];
        encode(Purpose::RosterVerified, &fields)
    }
}
