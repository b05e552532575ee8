//! Readings that are made at most once in a while, and once more after the last change.

use taffrail_model::Timestamp;

/// When something was read, and whether a change came too soon after that.
#[derive(Debug)]
pub(super) struct Throttle {
    seconds: i64,
    read_at: Option<Timestamp>,
    is_owed: bool,
}

impl Throttle {
    /// A reading holds for this many seconds.
    pub(super) const fn every(seconds: i64) -> Self {
        Self { seconds, read_at: None, is_owed: false }
    }

    /// Whether to read now. If not, the reading is owed.
    pub(super) fn admits(&mut self, now: Timestamp) -> bool {
        let age = |at: Timestamp| now.as_second() - at.as_second();
        // After a clock was set back, the age is negative and says nothing.
        self.is_owed = self.read_at.map(age).is_some_and(|it| (0..self.seconds).contains(&it));
        if !self.is_owed {
            self.read_at = Some(now);
        }
        !self.is_owed
    }

    /// When the owed reading is due.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let read_at = self.read_at.filter(|_| self.is_owed)?;
        Timestamp::from_second(read_at.as_second().saturating_add(self.seconds)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_of_a_burst_counts() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut throttle = Throttle::every(5);
        assert_eq!(throttle.due(), None);
        let mut check = |second, admits, due: Option<i64>| {
            assert_eq!(throttle.admits(at(second)), admits, "{second}");
            assert_eq!(throttle.due(), due.map(at), "{second}");
        };
        check(100, true, None);
        check(101, false, Some(105));
        check(104, false, Some(105));
        check(105, true, None);
        check(200, true, None);
        // The clock was set back.
        check(150, true, None);
        check(151, false, Some(155));
    }
}
