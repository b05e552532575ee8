//! The limits of an account: real agents get them from their provider, show them on their screens,
//! and Taffrail reports the same.

use crate::agents::driving::program;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, prompt};
use crate::agents::status_line::lined;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use taffrail_model::Timestamp;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Answer, Say};
use taffrail_testkit::{Tmux, until_every};

/// The offer that Codex makes near a limit, over its prompt.
const OFFER: &str = "Approaching rate limits";

/// How much of the two windows is used, in percent, and when they reset, in seconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Windows {
    pub five_hours: (u32, i64),
    pub week: (u32, i64),
}

/// The second that begins this long from now.
#[expect(clippy::disallowed_methods, reason = "a limit that resets soon needs the time")]
pub(crate) fn seconds_from_now(seconds: u64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    (now + Duration::from_secs(seconds)).as_secs().try_into().unwrap()
}

/// What the providers of both agents say with every answer.
pub(crate) fn report(machine: &Machine, windows: Windows) {
    let Windows { five_hours, week } = windows;
    let status = |used| if used >= 100 { "rejected" } else { "allowed_warning" };
    let claude = |name: &str| format!("anthropic-ratelimit-unified-{name}");
    let codex = |name: &str| format!("x-codex-{name}");
    let share = |used: u32| format!("{:.2}", f64::from(used) / 100.0);
    let headers = [
        (claude("status"), status(five_hours.0).to_owned()),
        (claude("reset"), five_hours.1.to_string()),
        (claude("representative-claim"), "five_hour".to_owned()),
        (claude("5h-utilization"), share(five_hours.0)),
        (claude("5h-reset"), five_hours.1.to_string()),
        (claude("5h-status"), status(five_hours.0).to_owned()),
        (claude("5h-surpassed-threshold"), "0.8".to_owned()),
        (claude("7d-utilization"), share(week.0)),
        (claude("7d-reset"), week.1.to_string()),
        (claude("7d-status"), "allowed".to_owned()),
        (codex("primary-used-percent"), format!("{}.0", five_hours.0)),
        (codex("primary-window-minutes"), "300".to_owned()),
        (codex("primary-reset-at"), five_hours.1.to_string()),
        (codex("secondary-used-percent"), format!("{}.0", week.0)),
        (codex("secondary-window-minutes"), "10080".to_owned()),
        (codex("secondary-reset-at"), week.1.to_string()),
    ];
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    machine.model().send_headers(&headers);
}

/// The answer of a provider whose limit is used up, as each agent understands it.
pub(crate) fn refusal(agent: Agent, resets_at: i64) -> Answer {
    let error = match agent {
        Agent::Codex => json!({"error": {"type": "usage_limit_reached", "plan_type": "plus",
            "message": "The usage limit has been reached", "resets_at": resets_at}}),
        _ => json!({"type": "error", "error": {"type": "rate_limit_error",
            "message": "This request would exceed your account's rate limit."}}),
    };
    vec![Say::Refuse(429, error)]
}

/// Declines the offer of another model, as a person does who wants to keep this one.
pub(crate) fn decline_offer(screen: &Tmux<'_>) {
    screen.wait_for(OFFER);
    screen.press_until(&["2"], "the prompt", |it| !it.contains(OFFER));
}

/// Declines the offer if it is on the screen; returns whether it was.
pub(crate) fn has_declined_offer(screen: &Tmux<'_>) -> bool {
    let is_there = screen.screen().contains(OFFER);
    if is_there {
        decline_offer(screen);
    }
    is_there
}

/// What Taffrail reports once it has both windows of an agent.
fn quotas(machine: &Machine) -> Value {
    until_every(PAUSE, "both limits", || {
        let all = machine.home().json(&["quota", "--json"]);
        let fields = ["agent", "limit", "window_minutes", "used_percent", "resets_at", "source"];
        let short = |it: &Value| fields.map(|field| it[field].clone());
        let rows: Vec<_> = all["quotas"].as_array()?.iter().map(short).collect();
        (rows.len() == 2).then(|| json!(rows))
    })
}

fn windows() -> Windows {
    Windows { five_hours: (91, seconds_from_now(3_600)), week: (41, seconds_from_now(200_000)) }
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).unwrap().to_string()
}

#[test]
fn claude_shows_the_limits_that_we_report() {
    let windows = windows();
    let stage = Stage::prepared(Agent::Claude, Evidence::Files, |machine| {
        machine.subscribe();
        lined(machine);
        report(machine, windows);
    });
    let screen = stage.start(&[]);
    // The first answer brings the limits, and the notice follows the next one.
    for _ in 0..2 {
        prompt(&screen, "hello");
        screen.wait_for("Hello there.");
    }
    screen.wait_for("You've used 91% of your 5-hour limit");
    screen.enter("/usage");
    screen.wait_until("both windows", |it| it.contains("91% used") && it.contains("41% used"));
    let ((used, soon), (used_week, later)) = (windows.five_hours, windows.week);
    let expected = json!([
        ["claude-code", "five_hour", 300, f64::from(used), time(soon), "claude-statusline"],
        [
            "claude-code",
            "seven_day",
            10_080,
            f64::from(used_week),
            time(later),
            "claude-statusline"
        ],
    ]);
    assert_eq!(quotas(&stage.machine), expected);
    drop(screen);
    stage.check_daemon();
}

#[test]
fn codex_shows_the_limits_that_we_report() {
    let windows = windows();
    let stage = Stage::prepared(Agent::Codex, Evidence::Files, |it| report(it, windows));
    let screen = stage.start(&[]);
    prompt(&screen, "hello");
    screen.wait_for("less than 10% of your 5h limit left");
    decline_offer(&screen);
    screen.wait_for("5h limit: 9% left");
    let ((used, soon), (used_week, later)) = (windows.five_hours, windows.week);
    let name = program(Agent::Codex);
    let expected = json!([
        ["codex", name, 300, f64::from(used), time(soon), "codex-rollout"],
        ["codex", name, 10_080, f64::from(used_week), time(later), "codex-rollout"],
    ]);
    assert_eq!(quotas(&stage.machine), expected);
    drop(screen);
    stage.check_daemon();
}

/// Without a status line, the transcript names the limit that stopped the session.
#[test]
fn a_reset_is_known_of_claude_without_a_status_line() {
    let resets_at = seconds_from_now(3_600);
    let stage = Stage::prepared(Agent::Claude, Evidence::Files, |machine| {
        machine.subscribe();
        report(machine, Windows { five_hours: (100, resets_at), ..windows() });
        machine.model().script("limited", vec![refusal(Agent::Claude, resets_at)]);
    });
    let screen = stage.start(&[]);
    prompt(&screen, "limited");
    screen.wait_for("You've hit your 5-hour limit");
    let quota = until_every(PAUSE, "the limit", || {
        let all = stage.machine.home().json(&["quota", "--json"]);
        all["quotas"].as_array()?.first().cloned()
    });
    let fields = ["limit", "used_percent", "resets_at", "source"].map(|it| quota[it].clone());
    let expected =
        [json!("five_hour"), json!(100.0), json!(time(resets_at)), json!("claude-transcript")];
    assert_eq!(fields, expected, "{quota}");
    drop(screen);
    stage.check_daemon();
}
