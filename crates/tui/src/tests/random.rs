//! Random keys at random times, while agents ask, finish and start: nothing breaks, and no request
//! is answered that was not on the screen when the key was pressed.

use super::{Desk, derive, draw, later, samples, text_of, update};
use crate::state::State;
use crate::state::message::{Answer, Ask, Message, News};
use crate::update::press;
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use taffrail_api::{ApprovalRow, Session};
use taffrail_model::approval::ApprovalId;

/// Keys that a person presses, most often those that answer.
const KEYS: [&str; 64] = [
    "a",
    "a",
    "a",
    "a",
    "a",
    "d",
    "d",
    "y",
    "y",
    "y",
    "enter",
    "enter",
    "enter",
    "esc",
    "esc",
    "j",
    "j",
    "j",
    "k",
    "k",
    "space",
    "space",
    "z",
    "1",
    "1",
    "1",
    "2",
    "2",
    "2",
    "3",
    "4",
    "5",
    "6",
    "tab",
    "l",
    "l",
    "h",
    "[",
    "]",
    "t",
    "w",
    "p",
    "n",
    "N",
    "g",
    "G",
    "ctrl-d",
    "ctrl-u",
    "/",
    "x",
    "backspace",
    "f",
    ":",
    "?",
    "@",
    "e",
    "s",
    "+",
    "-",
    "r",
    "H",
    "o",
    "y",
    "q",
];

