//! Sessions as files to keep: as lines of JSON, as Markdown, or as one HTML page.

mod blocks;
mod facts;
mod html;
mod markdown;
mod parts;
mod plain;
mod rendered;

/// What other pages share with that of a transcript.
pub(crate) mod page {
    pub(crate) use super::html::{FOOT, escape, head};
}

use crate::when::Clock;
use blocks::{Block, Blocks};
use taffrail_api::{EventLine, Session};
use taffrail_model::TurnId;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines of JSON, one event each.
    Jsonl,
    /// Markdown.
    Md,
    /// One HTML page.
    Html,
}

/// The file a transcript is written to.
pub trait Sink {
    /// Why a line could not be written.
    type Error;

    /// Writes one line; `false` when the reader is gone.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be written.
    fn line(&mut self, text: &str) -> Result<bool, Self::Error>;

    /// Writes an event as one line of JSON; `false` when the reader is gone.
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

/// A file being written. It holds only the calls that wait for their result.
#[derive(Debug)]
pub struct Transcript<S> {
    format: Format,
    out: S,
    /// The title of the page, if it differs from that of its only session.
    name: Option<String>,
    sessions: u64,
    turns: usize,
    turn: Option<TurnId>,
    blocks: Blocks,
    clock: Clock,
}

impl<S: Sink> Transcript<S> {
    /// Starts a file.
    pub fn new(format: Format, out: S, name: Option<String>, clock: Clock) -> Self {
        let (sessions, turns, turn, blocks) = (0, 0, None, Blocks::default());
        Self { format, out, name, sessions, turns, turn, blocks, clock }
    }

    /// Writes an event; `false` when the reader is gone.
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

    /// Starts a session; `false` when the reader is gone.
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

    /// Ends the current session.
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
