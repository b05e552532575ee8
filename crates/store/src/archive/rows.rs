//! Stores rows of a foreign database as a document of lines.

use super::ArchiveError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

/// Builds the document of rows: `{"table":"..","rowid":1,"row":..}` on each line.
#[derive(Debug, Default, Clone)]
pub struct RowLines {
    bytes: Vec<u8>,
}

impl RowLines {
    /// Adds a row, given as JSON on one line.
    ///
    /// # Errors
    /// `Damaged` when the row is not JSON on one line.
    pub fn push(&mut self, table: &str, rowid: i64, row: &[u8]) -> Result<(), ArchiveError> {
        let row = Some(row).filter(|row| !row.contains(&b'\n')).and_then(exactly);
        let Some(row) = row else {
            return Err(ArchiveError::Damaged(format!("row {rowid} of {table} is not JSON")));
        };
        let line = Line { table: table.into(), rowid, row };
        serde_json::to_writer(&mut self.bytes, &line).map_err(std::io::Error::from)?;
        self.bytes.push(b'\n');
        Ok(())
    }

    /// The document.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The positions of rows in the document, by table and row: first byte and length.
pub(super) type RowPlaces = HashMap<String, HashMap<i64, (u64, usize)>>;

/// Finds all rows of a document.
pub(super) fn places(document: impl Read) -> Result<RowPlaces, ArchiveError> {
    let mut input = BufReader::new(document);
    let (mut out, mut line, mut end) = (RowPlaces::new(), Vec::new(), 0);
    while input.read_until(b'\n', &mut line).map_err(unwrapped)? > 0 {
        end += line.len() as u64;
        let Some((table, rowid, length)) = read(&line) else {
            return Err(ArchiveError::Damaged("a line is not a row".to_owned()));
        };
        // A line ends with the row, a brace and a line feed.
        let place = (end - length as u64 - 2, length);
        out.entry(table).or_default().insert(rowid, place);
        line.clear();
    }
    Ok(out)
}

/// All rows of a document, in their order.
pub(super) fn all(document: &[u8]) -> Result<Vec<(String, i64, Vec<u8>)>, ArchiveError> {
    let lines = document.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let row = |line| {
        let Line { table, rowid, row } = serde_json::from_slice(line)
            .map_err(|_| ArchiveError::Damaged("a line is not a row".to_owned()))?;
        Ok((table.into_owned(), rowid, row.get().as_bytes().to_vec()))
    };
    lines.map(row).collect()
}

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    table: Cow<'a, str>,
    rowid: i64,
    #[serde(borrow)]
    row: &'a RawValue,
}

fn read(line: &[u8]) -> Option<(String, i64, usize)> {
    let object = line.strip_suffix(b"\n")?;
    let Line { table, rowid, row } = serde_json::from_slice(object).ok()?;
    let is_last = object.strip_suffix(b"}")?.ends_with(row.get().as_bytes());
    is_last.then(|| (table.into_owned(), rowid, row.get().len()))
}

/// Accepts JSON without surrounding whitespace, because the whitespace would be lost.
fn exactly(row: &[u8]) -> Option<&RawValue> {
    let value: &RawValue = serde_json::from_slice(row).ok()?;
    (value.get().len() == row.len()).then_some(value)
}

/// Unwraps our own error, which a stream can only carry inside an `io::Error`.
fn unwrapped(error: std::io::Error) -> ArchiveError {
    error.downcast::<ArchiveError>().unwrap_or_else(ArchiveError::Io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_where_they_stand() {
        let rows = [
            ("a", 1, r#"{ "x":  [1, 2] }"#),
            ("a", -7, "null"),
            ("b\"\n", 1, "\"\u{fc}\\u00e4\""),
            ("a", 1, "12"),
        ];
        let mut lines = RowLines::default();
        for (table, rowid, row) in rows {
            lines.push(table, rowid, row.as_bytes()).unwrap();
        }
        let places = places(lines.as_bytes()).unwrap();
        let at = |table: &str, rowid: i64| {
            let (offset, length) = places[table][&rowid];
            std::str::from_utf8(&lines.as_bytes()[offset as usize..][..length]).unwrap()
        };
        // Of two rows with the same number, the later one counts.
        for (table, rowid, row) in &rows[1..] {
            assert_eq!(at(table, *rowid), *row);
        }
    }

    #[test]
    fn what_would_not_come_back_is_refused() {
        for row in ["", "{", " 1", "1 ", "1\n", "[1,\n2]", "1 2", "\u{feff}1"] {
            let mut lines = RowLines::default();
            assert!(lines.push("t", 1, row.as_bytes()).is_err(), "{row:?}");
            assert_eq!(lines.as_bytes(), b"");
        }
    }
}