/// Pseudorandom numbers; the same seed gives the same sequence.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// A machine on which agents start, ask and end.
struct Scene {
    chance: Chance,
    desk: Desk,
    sessions: Vec<Session>,
    requests: Vec<ApprovalRow>,
    count: u32,
    /// The last frame that was drawn.
    frame: String,
    answered: usize,
    refused: usize,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (sessions, requests) = (Vec::new(), Vec::new());
        let desk = Desk::with((80, 24), vec![samples::working()], Vec::new());
        let frame = desk.screen();
        let mut scene =
            Self { chance, desk, sessions, requests, count: 0, frame, answered: 0, refused: 0 };
        (0..6).for_each(|_| scene.come());
        scene
    }

    fn state(&mut self) -> &mut State {
        &mut self.desk.state
    }

    fn come(&mut self) {
        self.count += 1;
        let number = 10 + self.count;
        let executor = [None, Some("tmux:%1"), Some("process:7")][self.chance.below(3)];
        let session = samples::session(
            number,
            &json!({"group": "working", "status": "running", "executor": executor, "pid": 7,
                "project_path": format!("/home/ada/src/p{number}"), "status_since": self.desk.state.now}),
        );
        self.sessions.push(session.clone());
        update(self.state(), Message::News(News::Status(Box::new(session))));
    }

    /// A session makes a new request.
    fn ask(&mut self) {
        let at = self.chance.below(self.sessions.len());
        self.count += 1;
        let risk = ["low", "low", "medium", "high"][self.chance.below(4)];
        let command = format!("cmd{:06}x --force", self.count);
        let mut row = samples::request(&command, risk);
        (row.id, row.session_id) =
            (ApprovalId::new(format!("r{}", self.count)), self.sessions[at].id);
        if self.chance.one_in(8) {
            row.state = serde_json::from_value(json!("at_agent")).unwrap_or(row.state);
        }
        self.requests.push(row);
        self.stand(at);
        self.tell_requests();
    }

    /// A request is settled elsewhere, or its agent is gone.
    fn settle_one(&mut self) {
        if !self.requests.is_empty() {
            let at = self.chance.below(self.requests.len());
            let session = self.requests.remove(at).session_id;
            if let Some(at) = self.sessions.iter().position(|it| it.id == session) {
                self.stand(at);
            }
            self.tell_requests();
        }
    }

    fn tell_requests(&mut self) {
        let rows = self.requests.clone();
        update(self.state(), Message::Answer(Answer::Approvals(rows)));
    }

    /// Sends the current status of a session.
    fn stand(&mut self, at: usize) {
        let id = self.sessions[at].id;
        let asks = self.requests.iter().find(|it| it.session_id == id).cloned();
        let (group, status, waiting) = match asks {
            Some(row) => {
                let text = json!({"kind": "approval", "text": row.command});
                ("needs_you", "waiting_approval", text)
            }
            None => match self.chance.below(4) {
                0 => ("your_turn", "waiting", json!(null)),
                1 => ("done", "exited", json!(null)),
                2 => ("idle", "idle", json!(null)),
                _ => ("working", "running", json!(null)),
            },
        };
        let mut session = serde_json::to_value(&self.sessions[at]).unwrap();
        session["group"] = json!(group);
        session["status"] = json!(status);
        session["waiting_for"] = waiting;
        session["status_since"] = json!(self.desk.state.now);
        self.sessions[at] = serde_json::from_value(session).unwrap();
        let session = Box::new(self.sessions[at].clone());
        update(self.state(), Message::News(News::Status(session)));
    }

    /// Something happens on the machine.
    fn happen(&mut self) {
        match self.chance.below(10) {
            0 if self.sessions.len() < 40 => self.come(),
            0..4 => self.ask(),
            4..7 => self.settle_one(),
            _ => {
                let at = self.chance.below(self.sessions.len());
                self.stand(at);
            }
        }
    }

    /// The daemon answers what it was asked.
    fn answer(&mut self) {
        for ask in std::mem::take(&mut self.desk.state.asks) {
            let answer = match &ask {
                Ask::Decide { id, decision, .. } => {
                    let at = self.requests.iter().position(|it| it.id == *id);
                    at.map(|at| {
                        let row = Box::new(self.requests.remove(at));
                        Answer::Decided { decision: *decision, row }
                    })
                }
                Ask::Approvals => Some(Answer::Approvals(self.requests.clone())),
                _ => None,
            };
            let why = "it is gone".to_owned();
            let answer = answer.unwrap_or(Answer::Failed { asked: ask, why });
            update(self.state(), Message::Answer(answer));
        }
    }

    fn draw(&mut self) {
        let (width, height) = self.desk.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        draw(&self.desk.state, &mut buffer);
        self.frame = text_of(&buffer);
        crate::update::shown::shown(self.state());
    }

    /// The user does something; every answer that is sent was visible.
    fn act(&mut self) {
        let before = self.desk.state.asks.len();
        let is_text = self.desk.state.note.is_some();
        if self.chance.one_in(12) {
            let (width, height) = self.desk.state.size;
            let column = u16::try_from(self.chance.below(usize::from(width))).unwrap();
            let row = u16::try_from(self.chance.below(usize::from(height))).unwrap();
            let kind = MouseEventKind::Down(MouseButton::Left);
            let modifiers = KeyModifiers::NONE;
            update(self.state(), Message::Mouse(MouseEvent { kind, column, row, modifiers }));
        } else {
            let key = KEYS[self.chance.below(KEYS.len())];
            press(self.state(), key);
        }
        let asks = self.desk.state.asks.get(before..).unwrap_or_default();
        let decided = asks.iter().filter_map(|it| match it {
            Ask::Decide { id, .. } => Some(id.clone()),
            _ => None,
        });
        let decided: Vec<ApprovalId> = decided.collect();
        for id in decided {
            let row = self.requests.iter().find(|it| it.id == id);
            let word = row.map(|it| it.command.split(' ').next().unwrap_or_default().to_owned());
            // The daemon refuses a request that was settled elsewhere in the meantime.
            let Some(word) = word else { continue };
            assert!(
                is_shown(&self.frame, &word),
                "{word} was answered, and this was shown:\n{}",
                self.frame
            );
            self.answered += 1;
        }
        self.refused +=
            usize::from(!is_text && self.desk.state.note.as_ref().is_some_and(|it| it.is_bad));
        // The user does not quit, and no other program gets the terminal.
        self.state().effects.clear();
    }

    fn run(&mut self, events: usize) {
        const SIZES: [(u16, u16); 6] =
            [(80, 24), (80, 24), (120, 40), (200, 50), (60, 18), (20, 6)];
        for _ in 0..events {
            match self.chance.below(12) {
                0..3 => self.happen(),
                3 => self.answer(),
                4 => {
                    let ms = [1, 20, 400, 400, 5_000][self.chance.below(5)];
                    self.desk.state.now = later(self.desk.state.now, ms);
                }
                5 if self.chance.one_in(40) => {
                    let size = SIZES[self.chance.below(SIZES.len())];
                    self.state().size = size;
                }
                // A lost user returns to the board.
                6 if self.chance.one_in(4) => {
                    ["esc", "esc", "1"].into_iter().for_each(|it| press(self.state(), it));
                }
                _ => self.act(),
            }
            // Several things may happen before a frame is drawn.
            if self.chance.one_in(2) {
                derive(self.state());
                self.draw();
            }
        }
    }
}

/// True if a command is shown as the one that keys would answer.
fn is_shown(frame: &str, word: &str) -> bool {
    frame.contains(&format!("$ {word}"))
}

fn check(seeds: std::ops::Range<u64>, events: usize) {
    for seed in seeds {
        let mut scene = Scene::new(seed);
        scene.run(events);
        assert!(scene.answered > events / 500, "seed {seed}: {} answered", scene.answered);
        assert!(scene.refused > 0, "seed {seed}: nothing was ever refused");
    }
}

#[test]
fn any_keys_at_any_time_break_nothing_and_answer_only_what_is_shown() {
    check(1..5, 2_500);
}

#[test]
#[ignore = "a hundred thousand events take a minute; a slice of them always runs"]
fn a_hundred_thousand_events_break_nothing() {
    check(100..110, 10_000);
}
