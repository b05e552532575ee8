//! The log of look-ups: when which tool was used by whom, never what was asked.

use crate::text::{plain, quoted_line};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_model::Timestamp;

/// The log, and the one before it.
const FILES: [&str; 2] = ["mcp-lookups.1.jsonl", "mcp-lookups.jsonl"];
/// The size at which a log becomes the one before, in bytes.
const FULL: u64 = 128 * 1024;

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// When.
    pub at: Timestamp,
    /// The tool.
    pub tool: String,
    /// The name by which the client introduced itself; `null` if it did not.
    pub client: Option<String>,
}

impl Lookup {
    /// The look-up in one line, with its time as the reader writes times.
    #[must_use]
    pub fn line(&self, at: &str) -> String {
        let client =
            self.client.as_deref().map_or("not known".to_owned(), |it| quoted_line(it, 64));
        format!("{at} {:<9} {client}", plain(&self.tool))
    }
}

/// The look-ups that are kept, the earliest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookupList {
    /// Of this document.
    pub schema_version: u32,
    /// The look-ups.
    pub lookups: Vec<Lookup>,
}

/// Reads the log in our state folder.
///
/// # Errors
/// When a file cannot be read.
pub fn lookups(state: &Path) -> io::Result<LookupList> {
    let mut lookups = Vec::new();
    for name in FILES {
        let text = match fs::read_to_string(state.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            text => text?,
        };
        // A torn line is skipped: the next one is whole.
        lookups.extend(text.lines().filter_map(|it| serde_json::from_str(it).ok()));
    }
    Ok(LookupList { schema_version: taffrail_api::SCHEMA_VERSION, lookups })
}

/// Adds a look-up to the log, which never grows beyond two files.
///
/// # Errors
/// When the log cannot be written.
pub fn note(state: &Path, lookup: &Lookup) -> io::Result<()> {
    let client = lookup.client.as_deref().map(|it| quoted_line(it, 64));
    let mut line = serde_json::to_string(&Lookup { client, ..lookup.clone() })?;
    line.push('\n');
    let [before, now] = FILES.map(|it| state.join(it));
    if fs::metadata(&now).is_ok_and(|it| it.len() >= FULL) {
        fs::rename(&now, before)?;
    }
    append(&now, &line)
}

fn append(file: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).mode(0o600).open(file)?;
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn lookup(second: i64, client: &str) -> Lookup {
        let at = Timestamp::from_second(second).unwrap();
        Lookup { at, tool: "search".into(), client: Some(client.into()) }
    }

    #[test]
    fn look_ups_are_read_as_they_were_noted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(lookups(folder.path()).unwrap().lookups, []);
        note(folder.path(), &lookup(1, "codex")).unwrap();
        note(folder.path(), &lookup(2, "cl\u{1b}aude\n")).unwrap();
        let all = lookups(folder.path()).unwrap().lookups;
        assert_eq!(all, [lookup(1, "codex"), lookup(2, "claude")]);
        let mode = fs::metadata(folder.path().join(FILES[1])).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn the_log_does_not_grow_without_end() {
        let folder = tempfile::tempdir().unwrap();
        for second in 0..6000 {
            note(folder.path(), &lookup(second, "a client with a long name")).unwrap();
        }
        let all = lookups(folder.path()).unwrap().lookups;
        let size: u64 =
            FILES.iter().map(|it| fs::metadata(folder.path().join(it)).unwrap().len()).sum();
        assert!(size <= 2 * FULL + 200, "{size}");
        assert_eq!(all.last(), Some(&lookup(5999, "a client with a long name")));
    }
}
