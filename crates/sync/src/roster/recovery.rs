//! A recovery key as its owner stores it: the identity and the team.

use super::Pin;
use crate::keys::Identity;
use zeroize::Zeroizing;

/// Restores a user's history when all devices are lost. Whoever has it can act as that user.
#[derive(Debug)]
pub struct RecoveryKey {
    /// The identity that opens.
    pub identity: Identity,
    /// The team when the key was made: the roster on a hub must follow from it.
    pub pin: Pin,
}

impl RecoveryKey {
    /// Two lines: the identity as age writes it, and the pin.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        // A pin of plain fields always serializes.
        let pin = serde_json::to_string(&self.pin).unwrap_or_default();
        let identity = self.identity.to_text();
        // The full capacity is reserved first, so that growing leaves no copy behind.
        let mut text = Zeroizing::new(String::with_capacity(identity.len() + pin.len() + 2));
        for line in [identity.trim(), &pin] {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// Parses what `to_text` wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
        let identity = Identity::parse(lines.next()?)?;
        let pin = serde_json::from_str(lines.next()?).ok()?;
        Some(Self { identity, pin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digest, TeamId};

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let identity = Identity::from_random(&Zeroizing::new([7; 32]));
        let pin =
            Pin { team: TeamId::from_bytes([1; 16]), n: 3, head: Digest::from_bytes([2; 32]) };
        let text = RecoveryKey { identity, pin }.to_text();
        let read = RecoveryKey::parse(&text).unwrap();
        assert_eq!((read.to_text(), read.pin), (text.clone(), pin));
        let spaced = text.replace('\n', " \r\n\n");
        assert_eq!(RecoveryKey::parse(&spaced).unwrap().to_text(), text);
        let first = text.lines().next().unwrap();
        for bad in ["", "x", first, &format!("{first}\n{{}}"), &text.replacen('1', "2", 1)] {
            assert!(RecoveryKey::parse(bad).is_none(), "{bad}");
        }
    }
}
