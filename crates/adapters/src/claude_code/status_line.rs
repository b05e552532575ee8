//! The payload for the status line's command: the session's cost so far, and how full
//! its context is, and how much of the account's limits is used.
//!
//! It has no hook name. Claude Code sends it with every answer, and again when only the clock moved.

use super::limits::Limits;
use super::place;
use serde::Deserialize;
use taffrail_kit::StatusLinePlan;
use taffrail_kit::journal::{EntrySink, labelled};
use taffrail_kit::lenient::{self, Text, filled, lenient, made_of_objects, whole};
use taffrail_kit::records::LONGEST_ID;
use taffrail_model::findings::status_line;
use taffrail_model::{Facts, Kind, Signal};

/// How payloads for the status line are recognised.
pub(super) const PLAN: StatusLinePlan = StatusLinePlan { mark };

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    hook_event_name: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    version: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    model: Option<Model<'a>>,
    #[serde(deserialize_with = "lenient")]
    cost: Option<Cost>,
    #[serde(deserialize_with = "lenient")]
    context_window: Option<Window>,
    #[serde(deserialize_with = "lenient")]
    rate_limits: Option<Limits>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    id: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cost {
    #[serde(deserialize_with = "lenient")]
    total_cost_usd: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Window {
    #[serde(deserialize_with = "whole")]
    context_window_size: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    used_percentage: Option<f64>,
    #[serde(deserialize_with = "lenient")]
    current_usage: Option<Usage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(deserialize_with = "whole")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "whole")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "whole")]
    cache_read_input_tokens: Option<u64>,
}

made_of_objects! { Line<'de>, Model<'de>, Cost, Window, Usage }

impl<'a> Line<'a> {
    /// Parses a payload for the status line; `None` for a hook's payload.
    fn of(json: &'a str) -> Option<Self> {
        let line: Self = lenient::value_in(json)?;
        let is_hook = line.hook_event_name.as_deref().is_some_and(|it| it != "Status");
        let is_named = line.session_id.as_ref().is_some_and(|id| id.len() <= LONGEST_ID);
        let tells =
            line.cost.is_some() || line.context_window.is_some() || line.rate_limits.is_some();
        (is_named && tells && !is_hook).then_some(line)
    }

    fn session(&self) -> &str {
        self.session_id.as_deref().unwrap_or_default()
    }

    fn microdollars(&self) -> Option<i64> {
        let dollars = self.cost.as_ref()?.total_cost_usd.filter(|it| *it >= 0.0)?;
        // The cast saturates, so that no cost can overflow.
        Some((dollars * 1e6).round() as i64)
    }

    /// Tokens of the context that are used, and how many it can hold.
    fn context(&self) -> Option<(u64, u64)> {
        let window = self.context_window.as_ref()?;
        let size = window.context_window_size.filter(|it| *it > 0)?;
        let counted = window.current_usage.as_ref().map(Usage::used);
        let percent = window.used_percentage.filter(|it| (0.0..=100.0).contains(it));
        let reckoned = percent.map(|it| (it / 100.0 * size as f64) as u64);
        Some((counted.or(reckoned)?, size))
    }
}

impl Usage {
    fn used(&self) -> u64 {
        let parts =
            [self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens];
        parts.into_iter().flatten().fold(0, u64::saturating_add)
    }
}

/// Changes when the payload is worth recording again: another tenth of a
/// cent, hundredth of the context, model, or percent of a limit.
fn mark(payload: &str) -> Option<(String, String)> {
    let line = Line::of(payload)?;
    let cost = line.microdollars().map(|it| it / 1_000);
    let percent = line.context().map(|(used, size)| used.saturating_mul(100) / size);
    let model = line.model.as_ref().and_then(|it| it.id.as_deref());
    let limits = line.rate_limits.as_ref().map(Limits::mark).unwrap_or_default();
    Some((line.session().to_owned(), format!("{cost:?} {percent:?} {model:?}{limits}")))
}

