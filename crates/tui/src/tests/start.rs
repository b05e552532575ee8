//! An agent is started from the board: nothing runs before its commands were shown.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Ask, Message};
use crate::state::new::Go;

fn asked(desk: &Desk) -> Vec<(String, Go)> {
    let of = |it: &Ask| match it {
        Ask::New { words, go } => Some((words.join(" "), *go)),
        _ => None,
    };
    desk.asked.iter().filter_map(of).collect()
}

fn answer(desk: &mut Desk, go: Go, said: &str) {
    let words = desk.asked.iter().rev().find_map(|it| match it {
        Ask::New { words, .. } => Some(words.clone()),
        _ => None,
    });
    let (words, said) = (words.unwrap(), vec![said.to_owned()]);
    desk.tell(Message::Answer(Answer::New { words, go, said }));
}

#[test]
fn commands_are_shown_before_they_run() {
    let mut desk = Desk::with((80, 24), vec![samples::working()], Vec::new());
    desk.press(&["c"]);
    desk.type_in("fix it");
    desk.press(&["enter", "enter"]);
    let folder = samples::working().project_path.unwrap();
    let agent = crate::table::short(&samples::working().agent).to_owned();
    let words = format!("new --tmux --in {folder} -- {agent} fix it");
    assert_eq!(asked(&desk), [(words.clone(), Go::Show)]);
    answer(&mut desk, Go::Show, "cd /w && tmux new-session \u{1b}[2J");
    insta::assert_snapshot!("new", desk.screen());
    desk.press(&["enter"]);
    assert_eq!(asked(&desk).last(), Some(&(words, Go::Start)));
    answer(&mut desk, Go::Start, "started in tmux; go there: tmux attach -t x");
    assert!(desk.screen().contains("started in tmux"), "{}", desk.screen());
}

#[test]
fn what_is_changed_is_shown_again() {
    let mut desk = Desk::with((80, 24), vec![samples::working()], Vec::new());
    desk.press(&["c", "enter"]);
    answer(&mut desk, Go::Show, "cd /w && tmux new-session");
    desk.press(&["x", "enter"]);
    assert!(asked(&desk).iter().all(|it| it.1 == Go::Show), "{:?}", asked(&desk));
    desk.press(&["esc"]);
    assert!(desk.screen().contains("nothing was started"), "{}", desk.screen());
}
