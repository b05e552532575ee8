//! Reads a source from its archived copy when the source itself is gone.

use crate::lines::{LINE_LIMIT, LineReader};
use crate::pass::{Reading, SideFiles, SourcePass};
use crate::read::pump;
use crate::sink::Taker;
use crate::source::{SourceFile, place_of};
use crate::{Flow, ReadError};
use std::io::{self, Read};
use taffrail_adapters::by_id;
use taffrail_model::observed::{Fingerprint, Held, Observed, Pass};
use taffrail_model::{Cursor, Record};

/// A copy of a source.
pub struct Copied<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The home of the source.
    pub home: &'a str,
    /// The path below the home.
    pub path: &'a str,
    /// The session's key in files that hold several; otherwise empty.
    pub key: &'a str,
    /// The side files of the source, by path.
    pub beside: SideFiles,
    /// The archived content.
    pub content: Content<'a>,
}

/// The archived content of a source.
pub enum Content<'a> {
    /// The lines of the source.
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

/// Reads a copy as its source would have been read; the copy is not archived again.
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
    let mut source_pass = SourcePass::fresh(&found, (copy.key, Pass::Append), how, &copy.beside);
    let mut give = |mut piece: Observed| {
        piece.held = Held::Copy;
        taker(piece)
    };
    match copy.content {
        Content::Lines(input) => {
            pump(LineReader::new(input, 0, LINE_LIMIT), &mut source_pass, &mut give).map_err(fault)
        }
        Content::Document(bytes) => {
            source_pass
                .record(&Record { bytes: &bytes, at: Cursor::Pointer { pointer: String::new() } });
            give.piece(source_pass.end());
            Ok(())
        }
        Content::Rows(rows) => {
            for (table, rowid, bytes) in rows {
                source_pass.record(&Record { bytes: &bytes, at: Cursor::Row { table, rowid } });
            }
            give.piece(source_pass.end());
            Ok(())
        }
    }
}

/// The source as it was; no real file has its fingerprint.
fn found(copy: &Copied<'_>) -> Option<SourceFile> {
    let adapter = by_id(copy.agent)?;
    let place = place_of(adapter, copy.path)?;
    let fingerprint = Fingerprint { modified_ns: 1, ..Fingerprint::default() };
    Some(SourceFile {
        adapter,
        home: copy.home.to_owned(),
        path: copy.path.to_owned(),
        place,
        fingerprint,
    })
}
