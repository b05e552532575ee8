//! A real agent waits, and a user answers it from the board.

use crate::agents::PROGRAM;
use crate::agents::desk::{decision, goes_on, held, stage};
use crate::agents::expected::Evidence;
use crate::agents::sending::{begun, prompts};
use crate::agents::stage::{PAUSE, Stage};
use std::path::Path;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::{Tmux, until_every};

/// The board beside an agent that asks.
fn answered(word: &str, press: impl Fn(&Tmux<'_>), is_made: bool) {
    let stage = stage(Agent::Claude);
    let (screen, _) = held(&stage);
    let board = Tmux::start(&stage.machine, Path::new(PROGRAM), &[], &[]);
    board.wait_until("the request", |it| it.contains("1 needs you") && it.contains("a approve"));
    press(&board);
    goes_on(&stage, &screen);
    let decided = decision(&stage, "taken");
    assert_eq!((&decided["decision"], &decided["by"]), (&word.into(), &"board".into()));
    assert_eq!(stage.machine.project().join("made.txt").exists(), is_made, "{word}");
    board.press(&["q"]);
    board.wait_until("the end", |_| board.ended());
    drop(screen);
    stage.check_daemon();
}

#[test]
fn claude_is_allowed_from_the_board() {
    // A request that has just appeared is not answered; a person would press again.
    let press = |board: &Tmux<'_>| {
        board.press_until(&["a"], "the end of waiting", |it| !it.contains("1 needs you"));
    };
    answered("allow", press, true);
}

#[test]
fn claude_is_denied_from_the_board() {
    let press = |board: &Tmux<'_>| {
        board.press_until(&["d"], "the question", |it| it.contains("Enter deny"));
        board.press(&["Enter"]);
    };
    answered("deny", press, false);
}

#[test]
fn claude_is_sent_a_prompt_from_the_board() {
    let stage = Stage::new(Agent::Claude, Evidence::Hooks);
    let (screen, id) = begun(&stage);
    let board = Tmux::start(&stage.machine, Path::new(PROGRAM), &[], &[]);
    board.wait_for("YOUR TURN (1)");
    board.press_until(&["s"], "the box", |it| it.contains("Send to"));
    board.enter("From the board [[scenario:hello]]");
    board.wait_for("the agent has started on it");
    let second = || prompts(&stage, &id).into_iter().nth(1);
    let told = until_every(PAUSE, "the prompt's line", second);
    assert_eq!(told, "From the board [[scenario:hello]]");
    board.press(&["q"]);
    board.wait_until("the end", |_| board.ended());
    drop(screen);
    stage.check_daemon();
}
