//! The head of a device's audit log, signed by that device: without its key, nobody can rewrite the
//! log.

use crate::bytes::Signature;
use crate::roster::Signer;
use crate::signing::{Purpose, sign, verify};

/// Signs the last entry of a log: its number, and the hash of it and all before it.
#[must_use]
pub fn sign_head(by: &Signer<'_>, number: u64, hash: &[u8; 32]) -> Vec<u8> {
    let fields: [&[u8]; 3] = [by.device.as_str().as_bytes(), &number.to_le_bytes(), hash];
    sign(by.secret.signing(), Purpose::AuditHead, &fields).as_bytes().to_vec()
}

/// Whether this device signed that head.
#[must_use]
pub fn head_holds(by: &Signer<'_>, number: u64, hash: &[u8; 32], signature: &[u8]) -> bool {
    let Ok(signature) = signature.try_into().map(Signature::from_bytes) else { return false };
    let fields: [&[u8]; 3] = [by.device.as_str().as_bytes(), &number.to_le_bytes(), hash];
    let key = by.secret.signing().verifying_key();
    verify(&key, Purpose::AuditHead, &fields, &signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::tests::Own;

    #[test]
    fn only_the_very_end_that_was_signed_holds() {
        let (ann, bob) = (Own::new("ann"), Own::new("bob"));
        let signature = sign_head(&ann.signer(), 3, &[7; 32]);
        assert!(head_holds(&ann.signer(), 3, &[7; 32], &signature));
        assert!(!head_holds(&ann.signer(), 2, &[7; 32], &signature));
        assert!(!head_holds(&ann.signer(), 3, &[8; 32], &signature));
        assert!(!head_holds(&bob.signer(), 3, &[7; 32], &signature));
        assert!(!head_holds(&ann.signer(), 3, &[7; 32], &[]));
    }
}
