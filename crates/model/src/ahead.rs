//! How far a person's clock is ahead of UTC, and when that changed.

use crate::Timestamp;

/// The distance from UTC at any instant. Nothing set means UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Before each of these instants, in the order of time, the distance was so many seconds.
    pub before: Vec<(Timestamp, i64)>,
    /// The distance in seconds from the last of them on.
    pub since: i64,
}

impl Ahead {
    /// The distance in seconds at an instant.
    #[must_use]
    pub fn at(&self, instant: Timestamp) -> i64 {
        let then = self.before.iter().find(|(until, _)| instant < *until);
        then.map_or(self.since, |(_, seconds)| *seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_instant() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let ahead = Ahead { before: vec![(at(100), 3600), (at(200), 7200)], since: 0 };
        for (second, expected) in [(0, 3600), (99, 3600), (100, 7200), (199, 7200), (200, 0)] {
            assert_eq!(ahead.at(at(second)), expected, "{second}");
        }
        assert_eq!(Ahead::default().at(at(5)), 0);
    }
}
