//! A first look at a source: its head and its tail, before anything is indexed.

use crate::discover::Found;
use crate::gather::Gathered;
use crate::lines::{LINE_LIMIT, Line, LineReader};
use crate::open_below;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use taffrail_adapters::{Encoding, Reader, Shape, Source};
use taffrail_model::{Cursor, Facts, Record, RuntimeIdentity, Timestamp};

/// How much of each end is read.
const HEAD: u64 = 64 * 1024;
const TAIL: u64 = 64 * 1024;

/// What a first look tells.
#[derive(Debug, Clone)]
pub struct Peek {
    /// Which session it is.
    pub who: RuntimeIdentity,
    /// What is known so far.
    pub facts: Facts,
    /// The latest time met.
    pub last_at: Option<Timestamp>,
}

/// Looks at a line file; other shapes have no cheap first look.
#[must_use]
pub fn peek(found: &Found) -> Option<Peek> {
    let Shape::Lines(Encoding::Plain) = found.place.shape else { return None };
    let source = Source { path: &found.path, key: "", scope: "", beside: &[] };
    let mut reader = found.adapter.reader(&source, None);
    let mut gathered = Gathered::default();
    // A file that cannot be read has nothing to show yet; the index says why.
    look(found, reader.as_mut(), &mut gathered).ok()?;
    let (who, facts) = reader.facts().into_iter().next()?;
    Some(Peek { who, facts, last_at: gathered.time() })
}

fn look(found: &Found, reader: &mut dyn Reader, gathered: &mut Gathered) -> io::Result<()> {
    let mut file = open_below(Path::new(&found.home), &found.path)?;
    let size = found.fingerprint.size;
    read(LineReader::new(Read::by_ref(&mut file).take(HEAD), 0, LINE_LIMIT), reader, gathered)?;
    if size > HEAD {
        let start = size.saturating_sub(TAIL).max(HEAD);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = LineReader::new(file.take(TAIL), start, LINE_LIMIT);
        // The first line of the tail is the end of one that began before it.
        tail.next()?;
        read(tail, reader, gathered)?;
    }
    Ok(())
}

fn read(
    mut lines: LineReader<impl Read>,
    reader: &mut dyn Reader,
    gathered: &mut Gathered,
) -> io::Result<()> {
    while let Some(line) = lines.next()? {
        if let Line::Whole { offset, bytes } = line {
            let at = Cursor::Bytes { byte_offset: offset, length: bytes.len() as u64 };
            let record = Record { bytes, at };
            gathered.begin(&record);
            reader.read(&record, gathered);
        }
    }
    Ok(())
}
