//! The history of a feature: appends a line, reads the tail, or reads all of it.

use crate::error::WorkError;
use crate::place::Place;
use rustix::fs::OFlags;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{HistoryLine, Kind, checksum, validate};
use taffrail_model::Timestamp;

/// The longest line, in bytes.
pub(crate) const LINE_MAX: usize = 1024 * 1024;
/// How much of the tail is read first, and at most. Beyond that the history counts as one without changes.
const FIRST_LOOK: u64 = 64 * 1024;
const LONGEST_LOOK: u64 = 64 * 1024 * 1024;

/// The tail of a history.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// The latest timestamp in it.
    pub(crate) last: Option<Timestamp>,
    /// The lines with a change, oldest first: at least the last one, and all since the requested
    /// timestamp.
    pub(crate) changes: Vec<HistoryLine>,
}

/// A line that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Its bytes, without the line end.
    pub(crate) bytes: Vec<u8>,
    /// The error.
    pub(crate) why: String,
}

/// The full content of a history.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    pub(crate) lines: Vec<HistoryLine>,
    pub(crate) bad: Vec<BadLine>,
}

/// Appends one line in one write, and syncs it.
pub(crate) fn append(history: &Place, line: &HistoryLine) -> Result<(), WorkError> {
    let failed = history.failed();
    let mut text = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
    if text.len() >= LINE_MAX {
        return Err(WorkError::refused(format!(
            "a line of history is shorter than {LINE_MAX} bytes"
        )));
    }
    text.push('\n');
    history.append(text.as_bytes())
}

/// Reads the tail back to the last change that is not after this instant.
pub(crate) fn tail(history: &Place, until: Timestamp) -> Result<Tail, WorkError> {
    let Some(mut file) = history.file(OFlags::RDONLY)? else { return Ok(Tail::default()) };
    let size = file.seek(SeekFrom::End(0)).map_err(history.failed())?;
    let mut look = FIRST_LOOK;
    loop {
        let begin = size.saturating_sub(look);
        let bytes = from(&mut file, begin).map_err(history.failed())?;
        let tail = read_tail(&bytes, begin == 0);
        let is_enough = tail.changes.first().is_some_and(|line| line.timestamp <= until);
        if is_enough || begin == 0 || look >= LONGEST_LOOK {
            return Ok(tail);
        }
        look *= 8;
    }
}

fn from(file: &mut File, begin: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(begin))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_tail(bytes: &[u8], is_whole: bool) -> Tail {
    // The first piece may be the end of a line.
    let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').skip(usize::from(!is_whole)).collect();
    let read = |line: &&[u8]| serde_json::from_slice::<HistoryLine>(line).ok();
    let last = lines.iter().rev().find_map(read).map(|line| line.timestamp);
    let named = lines.iter().filter(|line| names_change(line)).filter_map(read);
    Tail { last, changes: named.filter(|line| line.change.is_some()).collect() }
}

/// A cheap test that never misses a change.
fn names_change(line: &[u8]) -> bool {
    let word = b"\"change\"";
    line.windows(word.len()).any(|it| it == word)
}

/// Reads the whole history; `None` if there is none.
pub(crate) fn whole(history: &Place) -> Result<Option<Whole>, WorkError> {
    let Some(file) = history.file(OFlags::RDONLY)? else { return Ok(None) };
    let mut out = Whole::default();
    let mut reader = BufReader::new(file);
    for number in 1.. {
        let Some(bytes) = next(&mut reader).map_err(history.failed())? else { break };
        match read_line(&bytes) {
            Ok(Some(line)) => out.lines.push(line),
            Ok(None) => {}
            Err(why) => out.bad.push(BadLine { number, bytes, why }),
        }
    }
    Ok(Some(out))
}

/// The next line without its line end. A line that is too long is cut and becomes invalid.
fn next(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let limit = LINE_MAX as u64 + 1;
    if reader.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > LINE_MAX {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(bytes))
}

/// Parses a line. An empty line is skipped.
fn read_line(bytes: &[u8]) -> Result<Option<HistoryLine>, String> {
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("not a whole JSON object: {error}"))?;
    let report = validate(Kind::HistoryLine, &value, Strictness::default());
    if let Some(fault) = report.faults.first() {
        return Err(format!("{}: {}", fault.pointer, fault.message));
    }
    serde_json::from_value(value).map(Some).map_err(|error| error.to_string())
}

impl BadLine {
    /// The marker of a line that was copied to the aside file.
    pub(crate) fn mark(&self) -> String {
        checksum(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
    use taffrail_contracts::ai_session::HISTORY;

    fn line(second: i64, change: &str) -> String {
        let at = Timestamp::from_second(second).unwrap();
        let state = r#""state":{"active_task":null,"model_in_use":"opus","started_at":"2025-01-09T10:00:00Z"}"#;
        let change = match change {
            "" => String::new(),
            kind => format!(r#","change":{{"kind":"{kind}",{state}}}"#),
        };
        format!(
            r#"{{"timestamp":"{at}","command":"c","arguments":"","model":"opus","agent":"a","task_id":null,"status":"success","duration_ms":1{change}}}"#
        ) + "\n"
    }

    fn folder_with(text: &str) -> (tempfile::TempDir, Place) {
        let held = tempfile::tempdir().unwrap();
        std::fs::write(held.path().join(HISTORY), text).unwrap();
        let folder = Folder::open(held.path()).unwrap();
        let place = Place::usual(&folder, "x", HISTORY).unwrap();
        (held, place)
    }

    #[test]
    fn the_end_is_read_as_far_as_needed() {
        let filler: String = (0..2000).map(|second| line(second, "")).collect();
        let text =
            [line(1, "model"), line(5, "model"), filler, line(9, "dance"), line(7, "observed")]
                .concat();
        let (_held, folder) = folder_with(&text);
        let check = |until: i64, expected: &[i64]| {
            let tail = tail(&folder, Timestamp::from_second(until).unwrap()).unwrap();
            let seconds: Vec<_> = tail.changes.iter().map(|it| it.timestamp.as_second()).collect();
            assert_eq!(
                (seconds.as_slice(), tail.last.map(Timestamp::as_second)),
                (expected, Some(7))
            );
        };
        check(7, &[7]);
        check(6, &[1, 5, 7]);
    }

    #[test]
    fn good_lines_are_kept_and_bad_ones_named() {
        let text =
            [&line(1, "model"), "{\"torn", "\n\n", &line(2, ""), "7\n", "<<<<<<< HEAD\n", "end"]
                .concat();
        let (_held, folder) = folder_with(&text);
        let read = whole(&folder).unwrap().unwrap();
        let numbers: Vec<_> = read.bad.iter().map(|it| it.number).collect();
        assert_eq!((read.lines.len(), numbers), (2, vec![2, 5, 6, 7]));
    }

    #[test]
    fn a_torn_end_does_not_swallow_the_next_line() {
        let (held, folder) = folder_with("{\"torn");
        let next: HistoryLine = serde_json::from_str(&line(3, "")).unwrap();
        append(&folder, &next).unwrap();
        let text = std::fs::read_to_string(held.path().join(HISTORY)).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(whole(&folder).unwrap().unwrap().lines, [next]);
    }

    #[test]
    fn a_line_too_long_is_one_bad_line() {
        let text = ["x".repeat(LINE_MAX + 10), "\n".to_owned(), line(1, "")].concat();
        let (_held, folder) = folder_with(&text);
        let read = whole(&folder).unwrap().unwrap();
        assert_eq!((read.lines.len(), read.bad.len()), (1, 1));
    }
}
