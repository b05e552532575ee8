//! SHA-256 in the form that the contracts require.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The SHA-256 of a text in lower-case hexadecimal digits.
#[must_use]
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        write!(out, "{byte:02x}").ok();
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_text_has_the_known_digest() {
        let known = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(""), known);
    }
}
