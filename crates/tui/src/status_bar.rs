//! One line for status bars: who needs the user.

use crate::terminal::{fit, line};
use serde_json::json;
use taffrail_api::StatusFile;

/// The longest text of a bar.
const LONGEST: usize = 80;

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

/// Shapes, and who waits longest.
#[must_use]
pub fn pointed(it: &StatusFile) -> String {
    match &it.first {
        Some(first) => {
            let text = format!("{} {}: {}", shapes(it), line(&first.project), line(&first.what));
            fit(&text, LONGEST)
        }
        None => shapes(it),
    }
}

/// The line of a bar; `None` if no daemon runs.
#[must_use]
pub fn bar(status: Option<&StatusFile>, format: BarFormat) -> String {
    match (status, format) {
        (None, BarFormat::Waybar) => {
            json!({"text": "?", "tooltip": OFF, "class": "off"}).to_string()
        }
        (None, BarFormat::Words) => OFF.to_owned(),
        (None, _) => "?".to_owned(),
        (Some(it), BarFormat::Words) => words(it),
        (Some(it), BarFormat::Tmux) => coloured(it),
        (Some(it), BarFormat::Shapes) => shapes(it),
        (Some(it), BarFormat::Waybar) => {
            json!({"text": shapes(it), "tooltip": words(it), "class": class(it)}).to_string()
        }
    }
}

const OFF: &str = "no daemon runs: taffrail daemon start";
const READING: &str = "reading your history";

fn words(it: &StatusFile) -> String {
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
    match &it.first {
        Some(first) => {
            fit(&format!("{text}: {} {}", line(&first.project), line(&first.what)), LONGEST)
        }
        None => text,
    }
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
    use taffrail_api::LongestWait;
    use taffrail_model::SessionId;

    #[test]
    fn a_bar_is_one_line_that_is_never_empty() {
        let check = |status: Option<&StatusFile>, expected: [&str; 4]| {
            let all = [BarFormat::Words, BarFormat::Tmux, BarFormat::Shapes, BarFormat::Waybar];
            let got = all.map(|format| bar(status, format));
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
}
