//! Screens and walkthroughs without a terminal: keys go in, a screen comes out.

mod answers;
mod found;
mod hostile;
mod random;
mod screens;
mod start;
mod transcript_view;
mod walks;
mod work;

use crate::paint::theme::{Motion, Palette, Theme};
use crate::samples;
use crate::state::State;
use crate::state::message::{Answer, Ask, Effect, Message, News};
use crate::update::derive::derive;
use crate::update::{press, update};
use crate::view::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use taffrail_api::{ApprovalRow, Session};
use taffrail_model::Timestamp;

/// A board without a terminal.
pub(crate) struct Desk {
    pub(crate) state: State,
    /// Every request so far.
    pub(crate) asked: Vec<Ask>,
    pub(crate) effects: Vec<Effect>,
}

impl Desk {
    pub(crate) fn new(size: (u16, u16)) -> Self {
        let theme = Theme { palette: Palette::Colourless, motion: Motion::Full, is_guessed: false };
        let mut state = State::new(samples::now(), theme, "/home/ada".to_owned());
        state.size = size;
        let mut desk = Self { state, asked: Vec::new(), effects: Vec::new() };
        desk.derive();
        desk
    }

    /// A board with these sessions and requests, seen a while ago.
    pub(crate) fn with(
        size: (u16, u16),
        sessions: Vec<Session>,
        requests: Vec<ApprovalRow>,
    ) -> Self {
        let mut desk = Self::new(size);
        desk.tell(Message::News(News::All(sessions, None)));
        desk.tell(Message::Answer(Answer::Approvals(requests)));
        desk.pass(10_000);
        desk
    }

    pub(crate) fn tell(&mut self, message: Message) {
        update(&mut self.state, message);
        self.derive();
    }

    pub(crate) fn press(&mut self, keys: &[&str]) {
        for key in keys {
            press(&mut self.state, key);
            self.derive();
        }
    }

    /// Types a text, character by character.
    pub(crate) fn type_in(&mut self, text: &str) {
        for letter in text.chars() {
            let key = if letter == ' ' { "space".to_owned() } else { letter.to_string() };
            self.press(&[&key]);
        }
    }

    /// Advances the clock.
    pub(crate) fn pass(&mut self, ms: i64) {
        self.state.now = later(self.state.now, ms);
        self.derive();
    }

    fn derive(&mut self) {
        derive(&mut self.state);
        crate::update::shown::shown(&mut self.state);
        self.asked.append(&mut self.state.asks);
        self.effects.append(&mut self.state.effects);
    }

    pub(crate) fn buffer(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.state.size.0, self.state.size.1));
        draw(&self.state, &mut buffer);
        buffer
    }

    pub(crate) fn screen(&self) -> String {
        text_of(&self.buffer())
    }

    /// The decisions that were sent.
    pub(crate) fn decisions(&self) -> Vec<&Ask> {
        self.asked.iter().filter(|it| matches!(it, Ask::Decide { .. })).collect()
    }
}

fn later(at: Timestamp, ms: i64) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond() + ms).unwrap()
}

/// The text on a screen, without trailing spaces.
pub(crate) fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let mut out = String::new();
    for row in buffer.content.chunks(width) {
        let mut line = String::new();
        let mut skip = 0;
        for cell in row {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            line += cell.symbol();
            skip = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}
