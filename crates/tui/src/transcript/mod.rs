//! Sessions as files people keep: as lines of JSON, as Markdown, or as one page of HTML.

mod blocks;
mod facts;
mod html;
mod markdown;
mod parts;
mod plain;
mod rendered;

use crate::when::Clock;
use blocks::{Block, Blocks};
use taffrail_api::{EventLine, Session};
use taffrail_model::TurnId;

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines of JSON, one event each.
    Jsonl,
    /// Markdown.
    Md,
    /// One page of HTML.
    Html,
}

/// The file a transcript is written to.
pub trait Sink {
    /// Why a line could not be written.
    type Error;

    /// Writes one line; `false` when nobody reads any more.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be written.
    fn line(&mut self, text: &str) -> Result<bool, Self::Error>;

    /// Writes an event as one line of JSON; `false` when nobody reads any more.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be written.
    fn json_line(&mut self, event: &EventLine) -> Result<bool, Self::Error>;

    /// Flushes the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    fn end(&mut self) -> Result<(), Self::Error>;
}

/// A file under way. It holds no more than the calls that wait for their result.
#[derive(Debug)]
pub struct Transcript<S> {
    format: Format,
    out: S,
    /// The title of the page, where it is not that of its one session.
    name: Option<String>,
    sessions: u64,
    turns: usize,
    turn: Option<TurnId>,
    blocks: Blocks,
    clock: Clock,
}

impl<S: Sink> Transcript<S> {
    /// Begins a file.
    pub fn new(format: Format, out: S, name: Option<String>, clock: Clock) -> Self {
        let (sessions, turns, turn, blocks) = (0, 0, None, Blocks::default());
        Self { format, out, name, sessions, turns, turn, blocks, clock }
    }

    /// Writes an event; `false` when nobody reads any more.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn event(&mut self, event: &EventLine) -> Result<bool, S::Error> {
        match event {
            line if self.format == Format::Jsonl => self.out.json_line(line),
            EventLine::Event(event) => {
                let whole = self.blocks.push(event);
                self.write(&whole)
            }
            EventLine::Removed(_) => Ok(true),
        }
    }

    /// Writes the rest and returns the number of sessions.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn end(mut self) -> Result<u64, S::Error> {
        if self.format == Format::Html && self.sessions == 0 {
            self.head("No sessions")?;
        }
        self.close()?;
        if self.format == Format::Html {
            self.out.line(html::FOOT)?;
        }
        self.out.end()?;
        Ok(self.sessions)
    }

    /// Begins a session; `false` when nobody reads any more.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn session(&mut self, session: &Session) -> Result<bool, S::Error> {
        self.close()?;
        self.sessions += 1;
        (self.turns, self.turn) = (0, None);
        match self.format {
            Format::Jsonl => Ok(true),
            Format::Md if self.sessions > 1 => {
                self.out.line(&format!("---\n\n{}", markdown::session(session, &self.clock)))
            }
            Format::Md => self.out.line(&markdown::session(session, &self.clock)),
            Format::Html => {
                if self.sessions == 1 {
                    self.head(&facts::title(session))?;
                }
                self.out.line(&html::session(session, &self.clock))
            }
        }
    }

    fn head(&mut self, title: &str) -> Result<bool, S::Error> {
        let title = self.name.clone().unwrap_or_else(|| title.to_owned());
        self.out.line(&html::head(&title))
    }

    /// Ends the session under way.
    fn close(&mut self) -> Result<(), S::Error> {
        let rest = self.blocks.rest();
        self.write(&rest)?;
        if self.format == Format::Html && self.sessions > 0 {
            self.out.line(html::SESSION_END)?;
        }
        Ok(())
    }

    fn write(&mut self, blocks: &[Block]) -> Result<bool, S::Error> {
        let mut is_read = true;
        for block in blocks {
            if let Block::Prompt(said) = block
                && (self.turn.is_none() || self.turn != said.turn)
            {
                self.turns += 1;
                self.turn = said.turn;
                self.out.line(&match self.format {
                    Format::Html => html::turn(self.turns, said, &self.clock),
                    Format::Md | Format::Jsonl => markdown::turn(self.turns, said, &self.clock),
                })?;
            }
            is_read = self.out.line(&match self.format {
                Format::Html => html::block(block),
                Format::Md | Format::Jsonl => markdown::block(block),
            })?;
        }
        Ok(is_read)
    }
}
