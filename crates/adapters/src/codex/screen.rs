//! What the agent's screen shows: an input with a footer of at most three rows, or a dialog.

use taffrail_kit::screen::{Screen, ScreenState, is_choice};

const MARK: char = '›';
/// The row above the input while the agent works.
const WORKS: &str = "esc to interrupt";
/// The text of a dialog's last row.
const DIALOG: &[&str] = &[
    "enter to confirm",
    "enter confirm",
    "enter/esc confirm",
    "enter select",
    "enter to submit answer",
    "esc to cancel",
];
/// How many rows above the input are searched for it.
const ABOVE: usize = 6;
/// Rows of the footer.
const BELOW: usize = 3;

/// Reads a screen.
pub(super) fn read(screen: &Screen<'_>) -> ScreenState {
    if is_dialog(screen) {
        return ScreenState::Asking { command: command(screen) };
    }
    let last = screen.written().rev().take(BELOW + 1);
    let Some((row, _)) = last.into_iter().find(|(_, it)| it.starts_with(MARK)) else {
        return ScreenState::Unknown;
    };
    let mut above = screen.written().rev().filter(|(at, _)| *at < row).take(ABOVE);
    if above.any(|(_, it)| it.to_lowercase().contains(WORKS)) {
        return ScreenState::Working;
    }
    ScreenState::Ready { empty: screen.is_at_start(row) }
}

fn is_dialog(screen: &Screen<'_>) -> bool {
    let mut rows = screen.written().rev();
    let keys = rows.next().map(|(_, it)| it.to_lowercase()).unwrap_or_default();
    DIALOG.iter().any(|it| keys.contains(it)) && rows.any(|(_, it)| is_choice(it, MARK))
}

/// The command of a request has its own row above the choices.
fn command(screen: &Screen<'_>) -> Option<String> {
    let mut rows = screen.written().rev();
    let found = rows.find_map(|(_, it)| it.strip_prefix("  $ "))?;
    Some(found.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&str], cursor: (usize, usize), expected: &ScreenState) {
        assert_eq!(read(&Screen { rows, cursor }), *expected, "{rows:?}");
    }

    #[test]
    fn an_input_is_ready_unless_a_row_above_says_it_works() {
        let foot = ["  model · /w", "  ? for shortcuts"];
        let done = ["• Done.", "", "› A hint", foot[0], foot[1]];
        check(&done, (2, 2), &ScreenState::Ready { empty: true });
        let typed = ["• Done.", "", "› half a", foot[0], foot[1]];
        check(&typed, (8, 2), &ScreenState::Ready { empty: false });
        let works = ["◦ Working (3s • esc to interrupt) · Hook", "", "› A hint", foot[0]];
        check(&works, (2, 2), &ScreenState::Working);
    }

    #[test]
    fn a_dialog_is_told_with_its_command() {
        let keys = "  Press enter to confirm or esc to cancel";
        let ask = ["  Run this?", "  $ touch /x/out.txt", "", "› 1. Yes (y)", "  2. No", keys];
        let command = Some("touch /x/out.txt".to_owned());
        check(&ask, (0, 3), &ScreenState::Asking { command });
        let news = ["  Meet it", "› 1. Try", "  2. Keep", "  enter/esc confirm · ^c quit"];
        check(&news, (0, 1), &ScreenState::Asking { command: None });
    }

    #[test]
    fn a_question_whose_last_row_names_other_keys_is_a_dialog() {
        let question = [
            "  Which colour?",
            "  › 1. Red   warm",
            "    2. Blue  cold",
            "",
            "  tab to add notes | enter to submit answer | esc to interrupt",
        ];
        check(&question, (0, 1), &ScreenState::Asking { command: None });
    }

    #[test]
    fn a_prompt_is_not_typed_into_the_offer_of_another_model_near_a_limit() {
        let offer = [
            "  Approaching rate limits",
            "› 1. Switch to gpt-6-luna   Fast and affordable.",
            "  2. Keep current model",
            "  3. Keep current model (never show again)",
            "  enter select · esc back",
        ];
        check(&offer, (2, 1), &ScreenState::Asking { command: None });
    }

    #[test]
    fn anything_else_is_unknown() {
        let long = ["› said", "a", "b", "c", "d", "e"];
        for rows in [&["$ "][..], &[], &["Password:"], &long] {
            check(rows, (0, 0), &ScreenState::Unknown);
        }
    }
}
