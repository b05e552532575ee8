//! The account's limits, as the status line gets them, and as the transcript names the one that
//! refused a request. Only a subscription has them, after its first answer.

use serde::Deserialize;
use taffrail_kit::lenient::{Text, lenient, made_of_objects, whole};
use taffrail_model::Timestamp;
use taffrail_model::quota::Reported;

/// Where these limits are written.
const SOURCE: &str = "claude-statusline";
const REFUSAL_SOURCE: &str = "claude-transcript";

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

/// What the record of a refused request says of the limit that refused it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Refusal<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    status: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    rate_limit_type: Text<'a>,
    /// In seconds since 1970.
    #[serde(deserialize_with = "whole")]
    resets_at: Option<u64>,
}

made_of_objects! { Limits, Used, Refusal<'de> }

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

impl Refusal<'_> {
    /// The limit, which is used up: the provider refuses a request only then.
    pub(super) fn reported(&self) -> Option<Reported<'_>> {
        let name = self.rate_limit_type.as_deref().filter(|_| self.is_refused())?;
        let window_minutes = match name {
            "five_hour" => 300,
            "seven_day" | "seven_day_opus" | "seven_day_sonnet" => 10_080,
            _ => return None,
        };
        let resets_at = Timestamp::from_second(i64::try_from(self.resets_at?).ok()?).ok()?;
        let source = REFUSAL_SOURCE;
        Some(Reported { name, window_minutes, used_percent: 100.0, resets_at, source })
    }

    fn is_refused(&self) -> bool {
        self.status.as_deref() == Some("rejected")
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use taffrail_kit::lenient;

    #[test]
    fn a_refused_request_names_the_limit_that_is_used_up_without_a_status_line() {
        let check = |change: &dyn Fn(&mut Value), expected: Option<(&str, u64)>| {
            let mut said = json!({"status": "rejected", "resetsAt": 1_795_025_967,
                "rateLimitType": "five_hour", "isUsingOverage": false});
            change(&mut said);
            let text = said.to_string();
            let refusal: Refusal<'_> = lenient::value_in(&text).unwrap();
            let expected = expected.map(|(name, window_minutes)| Reported {
                name,
                window_minutes,
                used_percent: 100.0,
                resets_at: Timestamp::from_second(1_795_025_967).unwrap(),
                source: "claude-transcript",
            });
            assert_eq!(refusal.reported(), expected, "{said}");
        };
        check(&|_| {}, Some(("five_hour", 300)));
        for week in ["seven_day", "seven_day_opus", "seven_day_sonnet"] {
            check(&|it| it["rateLimitType"] = json!(week), Some((week, 10_080)));
        }
        check(&|it| it["rateLimitType"] = json!("overage"), None);
        check(&|it| it["status"] = json!("allowed_warning"), None);
        check(&|it| it["resetsAt"] = json!(null), None);
        check(&|it| it["resetsAt"] = json!(u64::MAX), None);
    }
}
