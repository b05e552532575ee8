//! The very first `taffrail`: no index, no daemon, and a user who presses anything.

use crate::board::{PROGRAM, Stage, environment, machine_with};
use std::path::Path;
use taffrail_testkit::Tmux;

fn prompts(count: usize) -> Vec<String> {
    (0..count).map(|it| format!("task number{it} about the harbour")).collect()
}

#[test]
fn the_very_first_board_fills_and_welcomes_once() {
    let machine = machine_with(&prompts(40));
    let path = Path::new(PROGRAM);
    let screen = Tmux::start(&machine, path, &[], &environment());
    screen.wait_for("DONE (40)");
    screen.wait_for("Sessions found: Claude Code (40).");
    screen.press(&["Escape"]);
    screen.wait_until("no welcome", |it| !it.contains("WELCOME"));
    screen.press(&["q"]);
    screen.wait_until("the end", |_| screen.ended());
    drop(screen);
    let again = Tmux::start(&machine, path, &[], &environment());
    again.wait_for("DONE (40)");
    assert!(!again.screen().contains("WELCOME"), "{}", again.screen());
    again.press(&["q"]);
    again.wait_until("the end", |_| again.ended());
    machine.home().ok(&["daemon", "stop"]);
}

/// Keys that neither quit nor give the terminal away, in a pseudorandom order.
#[test]
fn any_keys_in_a_real_terminal_leave_the_board_alive() {
    const KEYS: [&str; 28] = [
        "j", "k", "a", "d", "y", "Enter", "Escape", "Escape", "1", "2", "3", "4", "5", "6", "Tab",
        "l", "n", "N", "t", "/", "f", "?", ":", "+", "-", "e", "Space", "z",
    ];
    let stage = Stage::new(&prompts(12));
    let screen = stage.board();
    let mut drawn = 7_u32;
    for _ in 0..40 {
        let keys: Vec<&str> = (0..10)
            .map(|_| {
                drawn = drawn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                KEYS[usize::try_from(drawn >> 16).unwrap() % KEYS.len()]
            })
            .collect();
        screen.press(&keys);
    }
    screen.press_until(&["Escape"], "the board", |it| it.contains("NEEDS YOU"));
    assert!(!screen.ended(), "{}", screen.screen());
}
