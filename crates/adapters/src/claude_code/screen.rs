//! What the agent's screen shows: an input between two rules with a footer below, or a dialog.

use taffrail_kit::screen::{Screen, ScreenState, is_choice, is_rule};

const MARK: char = '❯';
/// The text of the footer while the agent works.
const WORKS: &str = "esc to interrupt";
/// The text of a dialog's last row.
const DIALOG: &[&str] = &["esc to cancel", "enter to confirm", "enter to select"];

/// Reads a screen.
pub(super) fn read(screen: &Screen<'_>) -> ScreenState {
    if is_dialog(screen) {
        return ScreenState::Asking { command: command(screen) };
    }
    let Some((top, bottom)) = last_two(screen, '─') else { return ScreenState::Unknown };
    let Some((row, input)) = screen.written().find(|(at, _)| *at > top) else {
        return ScreenState::Unknown;
    };
    if row >= bottom || !input.starts_with(MARK) {
        return ScreenState::Unknown;
    }
    let mut footer = screen.written().filter(|(at, _)| *at > bottom);
    if footer.any(|(_, it)| it.to_lowercase().contains(WORKS)) {
        return ScreenState::Working;
    }
    let is_bare = bottom == row + 1 && input.trim_end() == MARK.to_string();
    ScreenState::Ready { empty: is_bare || screen.is_at_start(row) }
}

/// A dialog's last row lists the keys, and a choice is marked above it.
fn is_dialog(screen: &Screen<'_>) -> bool {
    let mut rows = screen.written().rev();
    let keys = rows.next().map(|(_, it)| it.to_lowercase()).unwrap_or_default();
    let is_marked = |row: &str| row.trim().starts_with(MARK);
    DIALOG.iter().any(|it| keys.contains(it)) && rows.any(|(_, it)| is_marked(it))
}

/// The text between the two broken rules of a request.
fn command(screen: &Screen<'_>) -> Option<String> {
    let (top, bottom) = last_two(screen, '╌')?;
    let choices = screen.written().filter(|(at, it)| *at > bottom && is_choice(it, MARK));
    if choices.count() == 0 {
        return None;
    }
    let rows = screen.written().filter(|(at, _)| *at > top && *at < bottom);
    let rows: Vec<_> = rows.map(|(_, it)| it.trim()).collect();
    (!rows.is_empty()).then(|| rows.join(" "))
}

fn last_two(screen: &Screen<'_>, mark: char) -> Option<(usize, usize)> {
    let mut rules = screen.written().rev().filter(|(_, it)| is_rule(it, mark));
    let (bottom, _) = rules.next()?;
    rules.next().map(|(top, _)| (top, bottom))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "────────────────────────";
    const BROKEN: &str = "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌";

    fn shown(rows: &[&str], cursor: (usize, usize)) -> ScreenState {
        read(&Screen { rows, cursor })
    }

    fn asking(command: &str) -> ScreenState {
        ScreenState::Asking { command: (!command.is_empty()).then(|| command.to_owned()) }
    }

    #[test]
    fn an_input_is_ready_unless_the_footer_says_it_works() {
        let check = |input: &str, footer: &str, cursor: (usize, usize), expected: ScreenState| {
            let rows = ["● Done.", "", RULE, input, RULE, footer];
            assert_eq!(shown(&rows, cursor), expected, "{input} {footer}");
        };
        check("❯", "  ⏸ mode on", (2, 3), ScreenState::Ready { empty: true });
        check("❯ Try \"how\"", "  ⏸ mode on", (2, 3), ScreenState::Ready { empty: true });
        check("❯ half a", "  ⏸ mode on", (8, 3), ScreenState::Ready { empty: false });
        check("❯", "  ⏸ mode on · esc to interrupt", (2, 3), ScreenState::Working);
        check("❯ next", "  ⏸ mode on · esc to interrupt", (6, 3), ScreenState::Working);
        check("$ vim", "  ⏸ mode on", (5, 3), ScreenState::Unknown);
        let two = ["● Done.", RULE, "❯", "  a second line", RULE, "  ⏸ mode on"];
        assert_eq!(shown(&two, (15, 3)), ScreenState::Ready { empty: false });
    }

    #[test]
    fn a_dialog_is_told_with_its_command() {
        let keys = " Esc to cancel · Tab to amend";
        let ask =
            [RULE, " Bash command", BROKEN, " touch a &&", " echo b", BROKEN, " Do you want?"];
        let mut rows = ask.to_vec();
        rows.extend([" ❯ 1. Yes", "   2. No", keys, ""]);
        assert_eq!(shown(&rows, (0, 7)), asking("touch a && echo b"));
        let question = [RULE, "Which?", "❯ 1. Red", "  2. Blue", RULE, "Enter to select · ↑/↓"];
        assert_eq!(shown(&question, (0, 2)), asking(""));
        let trust = [RULE, " Safe?", " ❯ No, exit", "   Yes", " Enter to confirm · Esc to cancel"];
        assert_eq!(shown(&trust, (0, 2)), asking(""));
        // The same words in a conversation do not make a dialog.
        let said = ["● Press Esc to cancel", RULE, "❯", RULE, "  ⏸ mode on"];
        assert_eq!(shown(&said, (2, 2)), ScreenState::Ready { empty: true });
    }

    #[test]
    fn anything_else_is_unknown() {
        for rows in [&["$ "][..], &[], &["", RULE], &[RULE, RULE], &["Password:"], &["❯ "]] {
            assert_eq!(shown(rows, (0, 0)), ScreenState::Unknown, "{rows:?}");
        }
    }
}
