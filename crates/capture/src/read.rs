//! Reads what a job asks for: lines, a document, or a database.

use crate::lines::{LINE_LIMIT, Line, LineReader};
use crate::pass::{Reading, SourcePass};
use crate::plan::Job;
use crate::sink::{Flow, Taker};
use crate::zstd::unzstd;
use crate::{ReadError, database, folder, open_below};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use taffrail_adapters::{Encoding, Shape};
use taffrail_model::hash;
use taffrail_model::observed::Pass;
use taffrail_model::{Cursor, Record};

/// How many bytes before the cursor are read at a time for a taker that lacks them.
const AGAIN_BYTES: usize = 1024 * 1024;
/// The largest document that is read.
const DOCUMENT_LIMIT: u64 = 256 * 1024 * 1024;

/// Reads what a job asks for and hands each piece to the taker.
///
/// # Errors
/// When the source cannot be read. Pieces handed over before the error remain valid.
pub fn read(job: &Job, how: Reading<'_>, taker: &mut dyn Taker) -> Result<(), ReadError> {
    let result = match job.found.place.shape {
        Shape::Lines(encoding) => lines(job, encoding, how, taker),
        Shape::Document => document(job, is_json, how, taker),
        Shape::Text => document(job, |bytes| std::str::from_utf8(bytes).is_ok(), how, taker),
        Shape::Folder(plan) => folder::read(job, plan, how, taker),
        Shape::Sqlite(plan) => return database::read(job, plan, how, taker),
    };
    result.map_err(|error| ReadError::Io { path: job.found.path.clone(), error })
}

fn lines(job: &Job, encoding: Encoding, how: Reading<'_>, taker: &mut dyn Taker) -> io::Result<()> {
    let mut file = open_below(Path::new(&job.found.home), &job.found.path)?;
    let pass = match encoding {
        Encoding::Plain => continued(job, &mut file)?,
        // A compressed file cannot be read from the middle.
        Encoding::Zstd if job.known.is_some() => Pass::Again,
        Encoding::Zstd => Pass::Append,
    };
    let mut source_pass = SourcePass::begin(job, "", pass, how);
    let offset = source_pass.state.offset;
    match encoding {
        Encoding::Plain => {
            hand_over_again(&mut file, offset, taker)?;
            file.seek(SeekFrom::Start(offset))?;
            pump(LineReader::new(file, offset, LINE_LIMIT), &mut source_pass, taker)
        }
        Encoding::Zstd => {
            taker.lines_from(0);
            pump(LineReader::new(unzstd(file)?, 0, LINE_LIMIT), &mut source_pass, taker)
        }
    }
}

/// Hands the bytes before the cursor to a taker that lacks them.
fn hand_over_again(file: &mut File, offset: u64, taker: &mut dyn Taker) -> io::Result<()> {
    let mut from = taker.lines_from(offset);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = vec![0; if from < offset { AGAIN_BYTES } else { 0 }];
    while from < offset {
        let wanted = usize::try_from(offset - from).unwrap_or(AGAIN_BYTES).min(bytes.len());
        let slice = bytes.get_mut(..wanted).unwrap_or_default();
        file.read_exact(slice)?;
        taker.lines(from, slice);
        from += wanted as u64;
    }
    Ok(())
}

/// A file counts as appended to only if the last consumed line is unchanged at its offset.
fn continued(job: &Job, file: &mut File) -> io::Result<Pass> {
    let Some(known) = job.known.as_ref().filter(|_| job.pass == Pass::Append) else {
        return Ok(job.pass);
    };
    let Some(last) = known.last_line else { return Ok(Pass::Append) };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(last.offset))?;
    Read::by_ref(file).take(last.length + 1).read_to_end(&mut bytes)?;
    let stands = bytes.pop() == Some(b'\n') && hash::checksum(&bytes) == last.hash;
    Ok(if stands { Pass::Append } else { Pass::Again })
}

pub(crate) fn pump(
    mut input: LineReader<impl Read>,
    source_pass: &mut SourcePass<'_>,
    taker: &mut dyn Taker,
) -> io::Result<()> {
    loop {
        let before = input.consumed();
        let Some(line) = input.next()? else { break };
        if let Line::Whole { offset, bytes } = line {
            taker.lines(offset, bytes);
            taker.lines(offset + bytes.len() as u64, b"\n");
        }
        match line {
            Line::Whole { bytes: [], .. } => {}
            Line::Whole { offset, bytes } => {
                let at = Cursor::Bytes { byte_offset: offset, length: bytes.len() as u64 };
                source_pass.record(&Record { bytes, at });
            }
            Line::TooLong => source_pass.collector.outcome.skipped_records += 1,
        }
        source_pass.state.offset = input.consumed();
        source_pass.collector.outcome.bytes_read += input.consumed() - before;
        if source_pass.is_full() && taker.piece(source_pass.part()) == Flow::Stop {
            return Ok(());
        }
    }
    taker.piece(source_pass.end());
    Ok(())
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

fn document(
    job: &Job,
    is_whole: fn(&[u8]) -> bool,
    how: Reading<'_>,
    taker: &mut dyn Taker,
) -> io::Result<()> {
    let file = open_below(Path::new(&job.found.home), &job.found.path)?;
    let mut bytes = Vec::new();
    file.take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= DOCUMENT_LIMIT;
    // An incomplete document proves nothing, least of all that its earlier events are gone.
    let whole = fits && is_whole(&bytes);
    let pass = if whole { Pass::Again } else { Pass::Append };
    let mut source_pass = SourcePass::begin(job, "", pass, how);
    source_pass.collector.outcome.bytes_read = bytes.len() as u64;
    if whole {
        taker.document(&bytes);
        let at = Cursor::Pointer { pointer: String::new() };
        source_pass.record(&Record { bytes: &bytes, at });
    } else {
        source_pass.collector.outcome.skipped_records = 1;
    }
    taker.piece(source_pass.end());
    Ok(())
}
