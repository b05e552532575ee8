//! What to check: one document, every line of one, or every file of a folder.

use crate::error::KitError;
use std::io::Read;
use std::path::{Path, PathBuf};
use taffrail_contracts::Contract;

/// The contract whose documents are written one a line, too.
const BY_LINE: &str = "event";
/// The most bytes a document may have.
const LARGEST: u64 = 256 * 1024 * 1024;
/// The deepest folder that is looked into.
const DEPTH: usize = 16;

/// A document, and its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Document {
    /// Its file, where a folder was read.
    pub file: Option<String>,
    /// Its line, where every line is one.
    pub line: Option<usize>,
    /// What it says.
    pub text: String,
}

/// Reads everything at a path; `-` is stdin.
///
/// # Errors
/// The path cannot be read, or a folder contains no document.
pub fn documents(contract: &Contract, path: &Path) -> Result<Vec<Document>, KitError> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let stdin = std::io::stdin().lock();
        stdin.take(LARGEST).read_to_end(&mut bytes).map_err(KitError::at(path))?;
        return Ok(split(contract, None, &bytes));
    }
    if !path.is_dir() {
        return Ok(split(contract, None, &bytes_of(path)?));
    }
    let mut files = Vec::new();
    files_below(path, DEPTH, &mut files)?;
    files.sort();
    if files.is_empty() {
        let message = format!("{} contains no .json or .jsonl file", path.display());
        return Err(KitError::NotFound(message));
    }
    let mut out = Vec::new();
    for file in files {
        let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().into_owned();
        out.extend(split(contract, Some(name), &bytes_of(&file)?));
    }
    Ok(out)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, KitError> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(KitError::at(path))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(KitError::at(path))?;
    Ok(bytes)
}

fn files_below(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<(), KitError> {
    for entry in std::fs::read_dir(folder).map_err(KitError::at(folder))? {
        let entry = entry.map_err(KitError::at(folder))?;
        let kind = entry.file_type().map_err(KitError::at(folder))?;
        let path = entry.path();
        let is_document = path.extension().is_some_and(|it| it == "json" || it == "jsonl");
        if kind.is_dir() && depth > 0 {
            files_below(&path, depth - 1, out)?;
        } else if kind.is_file() && is_document {
            out.push(path);
        }
    }
    Ok(())
}

/// One document; of events, every line is a document unless all lines together are one.
fn split(contract: &Contract, file: Option<String>, bytes: &[u8]) -> Vec<Document> {
    // Text that is not UTF-8 is not JSON either, and the check reports it.
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let is_one = lines <= 1 || serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    if contract.name != BY_LINE || is_one {
        return vec![Document { file, line: None, text }];
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let document = |(line, number): (&str, usize)| Document {
        file: file.clone(),
        line: Some(number),
        text: line.to_owned(),
    };
    lines.map(document).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_contracts::find;

    #[test]
    fn events_are_read_line_by_line_and_all_else_whole() {
        let check = |contract: &str, text: &str, expected: &[Option<usize>]| {
            let got = split(find(contract).unwrap(), None, text.as_bytes());
            let lines: Vec<_> = got.iter().map(|it| it.line).collect();
            assert_eq!(lines, expected, "{contract}: {text}");
        };
        check("event", "{}\n\n{}\n", &[Some(1), Some(3)]);
        check("event", "{\n}\n", &[None]);
        check("event", "{}\n", &[None]);
        check("event", "", &[None]);
        check("event", "{}\n{\"torn", &[Some(1), Some(2)]);
        check("ecc", "{}\n{}\n", &[None]);
    }
}
