//! Sessions as files people keep: as lines of JSON, as Markdown, or as one page of HTML.

mod blocks;
mod facts;
mod html;
mod markdown;
mod parts;
mod plain;

use crate::error::CliError;
use crate::output::Out;
use blocks::{Block, Blocks};
use taffrail_api::{EventLine, Session};
use taffrail_daemon::Piece;
use taffrail_model::{Event, TurnId};

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    // Documented variants would take a paragraph each in the help.
    Jsonl,
    #[value(alias = "markdown")]
    Md,
    Html,
}

/// A file under way. It holds no more than the calls that wait for their result.
pub(crate) struct Transcript {
    format: Format,
    out: Out,
    /// The title of the page, where it is not that of its one session.
    name: Option<String>,
    sessions: u64,
    turns: usize,
    turn: Option<TurnId>,
    blocks: Blocks,
}

impl Transcript {
    pub(crate) fn new(format: Format, out: Out, name: Option<String>) -> Self {
        let (sessions, turns, turn, blocks) = (0, 0, None, Blocks::default());
        Self { format, out, name, sessions, turns, turn, blocks }
    }

    /// Writes a piece; `false` when nobody reads any more.
    pub(crate) fn piece(&mut self, piece: Piece) -> Result<bool, CliError> {
        match piece {
            Piece::Session(session) => self.session(&session),
            Piece::Event(event) if self.format == Format::Jsonl => self.out.json_line(&event),
            Piece::Event(EventLine::Event(event)) => self.event(&event),
            Piece::Event(EventLine::Removed(_)) => Ok(true),
        }
    }

    /// Writes what is left and gives the number of sessions.
    pub(crate) fn end(mut self) -> Result<u64, CliError> {
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

    fn session(&mut self, session: &Session) -> Result<bool, CliError> {
        self.close()?;
        self.sessions += 1;
        (self.turns, self.turn) = (0, None);
        match self.format {
            Format::Jsonl => Ok(true),
            Format::Md if self.sessions > 1 => {
                self.out.line(&format!("---\n\n{}", markdown::session(session)))
            }
            Format::Md => self.out.line(&markdown::session(session)),
            Format::Html => {
                if self.sessions == 1 {
                    self.head(&facts::title(session))?;
                }
                self.out.line(&html::session(session))
            }
        }
    }

    fn head(&mut self, title: &str) -> Result<bool, CliError> {
        let title = self.name.clone().unwrap_or_else(|| title.to_owned());
        self.out.line(&html::head(&title))
    }

    /// Ends the session under way.
    fn close(&mut self) -> Result<(), CliError> {
        let rest = self.blocks.rest();
        self.write(&rest)?;
        if self.format == Format::Html && self.sessions > 0 {
            self.out.line(html::SESSION_END)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<bool, CliError> {
        let whole = self.blocks.push(event);
        self.write(&whole)
    }

    fn write(&mut self, blocks: &[Block]) -> Result<bool, CliError> {
        let mut is_read = true;
        for block in blocks {
            if let Block::Prompt(said) = block
                && (self.turn.is_none() || self.turn != said.turn)
            {
                self.turns += 1;
                self.turn = said.turn;
                self.out.line(&match self.format {
                    Format::Html => html::turn(self.turns, said),
                    Format::Md | Format::Jsonl => markdown::turn(self.turns, said),
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
