//! The account's limits as Claude Code keeps them in its settings file after it asked for them.

use super::ADAPTER_ID;
use serde::Deserialize;
use taffrail_kit::LimitsFile;
use taffrail_kit::lenient::{self, Text, filled, lenient, made_of_objects, whole};
use taffrail_kit::records::{time, time_ms};
use taffrail_model::quota::{Observation, Reported};
use taffrail_model::{AgentId, Timestamp};

/// Where these limits are written.
const SOURCE: &str = "claude-cache";

/// The settings file: in the home if that was chosen by the environment, else beside it.
pub(super) const FILE: LimitsFile = LimitsFile { name: ".claude.json", read };

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Settings<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    cached_usage_utilization: Option<Cached<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Cached<'a> {
    #[serde(deserialize_with = "whole")]
    fetched_at_ms: Option<u64>,
    #[serde(borrow, deserialize_with = "lenient")]
    utilization: Option<Windows<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Windows<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    five_hour: Option<Used<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    seven_day: Option<Used<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    seven_day_opus: Option<Used<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    seven_day_sonnet: Option<Used<'a>>,
}

/// Unlike in the headers of an answer, the share is in percent and the time is written out.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Used<'a> {
    #[serde(deserialize_with = "lenient")]
    utilization: Option<f64>,
    #[serde(borrow, deserialize_with = "filled")]
    resets_at: Text<'a>,
}

made_of_objects! { Settings<'de>, Cached<'de>, Windows<'de>, Used<'de> }

fn read(json: &str) -> Vec<Observation> {
    limits(json).unwrap_or_default()
}

fn limits(json: &str) -> Option<Vec<Observation>> {
    let cached = lenient::value_in::<Settings<'_>>(json)?.cached_usage_utilization?;
    let at = time_ms(i64::try_from(cached.fetched_at_ms?).ok()?)?;
    let windows = cached.utilization?;
    let known = [
        ("five_hour", 300, windows.five_hour),
        ("seven_day", 10_080, windows.seven_day),
        ("seven_day_opus", 10_080, windows.seven_day_opus),
        ("seven_day_sonnet", 10_080, windows.seven_day_sonnet),
    ];
    let seen = known.iter().filter_map(|(name, minutes, it)| it.as_ref()?.seen(name, *minutes, at));
    Some(seen.collect())
}

impl Used<'_> {
    fn seen(&self, name: &str, window_minutes: u64, at: Timestamp) -> Option<Observation> {
        let (used_percent, resets_at) = (self.utilization?, time(self.resets_at.as_deref()?)?);
        let reported = Reported { name, window_minutes, used_percent, resets_at, source: SOURCE };
        reported.of(&AgentId::new(ADAPTER_ID), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn limits_are_read_and_everything_else_is_left_alone() {
        let check = |cached: Value, expected: &[(&str, u32, f64, &str)]| {
            let text = json!({"oauthAccount": {"x": 1}, "cachedUsageUtilization": cached});
            let seen = read(&text.to_string());
            let figures = |it: &Observation| {
                let limit = (it.limit.name.clone(), it.limit.window_minutes);
                (limit, it.used.as_number(), it.resets_at.to_string(), it.session)
            };
            let expected = expected.iter().map(|(name, minutes, used, resets)| {
                (((*name).to_owned(), *minutes), *used, (*resets).to_owned(), None)
            });
            let figures: Vec<_> = seen.iter().map(figures).collect();
            assert_eq!(figures, expected.collect::<Vec<_>>(), "{text}");
        };
        let window = |used: f64, resets: &str| json!({"utilization": used, "resets_at": resets});
        let (soon, later) = ("2026-11-18T16:40:00Z", "2026-11-21T10:00:00Z");
        let whole = json!({"fetchedAtMs": 1_795_000_000_000_u64, "accountUuid": "u", "utilization": {
            "five_hour": window(64.0, "2026-11-18T16:40:00+00:00"), "seven_day": window(23.5, later),
            "seven_day_opus": null, "extra_usage": {"is_enabled": false}, "limits": [],
        }});
        check(whole.clone(), &[("five_hour", 300, 64.0, soon), ("seven_day", 10_080, 23.5, later)]);
        let mut untimed = whole.clone();
        untimed["fetchedAtMs"] = Value::Null;
        check(untimed, &[]);
        let mut unused = whole;
        unused["utilization"]["five_hour"] = json!({"utilization": null, "resets_at": null});
        check(unused, &[("seven_day", 10_080, 23.5, later)]);
        check(json!("none"), &[]);
        assert_eq!(read("not JSON"), []);
    }
}
