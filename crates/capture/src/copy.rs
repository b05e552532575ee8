//! Reading a source from a copy that was kept of it, when the source itself is gone.

use crate::discover::Found;
use crate::lines::{LINE_LIMIT, LineReader};
use crate::pass::{Passing, Reading, SideFiles, pump};
use crate::taker::Taker;
use crate::{Flow, ReadError};
use std::io::{self, Read};
use taffrail_adapters::by_id;
use taffrail_model::observed::{Fingerprint, Held, Observed, Pass};
use taffrail_model::{Cursor, Record};

/// A copy of a source.
pub struct Copied<'a> {
    /// Whose it is.
    pub agent: &'a str,
    /// The home it was in.
    pub home: &'a str,
    /// Its path below that.
    pub path: &'a str,
    /// Which part of the file; otherwise empty.
    pub key: &'a str,
    /// The side files it leaned on, by path.
    pub beside: SideFiles,
    /// What was kept.
    pub content: Content<'a>,
}

/// What was kept of a source.
pub enum Content<'a> {
    /// Its lines.
    Lines(&'a mut dyn Read),
    /// The whole document.
    Document(Vec<u8>),
    /// The rows of a database: table, number and bytes of each.
    Rows(Vec<(String, i64, Vec<u8>)>),
}

impl std::fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Content")
    }
}

impl std::fmt::Debug for Copied<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Copied({}/{})", self.home, self.path)
    }
}

/// Reads a copy as its source would have been read; nothing is to be kept of it again.
///
/// # Errors
/// When no adapter knows the source, or the copy cannot be read.
pub fn read_copy(
    copy: Copied<'_>,
    how: Reading<'_>,
    taker: &mut dyn FnMut(Observed) -> Flow,
) -> Result<(), ReadError> {
    let fault = |error| ReadError::Io { path: copy.path.to_owned(), error };
    let found = found(&copy).ok_or_else(|| fault(io::Error::other("no agent keeps that here")))?;
    let mut passing = Passing::fresh(&found, (copy.key, Pass::Append), how, &copy.beside);
    let mut give = |mut piece: Observed| {
        piece.held = Held::Copy;
        taker(piece)
    };
    match copy.content {
        Content::Lines(input) => {
            pump(LineReader::new(input, 0, LINE_LIMIT), &mut passing, &mut give).map_err(fault)
        }
        Content::Document(bytes) => {
            passing
                .record(&Record { bytes: &bytes, at: Cursor::Pointer { pointer: String::new() } });
            give.piece(passing.end());
            Ok(())
        }
        Content::Rows(rows) => {
            for (table, rowid, bytes) in rows {
                passing.record(&Record { bytes: &bytes, at: Cursor::Row { table, rowid } });
            }
            give.piece(passing.end());
            Ok(())
        }
    }
}

/// The source as it was; its fingerprint is one no file has.
fn found(copy: &Copied<'_>) -> Option<Found> {
    let adapter = by_id(copy.agent)?;
    let place = adapter.place(copy.path)?;
    let fingerprint = Fingerprint { modified_ns: 1, ..Fingerprint::default() };
    Some(Found {
        adapter,
        home: copy.home.to_owned(),
        path: copy.path.to_owned(),
        place,
        fingerprint,
    })
}
