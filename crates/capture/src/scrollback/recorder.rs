//! Records the output of a terminal into two files that replace each other.

use super::cast::{CastEvent, Header};
use super::replay::{HIDDEN, SCREEN};
use super::{BEFORE, LATEST};
use crate::pty::{Size, View};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::Duration;
use taffrail_model::Timestamp;

/// The smallest limit of a scrollback, in bytes: below it, one screen could fill it.
pub const SMALLEST_SCROLLBACK: u64 = 64 * 1024;
/// Output is written at once when this much of it waits.
const PIECE: usize = 8 * 1024;
/// The longest beginning of a character.
const TAIL: usize = 3;

/// Records the output of one run. Any error ends the recording.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    /// The most bytes of a part: half of the limit.
    most: u64,
    started_at: Timestamp,
    size: Size,
    part: Option<Part>,
    parts: u32,
    pending: Vec<u8>,
    is_hidden: bool,
}

/// The file that is being written.
#[derive(Debug)]
struct Part {
    file: File,
    began: Duration,
    written: u64,
}

/// The time since the start of the run, and the screen.
type Moment<'a> = (Duration, &'a View);

impl Recorder {
    /// A recorder into the folder of a run. It writes nothing before the first output.
    #[must_use]
    pub fn new(folder: PathBuf, limit: u64, (size, started_at): (Size, Timestamp)) -> Self {
        Self {
            folder,
            most: limit.max(SMALLEST_SCROLLBACK) / 2,
            started_at,
            size,
            part: None,
            parts: 0,
            pending: Vec::new(),
            is_hidden: false,
        }
    }

    /// Takes output that the screen already shows; it is written with the next `flush`.
    ///
    /// # Errors
    /// As `flush`.
    pub fn take(&mut self, bytes: &[u8], now: Moment<'_>) -> io::Result<()> {
        self.is_hidden = false;
        self.pending.extend_from_slice(bytes);
        if self.pending.len() < PIECE { Ok(()) } else { self.flush(now) }
    }

    /// Leaves out output while a hidden line is typed, and marks the gap.
    ///
    /// # Errors
    /// As `flush`.
    pub fn hide(&mut self, now: Moment<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.is_hidden, true) {
            return Ok(());
        }
        self.flush(now)?;
        self.write(&CastEvent::Marker(HIDDEN.to_owned()), now)
    }

    /// Records a new size of the terminal.
    ///
    /// # Errors
    /// As `flush`.
    pub fn resize(&mut self, size: Size, now: Moment<'_>) -> io::Result<()> {
        self.flush(now)?;
        self.size = size;
        if self.part.is_some() { self.write(&CastEvent::Resized(size), now) } else { Ok(()) }
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// `NotFound` when somebody removed the run; otherwise when the disk does not take it.
    pub fn flush(&mut self, now: Moment<'_>) -> io::Result<()> {
        let text = complete_text(&mut self.pending);
        if text.is_empty() { Ok(()) } else { self.write(&CastEvent::Output(text), now) }
    }

    fn write(&mut self, event: &CastEvent, (at, view): Moment<'_>) -> io::Result<()> {
        let part = match self.part.take() {
            Some(part) => part,
            None => self.begin(at)?,
        };
        if part.file.metadata()?.nlink() == 0 {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let line = event.line(at.saturating_sub(part.began));
        self.part = Some(part.with(&line, self.most)?);
        let written = self.part.as_ref().map_or(0, |it| it.written);
        // A part that is nearly full ends between two events, so that nothing is lost.
        if written > self.most / 4 * 3 { self.turn_over((at, view)) } else { Ok(()) }
    }

    fn begin(&mut self, at: Duration) -> io::Result<Part> {
        self.parts += 1;
        let mut options = OpenOptions::new();
        let file =
            options.write(true).create_new(true).mode(0o600).open(self.folder.join(LATEST))?;
        let seconds = i64::try_from(at.as_secs()).unwrap_or(i64::MAX);
        let began_at = self.started_at.as_second().saturating_add(seconds);
        let header = Header::new(self.size, began_at, self.parts).line();
        Part { file, began: at, written: 0 }.with(&header, u64::MAX)
    }

    /// Begins the next part, with the screen as it is.
    fn turn_over(&mut self, (at, view): Moment<'_>) -> io::Result<()> {
        fs::rename(self.folder.join(LATEST), self.folder.join(BEFORE))?;
        let part = self.begin(at)?;
        let part =
            part.with(&CastEvent::Marker(SCREEN.to_owned()).line(Duration::ZERO), self.most)?;
        let screen = CastEvent::Output(view.formatted()).line(Duration::ZERO);
        self.part = Some(part.with(&screen, self.most / 2)?);
        Ok(())
    }
}

impl Part {
    /// With another line, unless the part would become longer than `most`: a screen or a piece that
    /// large is left out.
    fn with(mut self, line: &str, most: u64) -> io::Result<Self> {
        let length = line.len() as u64;
        if self.written.saturating_add(length) <= most {
            self.file.write_all(line.as_bytes())?;
        }
        // A line that was left out counts, so that the next part begins with the screen.
        self.written = self.written.saturating_add(length);
        Ok(self)
    }
}

/// Takes the text out of the buffer, up to a character that is not complete.
fn complete_text(bytes: &mut Vec<u8>) -> String {
    let is_open = |from: usize| {
        let tail = bytes.get(from..).unwrap_or_default();
        !tail.is_empty() && std::str::from_utf8(tail).is_err_and(|it| it.error_len().is_none())
    };
    let first = bytes.len().saturating_sub(TAIL);
    let end = (first..bytes.len()).find(|from| is_open(*from)).unwrap_or(bytes.len());
    let rest = bytes.split_off(end);
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = rest;
    text
}

#[cfg(test)]
mod tests;
