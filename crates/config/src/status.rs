//! The settings of status: durations of silence.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use taffrail_context::StatusSettings;
use taffrail_model::status::Thresholds;

/// The settings of status; an unset value is the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatusConfig {
    /// The silence after which a session without an open turn is idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Span>,
    /// The silence after which an open turn is doubtful.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Span>,
    /// The silence after which a turn without an end is over, if the agent waits for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_timeout: Option<Span>,
}

impl StatusConfig {
    /// The settings, with the defaults where nothing is set.
    #[must_use]
    pub fn settings(self) -> StatusSettings {
        let usual = StatusSettings::default();
        let seconds = |it: Option<Span>, usual: i64| it.map_or(usual, |it| i64::from(it.0));
        let thresholds = Thresholds {
            doubt: seconds(self.doubt, usual.thresholds.doubt),
            idle: seconds(self.idle, usual.thresholds.idle),
            ..usual.thresholds
        };
        StatusSettings { thresholds, turn_timeout: seconds(self.turn_timeout, usual.turn_timeout) }
    }
}

/// A number of seconds, written as `90s`, `2m` or `1h`; at least one second and at most a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(u32);

/// The longest span: sessions leave the board after a day anyway.
const LONGEST: u32 = 86_400;

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` is not a duration such as `90s`, `2m` or `1h`");
        let (number, unit) = match text.find(|it: char| !it.is_ascii_digit()) {
            Some(at) => text.split_at_checked(at).ok_or_else(fault)?,
            None => return Err(fault()),
        };
        let each = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            _ => return Err(fault()),
        };
        let seconds = number.parse::<u32>().ok().and_then(|it| it.checked_mul(each));
        let seconds = seconds.filter(|it| (1..=LONGEST).contains(it));
        seconds.map(Self).ok_or_else(|| format!("`{text}` is not between `1s` and `24h`"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            it if it % 3_600 == 0 => write!(f, "{}h", it / 3_600),
            it if it % 60 == 0 => write!(f, "{}m", it / 60),
            it => write!(f, "{it}s"),
        }
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        let check = |text: &str, expected: Option<&str>| {
            let got = text.parse::<Span>().ok().map(|it| it.to_string());
            assert_eq!(got.as_deref(), expected, "{text}");
        };
        check("90s", Some("90s"));
        check("120s", Some("2m"));
        check("24h", Some("24h"));
        for wrong in ["", "90", "s", "0s", "25h", "-3s", "1d", "1 m", "99999999999s", "½h"] {
            check(wrong, None);
        }
    }

    #[test]
    fn what_is_not_set_is_as_usual() {
        let idle = Some("90s".parse().unwrap());
        let set = StatusConfig { idle, ..StatusConfig::default() }.settings();
        let usual = StatusSettings::default();
        assert_eq!((set.thresholds.idle, set.thresholds.doubt), (90, usual.thresholds.doubt));
        assert_eq!(StatusConfig::default().settings(), usual);
    }
}
