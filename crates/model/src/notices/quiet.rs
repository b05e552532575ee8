//! Quiet hours, in which no notice is sent.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

const DAY: u16 = 24 * 60;

/// Whether quiet hours apply now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    /// No notices; occasions that last until later are announced then.
    Yes,
    /// Notices are sent.
    No,
}

/// A part of the day in the user's time zone; one that ends before it begins spans midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hours {
    /// The first minute of the day.
    from: u16,
    /// The minute after the last.
    to: u16,
}

impl Hours {
    /// Whether a minute of the day is in these hours.
    #[must_use]
    pub fn at(self, minute: u16) -> Quiet {
        let is_in = match self.from <= self.to {
            true => (self.from..self.to).contains(&minute),
            false => minute >= self.from || minute < self.to,
        };
        if is_in { Quiet::Yes } else { Quiet::No }
    }
}

impl FromStr for Hours {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` are no hours; write them as 22:00-07:00");
        let (from, to) = text.split_once('-').ok_or_else(fault)?;
        let (from, to) = (minute(from).ok_or_else(fault)?, minute(to).ok_or_else(fault)?);
        if from == to { Err(fault()) } else { Ok(Self { from, to }) }
    }
}

impl TryFrom<String> for Hours {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Hours> for String {
    fn from(it: Hours) -> Self {
        it.to_string()
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |text: &str| {
        let is_plain = (1..=2).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_plain)
    };
    let minutes = number(minutes).filter(|it| *it < 60)?;
    Some(number(hours)? * 60 + minutes).filter(|it| *it < DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_and_go_over_midnight() {
        let check = |text: &str, quiet: &[u16], loud: &[u16]| {
            let hours: Hours = text.parse().unwrap();
            assert_eq!(hours.to_string(), text);
            for it in quiet {
                assert_eq!(hours.at(*it), Quiet::Yes, "{text} {it}");
            }
            for it in loud {
                assert_eq!(hours.at(*it), Quiet::No, "{text} {it}");
            }
        };
        check("22:00-07:00", &[22 * 60, 1439, 0, 419], &[420, 12 * 60, 1319]);
        check("12:30-13:00", &[750, 779], &[0, 749, 780, 1439]);
        for text in ["", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "07:00-07:00", "a:b-c:d"] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
    }
}
