//! Small data sealed with age, in memory. Age does not prove who sealed it: the content must be
//! signed. Age reads its randomness from the system itself.

use crate::header::{MOST_RECIPIENTS, WholeHeader};
use crate::keys::{Identity, Recipient};
use std::io::{Read, Write};
use zeroize::Zeroizing;

/// Why data cannot be sealed or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeFault {
    /// There are no recipients.
    #[error("there is nobody to seal to")]
    Nobody,
    /// It is not sealed to this identity.
    #[error("it is not sealed to this device")]
    NotForUs,
    /// It was changed or truncated.
    #[error("it is damaged")]
    Damaged,
    /// It is larger than allowed.
    #[error("it is too large")]
    TooLarge,
}

/// Seals bytes to recipients.
pub(crate) fn seal_to(recipients: &[Recipient], bytes: &[u8]) -> Result<Vec<u8>, EnvelopeFault> {
    if recipients.len() > MOST_RECIPIENTS {
        return Err(EnvelopeFault::TooLarge);
    }
    let recipients = recipients.iter().map(Recipient::as_age);
    let sealer = age::Encryptor::with_recipients(recipients).map_err(|_| EnvelopeFault::Nobody)?;
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let mut writer = sealer.wrap_output(&mut out).map_err(|_| EnvelopeFault::Damaged)?;
    writer.write_all(bytes).map_err(|_| EnvelopeFault::Damaged)?;
    writer.finish().map_err(|_| EnvelopeFault::Damaged)?;
    Ok(out)
}

/// Opens at most this many bytes.
pub(crate) fn open_with(
    identity: &Identity,
    sealed: &[u8],
    most: usize,
) -> Result<Zeroizing<Vec<u8>>, EnvelopeFault> {
    let opener = age::Decryptor::new_buffered(WholeHeader::new(sealed));
    let opener = opener.map_err(|_| EnvelopeFault::Damaged)?;
    let opened =
        opener.decrypt(std::iter::once(identity.as_age())).map_err(|fault| match fault {
            age::DecryptError::NoMatchingKeys => EnvelopeFault::NotForUs,
            _ => EnvelopeFault::Damaged,
        })?;
    // The full capacity is reserved first, so that growing leaves no copy of a key behind.
    let mut out = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let limit = (most as u64).saturating_add(1);
    opened.take(limit).read_to_end(&mut out).map_err(|_| EnvelopeFault::Damaged)?;
    if out.len() > most { Err(EnvelopeFault::TooLarge) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_for_its_recipients_and_up_to_its_limit() {
        let identity = |n: u8| Identity::from_random(&Zeroizing::new([n; 32]));
        let sealed =
            seal_to(&[identity(1).recipient(), identity(2).recipient()], b"12345").unwrap();
        let check = |who: u8, most: usize, expected: Result<&[u8], EnvelopeFault>| {
            let got = open_with(&identity(who), &sealed, most);
            assert_eq!(got.as_ref().map(|bytes| bytes.as_slice()), expected.as_ref().copied());
        };
        check(1, 5, Ok(b"12345"));
        check(2, 9, Ok(b"12345"));
        check(3, 9, Err(EnvelopeFault::NotForUs));
        check(1, 4, Err(EnvelopeFault::TooLarge));
        assert_eq!(seal_to(&[], b"x"), Err(EnvelopeFault::Nobody));
        for cut in 0..sealed.len() {
            assert!(open_with(&identity(1), &sealed[..cut], 9).is_err(), "{cut}");
        }
    }
}
