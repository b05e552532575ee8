//! A quick look at a source's head and tail, before it is indexed.

use crate::collector::Collector;
use crate::lines::{LINE_LIMIT, Line, LineReader};
use crate::open_below;
use crate::source::SourceFile;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use taffrail_adapters::{Encoding, Reader, Shape, Source};
use taffrail_model::{Cursor, Facts, Record, RuntimeIdentity, Timestamp};

/// How many bytes of each end are read.
const HEAD: u64 = 64 * 1024;
const TAIL: u64 = 64 * 1024;

/// The result of a quick look.
#[derive(Debug, Clone)]
pub struct Peek {
    /// The session's identity.
    pub who: RuntimeIdentity,
    /// The facts so far.
    pub facts: Facts,
    /// The latest time so far.
    pub last_at: Option<Timestamp>,
}

/// Looks at a file of plain lines; other formats allow no quick look.
#[must_use]
pub fn peek(found: &SourceFile) -> Option<Peek> {
    let Shape::Lines(Encoding::Plain) = found.place.shape else { return None };
    let source = Source { path: &found.path, key: "", scope: "", beside: &[], written: None };
    let mut reader = found.adapter.reader(&source, None);
    let mut collector = Collector::default();
    // The index reports why a file cannot be read.
    look(found, reader.as_mut(), &mut collector).ok()?;
    let (who, facts) = reader.facts().into_iter().next()?;
    Some(Peek { who, facts, last_at: collector.time() })
}

fn look(found: &SourceFile, reader: &mut dyn Reader, collector: &mut Collector) -> io::Result<()> {
    let mut file = open_below(Path::new(&found.home), &found.path)?;
    let size = found.fingerprint.size;
    read(LineReader::new(Read::by_ref(&mut file).take(HEAD), 0, LINE_LIMIT), reader, collector)?;
    if size > HEAD {
        let start = size.saturating_sub(TAIL).max(HEAD);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = LineReader::new(file.take(TAIL), start, LINE_LIMIT);
        // The first line of the tail is the end of an earlier line.
        tail.next()?;
        read(tail, reader, collector)?;
    }
    Ok(())
}

fn read(
    mut lines: LineReader<impl Read>,
    reader: &mut dyn Reader,
    collector: &mut Collector,
) -> io::Result<()> {
    while let Some(line) = lines.next()? {
        if let Line::Whole { offset, bytes } = line {
            let at = Cursor::Bytes { byte_offset: offset, length: bytes.len() as u64 };
            let record = Record { bytes, at };
            collector.begin(&record);
            reader.read(&record, collector);
        }
    }
    Ok(())
}
