//! The signature of a message: HMAC with SHA-256.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::Write;

/// The signature of a body sent at a time, in hexadecimal. It covers the time, so that the receiver
/// can refuse old messages.
pub(super) fn signature(secret: &[u8], second: i64, body: &str) -> String {
    let signed = hmac(secret, format!("{second}.{body}").as_bytes());
    signed.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        write!(out, "{byte:02x}").ok();
        out
    })
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn hmac(secret: &[u8], message: &[u8]) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    mac.chain_update(message).finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test cases 1, 2, 3 and 6 of RFC 4231.
    #[test]
    fn it_is_the_hmac_that_everybody_computes() {
        let check = |secret: &[u8], message: &[u8], expected: &str| {
            let hex: String = hmac(secret, message).iter().map(|it| format!("{it:02x}")).collect();
            assert_eq!(hex, expected);
        };
        let one = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        check(&[0x0b; 20], b"Hi There", one);
        let two = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        check(b"Jefe", b"what do ya want for nothing?", two);
        let three = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe";
        check(&[0xaa; 20], &[0xdd; 50], three);
        let six = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        check(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First", six);
    }

    #[test]
    fn the_time_is_signed_with_the_body() {
        let one = signature(b"secret", 1, "{}");
        assert_eq!(one.len(), 64);
        assert_ne!(one, signature(b"secret", 2, "{}"));
        assert_ne!(one, signature(b"other", 1, "{}"));
        assert_ne!(one, signature(b"secret", 1, "{} "));
    }
}
