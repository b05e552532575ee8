//! The key that lets a device with a code connect to a NATS server that knows only the team's
//! devices. It may use nothing there but the place where two devices meet.
//!
//! It follows from the roster, so every device of the team knows it and nobody stores it. It
//! changes with every epoch: a removed device does not know the next one.

use super::Roster;
use crate::keys::{NatsUserKey, nats_pair};
use crate::letters::Letters;
use zeroize::Zeroizing;

const LETTERS: &str = "taffrail 1 2026-11-19 pairing door letters";
const SEED: &str = "taffrail 1 2026-11-19 pairing door seed";

/// What opens a server to a device that has only a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door(Letters);

impl Door {
    /// The door of a team in its current epoch.
    #[must_use]
    pub fn of(roster: &Roster) -> Self {
        let bytes = Zeroizing::new(blake3::derive_key(LETTERS, roster.epoch_start().as_bytes()));
        Self(Letters::from_random(&bytes))
    }

    /// Parses what `to_text` wrote.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        Letters::parse(typed).map(Self)
    }

    /// The text in a code.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        self.0.to_text()
    }

    /// The public half, for a server's configuration.
    #[must_use]
    pub fn user_key(&self) -> Option<NatsUserKey> {
        self.pair().map(|(public, _)| public)
    }

    /// The seed that signs a server's challenge.
    #[must_use]
    pub fn seed(&self) -> Option<Zeroizing<String>> {
        self.pair().map(|(_, seed)| seed)
    }

    fn pair(&self) -> Option<(NatsUserKey, Zeroizing<String>)> {
        nats_pair(&Zeroizing::new(blake3::derive_key(SEED, self.0.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::Op;
    use crate::roster::tests::{Own, at, team_of};

    #[test]
    fn a_removed_device_does_not_know_the_next_door() {
        let [a, b, c] = ["laptop", "tower", "desk"].map(Own::new);
        let team = team_of(&a, &[&b]);
        let door = |it: &Roster| Door::of(it).user_key().unwrap();
        let with = |it: &Roster, op: Op| it.with(op, &a.signer(), at(9)).unwrap().0;
        assert_eq!(door(&team), door(&with(&team, crate::roster::tests::add_for(&c, "ada", 7))));
        let without = with(&team, Op::Remove { device: b.id });
        assert_ne!(door(&team), door(&without), "the removed device knew the roster before");
        assert_eq!(Door::parse(&Door::of(&team).to_text()), Some(Door::of(&team)));
        assert!(
            !format!("{:?}", Door::of(&team)).contains(Door::of(&team).to_text().get(..4).unwrap())
        );
    }
}
