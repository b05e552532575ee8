//! Shares of a limit.

/// A share of a limit, in hundredths of a percent. It may exceed 100 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Percent {
    /// The whole limit.
    pub const FULL: Self = Self(10_000);

    /// A number of hundredths of a percent.
    #[must_use]
    pub const fn hundredths(hundredths: u32) -> Self {
        Self(hundredths)
    }

    /// A number that an agent reports, such as 64.0; `None` if it cannot be a share.
    #[must_use]
    pub fn of(percent: f64) -> Option<Self> {
        // The range is checked, so that the cast is exact.
        (0.0..=10_000.0).contains(&percent).then(|| Self((percent * 100.0).round() as u32))
    }

    /// The number of hundredths of a percent.
    #[must_use]
    pub fn as_hundredths(self) -> u32 {
        self.0
    }

    /// The number as people write it, such as 64.0.
    #[must_use]
    pub fn as_number(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// What is missing to another share; zero if that is smaller.
    #[must_use]
    pub fn up_to(self, other: Self) -> Self {
        Self(other.0.saturating_sub(self.0))
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}
