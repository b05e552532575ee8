//! Foreign text reaches a terminal only as text, whatever prints it.

use crate::board::Stage;

/// Escape sequences that would change a title, a clipboard, a link, a colour or the screen.
const PAYLOADS: [&str; 8] = [
    "\u{1b}]0;pwned\u{7}",
    "\u{1b}]52;c;cHduZWQ=\u{7}",
    "\u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}",
    "\u{1b}[31mred",
    "\u{1b}[2J\u{1b}[?1049l",
    "\u{9b}31m\u{9d}0;pwned\u{9c}",
    "a\u{202e}gpj.exe\u{200b}",
    "\u{1b}P$q\"p\u{1b}\\",
];

#[test]
fn plain_commands_print_text_only() {
    let prompts: Vec<String> = PAYLOADS.iter().map(|it| format!("{it} marmalade")).collect();
    let stage = Stage::new(&prompts);
    let id = stage.machine.home().sessions()[0]["id"].as_str().unwrap().to_owned();
    for arguments in [&["ls"][..], &["feed"], &["show", &id], &["search", "marmalade"], &["status"]]
    {
        let said = stage.machine.home().run(arguments);
        let all = said.stdout + &said.stderr;
        let bad = |it: char| it.is_control() && it != '\n' || matches!(it, '\u{202e}' | '\u{200b}');
        assert!(!all.contains(bad), "{arguments:?}: {all:?}");
    }
}

#[test]
fn the_board_shows_text_only() {
    let prompts: Vec<String> = PAYLOADS.iter().map(|it| format!("{it} marmalade")).collect();
    let stage = Stage::new(&prompts);
    let screen = stage.board();
    screen.wait_for("marmalade");
    let title = screen.title();
    assert!(!title.contains("pwned"), "{title}");
    assert!(screen.screen().contains("NEEDS YOU"), "{}", screen.screen());
    screen.press(&["q"]);
    screen.wait_until("the end", |_| screen.ended());
}
