//! What the agent's screen shows: an input below a rule, or a box with choices.

use taffrail_kit::screen::{Screen, ScreenState, is_choice, is_rule};

/// The mark of the selected choice.
const CHOICE: char = '●';
/// The side of a box.
const SIDE: char = '│';
/// The beginning of the input's row.
const INPUT: &str = " > ";
/// The text of the row above the input while the agent works.
const WORKS: &str = "(esc to cancel, ";
/// The beginning of a request's title, in its box.
const REQUEST: &str = "? ";

/// Reads a screen.
pub(super) fn read(screen: &Screen<'_>) -> ScreenState {
    let Some((row, _)) = input(screen) else { return dialog(screen) };
    if screen.written().any(|(at, it)| at < row && it.contains(WORKS)) {
        return ScreenState::Working;
    }
    ScreenState::Ready { empty: screen.cursor == (INPUT.len(), row) }
}

/// The row of the input: the first such row below the last rule. A dialog hides it.
fn input<'a>(screen: &Screen<'a>) -> Option<(usize, &'a str)> {
    let (rule, _) = screen.written().rev().find(|(_, it)| is_rule(it, '─'))?;
    screen.written().find(|(at, it)| *at > rule && it.starts_with(INPUT))
}

fn dialog(screen: &Screen<'_>) -> ScreenState {
    let is_open = screen.written().any(|(_, it)| is_choice(inside(it), CHOICE));
    match is_open {
        true => ScreenState::Asking { command: command(screen) },
        false => ScreenState::Unknown,
    }
}

/// The text of a request: the box within its box has the command, else its title says what it does.
fn command(screen: &Screen<'_>) -> Option<String> {
    let (top, title) = screen.written().rev().find_map(|(at, it)| {
        inside(it).trim_start().strip_prefix(REQUEST).map(|title| (at, title))
    })?;
    let below = screen.written().filter(|(at, _)| *at > top);
    let inner = below.map(|(_, it)| inside(it)).filter(|it| it.trim_start().starts_with(SIDE));
    let rows: Vec<_> = inner.map(|it| inside(it).trim()).collect();
    match title.starts_with("Shell") && !rows.is_empty() {
        true => Some(rows.join(" ")),
        false => Some(title.trim().to_owned()),
    }
}

/// A row without the sides of its box.
fn inside(row: &str) -> &str {
    let row = row.trim();
    let row = row.strip_prefix(SIDE).unwrap_or(row);
    row.strip_suffix(SIDE).unwrap_or(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&str], cursor: (usize, usize), expected: &ScreenState) {
        assert_eq!(read(&Screen { rows, cursor }), *expected, "{rows:?}");
    }

    const RULE: &str = "──────────────────────────────";

    #[test]
    fn an_input_is_ready_unless_a_row_above_shows_work() {
        let hint = " >   Type your message or @path/to/file";
        let foot = " ~/proj      no sandbox      gemini-2.5-pro";
        let done = ["✦ Done.", RULE, " Shift+Tab to accept edits", "", hint, "", foot];
        check(&done, (3, 4), &ScreenState::Ready { empty: true });
        let typed = ["✦ Done.", RULE, " Shift+Tab to accept edits", "", " > half a", "", foot];
        check(&typed, (9, 4), &ScreenState::Ready { empty: false });
        let works = [" > go on", " ⠙ Thinking... (esc to cancel, 3s)", RULE, "", hint, "", foot];
        check(&works, (3, 4), &ScreenState::Working);
    }

    #[test]
    fn a_request_is_read_with_its_command() {
        let shell = [
            " > go on",
            "╭──────────────────────────────╮",
            "│ ? Shell  touch a; touch b    │",
            "│ ╭──────────────────────────╮ │",
            "│ │ touch a;                 │ │",
            "│ │ touch b                  │ │",
            "│ ╰──────────────────────────╯ │",
            "│ Allow execution of [Shell]?  │",
            "│ ● 1. Allow once              │",
            "│   2. Allow for this session  │",
            "╰──────────────────────────────╯",
        ];
        let command = Some("touch a; touch b".to_owned());
        check(&shell, (0, 0), &ScreenState::Asking { command });
        let write = ["│ ? WriteFile Writing to a.txt │", "│ │ 1 + text │ │", "│ ● 1. Allow once │"];
        let command = Some("WriteFile Writing to a.txt".to_owned());
        check(&write, (0, 0), &ScreenState::Asking { command });
    }

    #[test]
    fn a_question_is_a_dialog_without_a_command() {
        let rows = ["│ Answer Questions │", "│ Which color │", "│ ● 1.  Blue │", "│   2.  Red │"];
        check(&rows, (0, 0), &ScreenState::Asking { command: None });
    }

    #[test]
    fn anything_else_is_unknown() {
        for rows in [&["$ "][..], &[], &["Password:"], &[RULE, "text"]] {
            check(rows, (0, 0), &ScreenState::Unknown);
        }
    }
}
