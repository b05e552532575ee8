//! One line for status bars: who needs the user, and how full limits are.

use crate::gauge::{fullest, long, texts};
use crate::terminal::{fit, line};
use crate::when::Clock;
use serde_json::json;
use taffrail_api::{Gauge, StatusFile};
use unicode_width::UnicodeWidthStr;

/// The longest text of a bar.
const LONGEST: usize = 80;
/// The most columns of it for limits.
const LIMITS: usize = 40;

/// How a bar wants its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarFormat {
    /// In words.
    Words,
    /// In shapes with tmux's colours.
    Tmux,
    /// In shapes.
    Shapes,
    /// As JSON for Waybar.
    Waybar,
}

/// Shapes, who waits longest, and how full the limits of this agent are.
#[must_use]
pub fn pointed(it: &StatusFile, agent: &str, clock: &Clock) -> String {
    let own: Vec<Gauge> = it.quotas.iter().filter(|it| it.agent == agent).cloned().collect();
    let limits = fullest(&own, clock.now).first().map(|it| long(it, clock));
    let text = match &it.first {
        Some(first) => format!("{} {}: {}", shapes(it), line(&first.project), line(&first.what)),
        None => shapes(it),
    };
    beside(&text, limits.as_deref())
}

/// The line of a bar; `None` if no daemon runs.
#[must_use]
pub fn bar(status: Option<&StatusFile>, format: BarFormat, clock: &Clock) -> String {
    match (status, format) {
        (None, BarFormat::Waybar) => {
            json!({"text": "?", "tooltip": OFF, "class": "off"}).to_string()
        }
        (None, BarFormat::Words) => OFF.to_owned(),
        (None, _) => "?".to_owned(),
        (Some(it), BarFormat::Words) => words(it, clock),
        (Some(it), BarFormat::Tmux) => beside(&coloured(it), narrowest(it, clock).as_deref()),
        (Some(it), BarFormat::Shapes) => drawn(it, clock),
        (Some(it), BarFormat::Waybar) => {
            let (text, tooltip) = (drawn(it, clock), words(it, clock));
            json!({"text": text, "tooltip": tooltip, "class": class(it)}).to_string()
        }
    }
}

const OFF: &str = "no daemon runs: taffrail daemon start";
const READING: &str = "reading your history";

