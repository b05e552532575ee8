//! What the agent's screen shows: an input in its last row, or a dialog with choices.

use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::gist;
use taffrail_kit::lenient::{self, Raw, Text, filled, made_of_objects};
use taffrail_kit::screen::{Screen, ScreenState};

/// The beginning of the input's row.
const INPUT: &str = "> ";
/// The mark of a dialog that waits for an answer; an answered one has another.
const OPEN: char = '◆';
/// The last row of a dialog.
const FOOT: &str = "└";
/// The text of the last row while the agent works.
const WORKS: &str = "(Ctrl+C to interrupt)";
/// The row above the JSON of a request.
const REQUEST: &str = "Tool approval request";

/// The call in a request.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    tool_name: Text<'a>,
    #[serde(borrow)]
    arguments: Raw<'a>,
}

made_of_objects! { Call<'de> }

/// Reads a screen.
pub(super) fn read(screen: &Screen<'_>) -> ScreenState {
    let Some((row, last)) = screen.written().next_back() else { return ScreenState::Unknown };
    if last.contains(WORKS) {
        return ScreenState::Working;
    }
    if last.starts_with(INPUT) {
        return ScreenState::Ready { empty: screen.is_at_start(row) };
    }
    match last.trim() == FOOT && opened(screen).is_some() {
        true => ScreenState::Asking { command: command(screen) },
        false => ScreenState::Unknown,
    }
}

/// The row of the open dialog's question.
fn opened(screen: &Screen<'_>) -> Option<usize> {
    screen.written().rev().find(|(_, it)| it.starts_with(OPEN)).map(|(at, _)| at)
}

/// The call in the JSON between the heading of a request and its question.
fn command(screen: &Screen<'_>) -> Option<String> {
    let question = opened(screen)?;
    let (top, _) = screen.written().rev().find(|(_, it)| it.trim() == REQUEST)?;
    let rows = screen.written().filter(|(at, _)| *at > top && *at < question);
    let json = rows.map(|(_, it)| it.trim()).collect::<Vec<_>>().join("\n");
    let call: Call<'_> = lenient::value_in(&json)?;
    let gist = call.arguments.map(gist::of).filter(|it| !it.is_empty());
    gist.map(Cow::into_owned).or_else(|| call.tool_name.map(Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&str], cursor: (usize, usize), expected: &ScreenState) {
        assert_eq!(read(&Screen { rows, cursor }), *expected, "{rows:?}");
    }

    #[test]
    fn the_last_row_shows_an_input_or_work() {
        let hint = ["  ⏱ 4.54s", "> Enter to send · Ctrl+J newline"];
        check(&hint, (2, 1), &ScreenState::Ready { empty: true });
        check(&["  ⏱ 4.54s", "> half a"], (8, 1), &ScreenState::Ready { empty: false });
        let works = ["> go on", "◐  Navigating knowledge graphs...  (Ctrl+C to interrupt)"];
        check(&works, (0, 2), &ScreenState::Working);
    }

    #[test]
    fn an_open_request_is_read_with_its_command() {
        let json = ["    {", "      \"tool_name\": \"shell\",", "      \"arguments\": {"];
        let more = ["        \"command\": \"touch made.txt\"", "      }", "    }"];
        let question = "◆  Goose would like to call the above tool, do you allow?";
        let choices = ["│  ● Allow (Allow the tool call once)", "│  ○ Deny", "└"];
        let rows = [&["  Tool approval request"][..], &json, &more, &[question], &choices].concat();
        let command = Some("touch made.txt".to_owned());
        check(&rows, (0, 0), &ScreenState::Asking { command });
        let answered = question.replace('◆', "◇");
        let rows =
            [&["  Tool approval request"][..], &json, &more, &[answered.as_str()], &["│  Deny"]];
        check(&rows.concat(), (0, 0), &ScreenState::Unknown);
    }

    #[test]
    fn anything_else_is_unknown() {
        for rows in [&["$ "][..], &[], &["Password:"], &["└"]] {
            check(rows, (0, 0), &ScreenState::Unknown);
        }
    }
}
