//! The board of another host, on a terminal.

use super::{LOOK, SESSION, World};
use crate::elsewhere::{asks, requests};
use std::cell::RefCell;
use std::path::Path;
use taffrail_testkit::until_every;

/// The board of the tower on the laptop's screen: a private tmux server that ends with this.
struct Board<'a> {
    world: &'a RefCell<World>,
}

impl<'a> Board<'a> {
    fn start(world: &'a RefCell<World>, words: &[&str]) -> Self {
        let board = Self { world };
        let program = super::PROGRAM.to_owned();
        let address = world.borrow().server.address();
        let all = [
            &[
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "120",
                "-y",
                "40",
                "--",
                &program,
                "link",
                &address,
            ],
            words,
        ];
        board.ask(&all.concat());
        board
    }

    fn ask(&self, words: &[&str]) -> String {
        let world = self.world.borrow();
        let mut tmux = world.laptop.any_command(Path::new("tmux"), world.laptop.root());
        tmux.env("PATH", world.path()).env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
        tmux.env("TMUX_TMPDIR", world.laptop.root()).env_remove("NO_COLOR");
        let output = tmux.args(["-L", "board"]).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn press(&self, key: &str) {
        self.ask(&["send-keys", key]);
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        until_every(LOOK, what, || Some(self.ask(&["capture-pane", "-p"])).filter(|it| is_so(it)))
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |it| it.contains(text))
    }
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
    }
}

/// The decisions in the tower's log: who decided, and what.
fn decided(world: &RefCell<World>) -> Vec<(String, String, String)> {
    let log = world.borrow().tower.json(&["approvals", "log", "--json"]);
    let word =
        |it: &serde_json::Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let all = log["decisions"].as_array().unwrap().iter();
    all.map(|it| (word(it, "by"), word(it, "decision"), word(it, "caller"))).collect()
}

#[test]
fn a_request_there_is_shown_and_waits_on_as_this_board_only_reads() {
    let world = RefCell::new(World::new());
    let _daemon = world.borrow().daemon();
    let (_hook, id) = asks(&world.borrow().tower, SESSION, "npm test");
    let board = Board::start(&world, &[]);
    board.wait_for("read-only");
    board.wait_for("npm test");
    for key in ["a", "d"] {
        board.press(key);
        board.wait_for("--answer");
        board.press("Escape");
        board.wait_until("no note", |it| !it.contains("--answer"));
    }
    assert_eq!(requests(&world.borrow().tower)[0]["id"], id.as_str());
    assert_eq!(decided(&world), []);
    assert_eq!(world.borrow().server.runs(), 1, "one connection for all of it");
}

#[test]
fn with_answer_a_request_there_is_answered_once() {
    let world = RefCell::new(World::new());
    let _daemon = world.borrow().daemon();
    let (hook, id) = asks(&world.borrow().tower, SESSION, "npm test");
    let board = Board::start(&world, &["--answer"]);
    let first = board.wait_for("npm test");
    assert!(!first.contains("read-only"), "{first}");
    // It has to be on the screen long enough to be read.
    until_every(LOOK, "the answer", || {
        board.press("a");
        (!decided(&world).is_empty()).then_some(())
    });
    assert_eq!(hook.answer(), "allow");
    let person = ("board".to_owned(), "allow".to_owned(), "person".to_owned());
    assert_eq!(decided(&world), std::slice::from_ref(&person));
    let late = world.borrow().tower.run(&["deny", &id]);
    assert_eq!(late.status, 6, "{}", late.stderr);
    assert_eq!(decided(&world), [person]);
    assert_eq!(world.borrow().server.runs(), 1, "one connection for all of it");
}

#[test]
fn a_lost_connection_is_said_and_made_again() {
    let world = RefCell::new(World::new());
    let _daemon = world.borrow().daemon();
    let board = Board::start(&world, &[]);
    board.wait_until("the session", |it| it.contains("open") && !it.contains("does not answer"));
    world.borrow_mut().server.stop_listening();
    world.borrow().server.kill_clients();
    board.wait_for("does not answer; connecting again");
    board.wait_for("Connection refused");
    world.borrow_mut().server.listen_again();
    let again = board.wait_until("the session again", |it| !it.contains("does not answer"));
    assert!(again.contains("open"), "{again}");
    assert!(world.borrow().server.runs() > 1);
    board.press("q");
    until_every(LOOK, "the end", || board.ask(&["list-sessions"]).is_empty().then_some(()));
}