fn words(it: &StatusFile, clock: &Clock) -> String {
    if it.reading {
        return READING.to_owned();
    }
    let needs = if it.needs_you == 1 { "needs you" } else { "need you" };
    let parts = [
        (it.needs_you, needs),
        (it.working, "working"),
        (it.your_turn, "your turn"),
        (it.failed, "failed"),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|it| it.0 > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let text = if parts.is_empty() { "nothing needs you".to_owned() } else { parts.join(" · ") };
    let text = match &it.first {
        Some(first) => format!("{text}: {} {}", line(&first.project), line(&first.what)),
        None => text,
    };
    let limits = texts(&it.quotas, clock).into_iter().find(|it| it.width() <= LIMITS);
    beside(&text, limits.as_deref())
}

/// A text cut so that the limits fit beside it.
fn beside(text: &str, limits: Option<&str>) -> String {
    let Some(limits) = limits else { return fit(text, LONGEST) };
    let limits = format!(" · {limits}");
    format!("{}{limits}", fit(text, LONGEST.saturating_sub(limits.width())))
}

/// Shapes, and the fullest limit.
fn drawn(it: &StatusFile, clock: &Clock) -> String {
    beside(&shapes(it), narrowest(it, clock).as_deref())
}

fn narrowest(it: &StatusFile, clock: &Clock) -> Option<String> {
    texts(&it.quotas, clock).pop()
}

fn shapes(it: &StatusFile) -> String {
    if it.reading {
        return "…".to_owned();
    }
    let parts = [('●', it.needs_you), ('◐', it.working), ('◇', it.your_turn), ('✕', it.failed)];
    let parts: Vec<_> =
        parts.iter().filter(|it| it.1 > 0).map(|(a, n)| format!("{a}{n}")).collect();
    if parts.is_empty() { "○".to_owned() } else { parts.join(" ") }
}

fn coloured(it: &StatusFile) -> String {
    match it.needs_you {
        0 => shapes(it),
        _ => format!("#[fg=red,bold]{}#[default]", shapes(it)),
    }
}

fn class(it: &StatusFile) -> &'static str {
    match (it.needs_you, it.failed, it.working, it.your_turn) {
        _ if it.reading => "reading",
        (1.., ..) => "needs-you",
        (0, 1.., ..) => "failed",
        (0, 0, 1.., _) => "working",
        (0, 0, 0, 1..) => "your-turn",
        _ => "idle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;
    use taffrail_api::LongestWait;
    use taffrail_model::SessionId;

    fn clock() -> Clock {
        Clock { now: "2026-11-18T14:40:00Z".parse().unwrap(), zone: TimeZone::UTC }
    }

    #[test]
    fn a_bar_is_one_line_that_is_never_empty() {
        let check = |status: Option<&StatusFile>, expected: [&str; 4]| {
            let all = [BarFormat::Words, BarFormat::Tmux, BarFormat::Shapes, BarFormat::Waybar];
            let got = all.map(|format| bar(status, format, &clock()));
            assert_eq!(got.each_ref().map(String::as_str), expected);
        };
        let off = r#"{"class":"off","text":"?","tooltip":"no daemon runs: taffrail daemon start"}"#;
        check(None, [OFF, "?", "?", off]);
        let quiet = r#"{"class":"idle","text":"○","tooltip":"nothing needs you"}"#;
        check(Some(&StatusFile::default()), ["nothing needs you", "○", "○", quiet]);
        let reading = StatusFile { reading: true, ..StatusFile::default() };
        let waybar = r#"{"class":"reading","text":"…","tooltip":"reading your history"}"#;
        check(Some(&reading), [READING, "…", "…", waybar]);
        let first = LongestWait {
            id: SessionId::from_bytes([1; 16]),
            project: "api\u{1b}[31m".to_owned(),
            what: "npm\ntest".to_owned(),
        };
        let busy =
            StatusFile { needs_you: 1, working: 3, first: Some(first), ..StatusFile::default() };
        let words = "1 needs you · 3 working: api�[31m npm test";
        let waybar = format!(r#"{{"class":"needs-you","text":"●1 ◐3","tooltip":"{words}"}}"#);
        let tmux = "#[fg=red,bold]●1 ◐3#[default]";
        check(Some(&busy), [words, tmux, "●1 ◐3", &waybar]);
        let failed = StatusFile { working: 1, failed: 2, ..StatusFile::default() };
        let words = "1 working · 2 failed";
        let waybar = format!(r#"{{"class":"failed","text":"◐1 ✕2","tooltip":"{words}"}}"#);
        check(Some(&failed), [words, "◐1 ✕2", "◐1 ✕2", &waybar]);
    }

    #[test]
    fn limits_come_last_and_are_never_cut() {
        let gauge = |agent: &str, used_percent| Gauge {
            agent: agent.to_owned(),
            window_minutes: 300,
            used_percent,
            resets_at: "2026-11-18T18:00:00Z".parse().unwrap(),
            seen_at: clock().now,
            full_at: Some("2026-11-18T16:40:00Z".parse().unwrap()),
        };
        let first = LongestWait {
            id: SessionId::from_bytes([1; 16]),
            project: "api".to_owned(),
            what: "npm run build -- --with --many --options --and --more".to_owned(),
        };
        let mut it =
            StatusFile { needs_you: 1, quotas: vec![gauge("wren", 64)], ..StatusFile::default() };
        let words = "1 needs you · 5h 64% (full 16:40)";
        assert_eq!(bar(Some(&it), BarFormat::Words, &clock()), words);
        let tmux = "#[fg=red,bold]●1#[default] · 5h 64%";
        assert_eq!(bar(Some(&it), BarFormat::Tmux, &clock()), tmux);
        it.first = Some(first);
        it.quotas.push(gauge("parrot", 97));
        let words =
            "1 needs you: api npm run build -- --with --many -… · parrot 5h 97% · wren 5h 64%";
        assert_eq!(bar(Some(&it), BarFormat::Words, &clock()), words);
        let shapes = "●1 · parrot 5h 97%";
        assert_eq!(bar(Some(&it), BarFormat::Shapes, &clock()), shapes);
        let own =
            "●1 api: npm run build -- --with --many --options --and --… · 5h 64% (full 16:40)";
        assert_eq!(pointed(&it, "wren", &clock()), own);
        let other = "●1 api: npm run build -- --with --many --options --and --more";
        assert_eq!(pointed(&it, "finch", &clock()), other);
    }
}
