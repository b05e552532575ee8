//! The user's UTC offset over time.

use crate::Timestamp;

/// The UTC offset at any instant. An empty value means UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Past offsets in seconds, each valid before its instant, in chronological order.
    pub before: Vec<(Timestamp, i64)>,
    /// The offset in seconds since the last of those instants.
    pub since: i64,
}

impl Ahead {
    /// The UTC offset in seconds at an instant.
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