/// Reads a payload for the status line; `false` if the entry is not one.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) -> bool {
    let Some(line) = Line::of(sink.entry.payload.get()) else { return false };
    let owned = |text: &Text<'_>| text.as_deref().map(str::to_owned);
    let who = place::session(line.session());
    let facts = Facts {
        model: line.model.as_ref().and_then(|it| owned(&it.id)),
        agent_version: owned(&line.version),
        cost_microdollars: line.microdollars(),
        process: sink.process,
        ..Facts::default()
    };
    sink.add_facts(&who, facts);
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(Signal::Alive);
    let fields = line.context().map(|(used, size)| {
        vec![(status_line::USED, used.into()), (status_line::WINDOW, size.into())]
    });
    draft.detail = labelled(status_line::LABEL, fields.unwrap_or_default());
    sink.emit(&who, draft);
    for reported in line.rate_limits.iter().flat_map(Limits::reported) {
        sink.add_quota(&who, reported);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn told() -> Value {
        json!({
            "session_id": "s", "cwd": "/p", "version": "2.1.325", "model": {"id": "a-model", "display_name": "A"},
            "cost": {"total_cost_usd": 1.2345, "total_duration_ms": 4000},
            "context_window": {"context_window_size": 200_000, "used_percentage": 42.0, "current_usage":
                {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 90, "cache_read_input_tokens": 80_000}},
        })
    }

    fn limits(five_hour: f64) -> Value {
        json!({
            "five_hour": {"used_percentage": five_hour, "resets_at": 1_800_000_000},
            "seven_day": {"used_percentage": 41.0, "resets_at": 1_800_300_000},
        })
    }

    #[test]
    fn limits_are_read_where_they_have_all_figures() {
        let check = |limits: Value, expected: &[(&str, u64, f64, i64)]| {
            let text = json!({"session_id": "s", "rate_limits": limits}).to_string();
            let line = Line::of(&text);
            let reported = line.iter().flat_map(|it| &it.rate_limits).flat_map(Limits::reported);
            let figures = |it: taffrail_model::quota::Reported<'static>| {
                (it.name, it.window_minutes, it.used_percent, it.resets_at.as_second())
            };
            assert_eq!(reported.map(figures).collect::<Vec<_>>(), expected, "{text}");
        };
        let (five, seven) =
            (("five_hour", 300, 83.0, 1_800_000_000), ("seven_day", 10_080, 41.0, 1_800_300_000));
        check(limits(83.0), &[five, seven]);
        let mut half = limits(83.0);
        half["seven_day"]["resets_at"] = json!("soon");
        check(half, &[five]);
        check(json!({}), &[]);
        check(json!("none"), &[]);
    }

    #[test]
    fn figures_are_read_and_hooks_are_left_alone() {
        type Figures = (Option<i64>, Option<(u64, u64)>);
        let check = |change: &dyn Fn(&mut Value), expected: Option<Figures>| {
            let mut told = told();
            change(&mut told);
            let text = told.to_string();
            let got = Line::of(&text).map(|it| (it.microdollars(), it.context()));
            assert_eq!(got, expected, "{text}");
        };
        let whole = (Some(1_234_500), Some((80_100, 200_000)));
        check(&|_| {}, Some(whole));
        check(&|it| it["hook_event_name"] = json!("Status"), Some(whole));
        check(&|it| it["hook_event_name"] = json!("Stop"), None);
        check(&|it| it["session_id"] = json!(""), None);
        check(&|it| it["cost"] = json!("free"), Some((None, whole.1)));
        check(&|it| it["cost"]["total_cost_usd"] = json!(-1), Some((None, whole.1)));
        check(
            &|it| it["context_window"]["current_usage"] = Value::Null,
            Some((whole.0, Some((84_000, 200_000)))),
        );
        check(&|it| it["context_window"]["context_window_size"] = json!(0), Some((whole.0, None)));
        check(&|it| it["context_window"] = Value::Null, Some((whole.0, None)));
    }

    #[test]
    fn what_only_the_clock_changed_is_not_told_again() {
        let mark_of = |change: &dyn Fn(&mut Value)| {
            let mut told = told();
            change(&mut told);
            mark(&told.to_string())
        };
        let before = mark_of(&|_| {});
        assert_eq!(before.as_ref().map(|it| it.0.as_str()), Some("s"));
        let same = |change: &dyn Fn(&mut Value)| mark_of(change) == before;
        assert!(same(&|it| it["cost"]["total_duration_ms"] = json!(9000)));
        assert!(same(&|it| it["cost"]["total_cost_usd"] = json!(1.2349)));
        assert!(!same(&|it| it["cost"]["total_cost_usd"] = json!(1.2351)));
        assert!(!same(&|it| it["context_window"]["current_usage"]["input_tokens"] = json!(2_000)));
        assert!(!same(&|it| it["rate_limits"] = limits(83.0)));
        assert!(!same(&|it| it["model"]["id"] = json!("b-model")));
    }
}
