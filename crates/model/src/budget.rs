//! Budgets: how much may be spent on some work in a day, a week or a month.

use crate::{Ahead, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The share of a budget at which it is nearly spent, in percent.
pub const NEARLY: i64 = 80;

const DAY: i64 = 86_400;

/// The work that a budget is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetOf {
    /// Everything.
    All,
    /// A project folder and what is below it.
    Project(String),
    /// An agent.
    Agent(String),
    /// A branch.
    Branch(String),
    /// Sessions with a tag.
    Tag(String),
}

impl fmt::Display for BudgetOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Project(it) => write!(f, "project:{it}"),
            Self::Agent(it) => write!(f, "agent:{it}"),
            Self::Branch(it) => write!(f, "branch:{it}"),
            Self::Tag(it) => write!(f, "tag:{it}"),
        }
    }
}

/// A period by the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    /// From midnight.
    Day,
    /// From Monday.
    Week,
    /// From the first of the month.
    Month,
}

impl Period {
    /// The word in the configuration and in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// When the period began that contains an instant, by a clock that is `ahead` of UTC.
    #[must_use]
    pub fn began(self, now: Timestamp, ahead: &Ahead) -> Timestamp {
        let shift = ahead.at(now);
        let day = (now.as_second() + shift).div_euclid(DAY);
        // Day 0 was a Thursday.
        let first = match self {
            Self::Day => day,
            Self::Week => day - (day + 3).rem_euclid(7),
            Self::Month => day - day_of_month(day),
        };
        let midnight = first * DAY;
        let guess = Timestamp::from_second(midnight - shift).unwrap_or(now);
        // The offset may have been another one then.
        Timestamp::from_second(midnight - ahead.at(guess)).unwrap_or(guess)
    }
}

/// The days since the first of the month.
fn day_of_month(day: i64) -> i64 {
    let at = Timestamp::from_second(day * DAY).unwrap_or(Timestamp::UNIX_EPOCH);
    i64::from(jiff::tz::Offset::UTC.to_datetime(at).day()) - 1
}

/// A limit for the spending of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The work.
    pub of: BudgetOf,
    /// The period.
    pub per: Period,
    /// The limit in millionths of a dollar.
    pub limit: i64,
}

/// How far a budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetState {
    /// Less than [`NEARLY`] percent.
    Within,
    /// At least [`NEARLY`] percent.
    Near,
    /// All of it.
    Over,
}

impl Budget {
    /// How far the budget is spent.
    #[must_use]
    pub fn state(&self, spent: i64) -> BudgetState {
        let share = i128::from(spent) * 100;
        match i128::from(self.limit) {
            limit if share >= limit * 100 => BudgetState::Over,
            limit if share >= limit * i128::from(NEARLY) => BudgetState::Near,
            _ => BudgetState::Within,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_by_the_local_clock() {
        let ahead = |hours: i64| Ahead { before: Vec::new(), since: hours * 3_600 };
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let check = |now: &str, hours: i64, expected: [&str; 3]| {
            let began = |it: Period| it.began(at(now), &ahead(hours));
            assert_eq!([Period::Day, Period::Week, Period::Month].map(began), expected.map(at));
        };
        // 18 November 2026 is a Wednesday.
        check(
            "2026-11-18T12:30:00Z",
            0,
            ["2026-11-18T00:00:00Z", "2026-11-16T00:00:00Z", "2026-11-01T00:00:00Z"],
        );
        check(
            "2026-11-30T23:30:00Z",
            1,
            ["2026-11-30T23:00:00Z", "2026-11-29T23:00:00Z", "2026-11-30T23:00:00Z"],
        );
        check(
            "2026-11-01T02:00:00Z",
            -5,
            ["2026-10-31T05:00:00Z", "2026-10-26T05:00:00Z", "2026-10-01T05:00:00Z"],
        );
        check(
            "1970-01-01T00:00:00Z",
            0,
            ["1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z", "1970-01-01T00:00:00Z"],
        );
    }

    #[test]
    fn the_clock_may_have_changed_within_the_period() {
        let changed = "2026-10-25T01:00:00Z".parse().unwrap();
        let ahead = Ahead { before: vec![(changed, 7_200)], since: 3_600 };
        let now = "2026-10-28T12:00:00Z".parse().unwrap();
        assert_eq!(Period::Month.began(now, &ahead).to_string(), "2026-09-30T22:00:00Z");
        assert_eq!(Period::Week.began(now, &ahead).to_string(), "2026-10-25T23:00:00Z");
    }

    #[test]
    fn a_budget_is_near_before_it_is_spent() {
        let budget = Budget { of: BudgetOf::All, per: Period::Day, limit: 1_000 };
        let states = [0, 799, 800, 999, 1_000, i64::MAX].map(|it| budget.state(it));
        use BudgetState::{Near, Over, Within};
        assert_eq!(states, [Within, Within, Near, Near, Over, Over]);
    }
}
