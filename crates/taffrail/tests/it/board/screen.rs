//! What a person does at the board.

use crate::board::Stage;

fn prompts() -> Vec<String> {
    (0..5)
        .map(|it| format!("task number{it} about zzquokka{it} and the marmalade pipeline"))
        .collect()
}

#[test]
fn it_shows_finds_and_quits() {
    let stage = Stage::new(&prompts());
    let screen = stage.board();
    for group in ["NEEDS YOU", "WORKING", "YOUR TURN", "IDLE", "DONE"] {
        screen.wait_for(group);
    }
    screen.wait_for("? help");
    screen.press(&["?"]);
    screen.wait_until("help", |it| it.contains("approve") && it.contains("quit"));
    screen.press(&["Escape"]);
    screen.wait_until("the board", |it| !it.contains("any other key closes"));
    screen.press(&["/"]);
    screen.wait_for("search");
    screen.press(&["-l", "zzquokka3"]);
    screen.wait_for("number3");
    screen.press(&["Enter"]);
    screen.wait_for("turn 1");
    screen.press(&["Escape"]);
    screen.wait_for("SAID");
    screen.press(&["Escape"]);
    screen.wait_for("NEEDS YOU");
    screen.press(&["q"]);
    screen.wait_until("the end", |_| screen.ended());
}

/// The terminal is restored: the main screen, and a cursor.
fn is_given_back(screen: &taffrail_testkit::Tmux<'_>) {
    screen.wait_until("the end", |_| screen.ended());
    assert!(!screen.screen().contains("NEEDS YOU"), "{}", screen.screen());
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told() {
    let stage = Stage::new(&prompts());
    let screen = stage.board();
    screen.press(&[":"]);
    screen.wait_for("What to do");
    screen.press(&["-l", "panic"]);
    screen.wait_for("break down");
    screen.press(&["Enter"]);
    is_given_back(&screen);
    screen.wait_for("asked for with :panic");
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let stage = Stage::new(&prompts());
        let screen = stage.board();
        stage.machine.signal(signal, screen.pid());
        is_given_back(&screen);
    }
}

#[test]
fn it_lives_through_a_daemon_that_ends() {
    let stage = Stage::new(&prompts());
    let screen = stage.board();
    stage.machine.home().ok(&["daemon", "stop"]);
    screen.wait_for("no daemon answers");
    let _again = stage.machine.home().spawn(&["daemon", "run"]);
    screen.wait_until("the board again", |it| !it.contains("no daemon answers"));
    screen.press(&["q"]);
    screen.wait_until("the end", |_| screen.ended());
}

#[test]
fn it_lives_through_any_size() {
    let stage = Stage::new(&prompts());
    let screen = stage.board();
    for (columns, lines) in [(60, 18), (30, 8), (10, 3), (200, 50), (80, 24)] {
        screen.resize(columns, lines);
        if columns >= 30 {
            screen.wait_for("NEEDS YOU");
        }
    }
    screen.press(&["q"]);
    screen.wait_until("the end", |_| screen.ended());
}
