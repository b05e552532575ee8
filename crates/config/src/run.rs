//! The settings of `taffrail run`: how much output is kept.

use serde::{Deserialize, Deserializer, Serialize};
use taffrail_capture::SMALLEST_SCROLLBACK;
use taffrail_context::RunSettings;

/// The settings of `taffrail run`; an unset value is the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// The kilobytes of output that are kept of one run; 0 keeps none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrollback_kb: Option<Kilobytes>,
    /// The megabytes of output that are kept of all runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrollback_total_mb: Option<u32>,
}

impl RunConfig {
    /// The settings, with the defaults where nothing is set.
    #[must_use]
    pub fn settings(self) -> RunSettings {
        let usual = RunSettings::default();
        RunSettings {
            scrollback: self.scrollback_kb.map_or(usual.scrollback, |it| u64::from(it.0) * 1024),
            total: self.scrollback_total_mb.map_or(usual.total, |it| u64::from(it) * 1024 * 1024),
        }
    }
}

/// A number of kilobytes: 0, or enough for a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Kilobytes(u32);

impl<'de> Deserialize<'de> for Kilobytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let smallest = SMALLEST_SCROLLBACK / 1024;
        match u32::deserialize(from)? {
            it if it == 0 || u64::from(it) >= smallest => Ok(Self(it)),
            it => {
                let message = format!("`{it}` is neither 0 nor at least {smallest}");
                Err(serde::de::Error::custom(message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrollback_is_off_or_holds_a_screen() {
        let check = |text: &str, expected: Option<(u64, u64)>| {
            let config = toml::from_str::<RunConfig>(text).ok().map(RunConfig::settings);
            assert_eq!(config.map(|it| (it.scrollback, it.total)), expected, "{text}");
        };
        check("", Some((1 << 20, 64 << 20)));
        check("scrollback_kb = 0", Some((0, 64 << 20)));
        check("scrollback_kb = 64\nscrollback_total_mb = 1", Some((64 << 10, 1 << 20)));
        check("scrollback_kb = 63", None);
        check("scrollback_kb = -1", None);
    }
}
