//! The account's limits, as the status line gets them. Only a subscription has them, after its
//! first answer.

use serde::Deserialize;
use taffrail_kit::lenient::{lenient, made_of_objects, whole};
use taffrail_model::Timestamp;
use taffrail_model::quota::Reported;

/// Where these limits are written.
const SOURCE: &str = "claude-statusline";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Limits {
    #[serde(deserialize_with = "lenient")]
    five_hour: Option<Used>,
    #[serde(deserialize_with = "lenient")]
    seven_day: Option<Used>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Used {
    #[serde(deserialize_with = "lenient")]
    used_percentage: Option<f64>,
    /// In seconds since 1970.
    #[serde(deserialize_with = "whole")]
    resets_at: Option<u64>,
}

made_of_objects! { Limits, Used }

impl Limits {
    /// The limits that have all figures.
    pub(super) fn reported(&self) -> impl Iterator<Item = Reported<'static>> + use<> {
        let five_hour = self.five_hour.as_ref().and_then(|it| it.reported("five_hour", 300));
        let seven_day = self.seven_day.as_ref().and_then(|it| it.reported("seven_day", 10_080));
        five_hour.into_iter().chain(seven_day)
    }

    /// Changes with every percent, and with every window.
    pub(super) fn mark(&self) -> String {
        let mark = |it: Reported<'_>| format!(" {:.0} {}", it.used_percent, it.resets_at);
        self.reported().map(mark).collect()
    }
}

impl Used {
    fn reported(&self, name: &'static str, window_minutes: u64) -> Option<Reported<'static>> {
        let resets_at = i64::try_from(self.resets_at?).ok()?;
        Some(Reported {
            name,
            window_minutes,
            used_percent: self.used_percentage?,
            resets_at: Timestamp::from_second(resets_at).ok()?,
            source: SOURCE,
        })
    }
}
