//! The label of a copy, and the name of its file.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use taffrail_model::AgentId;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::SourceState;

/// The version of the format; files with a higher version are left alone.
const VERSION: u32 = 1;
/// The extension of archive files.
const EXTENSION: &str = "tfa";

/// The form of a source's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Lines, added at the end.
    Lines,
    /// A document, rewritten whole.
    Document,
    /// Rows of a foreign database, as [`RowLines`](super::RowLines) writes them.
    Rows,
}

/// Identifies the source of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The agent that owns the source.
    pub agent: AgentId,
    /// The agent's home it was found in.
    pub home: String,
    /// The path below that home.
    pub path: String,
    /// The part of the file, for files that hold many sessions; otherwise empty.
    pub key: String,
    /// The locator URI of the source.
    pub locator: String,
    /// The form of its bytes.
    pub shape: Shape,
    /// Small files that the source refers to, by path; binary files are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<(String, String)>,
}

impl Label {
    /// The address of the source.
    #[must_use]
    pub fn address(&self) -> Address<'_> {
        let Self { agent, home, path, key, .. } = self;
        Address { agent, home, path, key }
    }
}

/// The address of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// The agent that owns the source.
    pub agent: &'a AgentId,
    /// The agent's home it was found in.
    pub home: &'a str,
    /// The path below that home.
    pub path: &'a str,
    /// The part of the file.
    pub key: &'a str,
}

impl<'a> From<&'a SourceState> for Address<'a> {
    fn from(state: &'a SourceState) -> Self {
        let SourceState { agent, home, path, key, .. } = state;
        Self { agent, home, path, key }
    }
}

impl Address<'_> {
    pub(super) fn digest(self) -> Digest16 {
        let parts = [self.agent.as_str(), self.home, self.path, self.key];
        hash::digest("archive", &parts.map(str::as_bytes))
    }
}

/// A label as stored in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    version: u32,
    #[serde(flatten)]
    pub(super) label: Label,
    /// The length of the whole copy, if it was made in one piece.
    pub(super) length: Option<u64>,
}

impl Written {
    pub(super) fn new(label: Label, length: Option<u64>) -> Self {
        Self { version: VERSION, label, length }
    }

    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        let written: Self = serde_json::from_slice(json).ok()?;
        (written.version <= VERSION).then_some(written)
    }
}

/// The parts of an archive file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) digest: Digest16,
    pub(super) edition: u32,
}

impl Name {
    /// The path below the archive's folder.
    pub(super) fn path(self) -> PathBuf {
        let hex = hash::to_hex(&self.digest);
        let folder: String = hex.chars().take(2).collect();
        Path::new(&folder).join(format!("{hex}.{}.{EXTENSION}", self.edition))
    }

    /// Parses the name of a file that we wrote.
    pub(super) fn parse(path: &Path) -> Option<Self> {
        let mut parts = path.file_name()?.to_str()?.split('.');
        let digest = hash::from_hex(parts.next()?)?;
        let edition = parts.next()?.parse().ok()?;
        let name = Self { digest, edition };
        (path.ends_with(name.path())).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_only_as_it_was_written() {
        let name = Name { digest: hash::of_bytes(b"x"), edition: 12 };
        let path = Path::new("/a").join(name.path());
        assert_eq!(Name::parse(&path), Some(name));
        for other in [".part", "x"] {
            let path = PathBuf::from(format!("{}{other}", path.display()));
            assert_eq!(Name::parse(&path), None, "{other}");
        }
        assert_eq!(Name::parse(Path::new("/a/notes.txt")), None);
        assert_eq!(Name::parse(&Path::new("/a").join(name.path().file_name().unwrap())), None);
    }

    #[test]
    fn a_label_is_read_unless_a_later_version_wrote_it() {
        let label = Label {
            agent: AgentId::new("a"),
            home: "h".into(),
            path: "p".into(),
            key: String::new(),
            locator: "a://p".into(),
            shape: Shape::Rows,
            beside: Vec::new(),
        };
        let json = |version: u32| {
            format!(r#"{{"version":{version},"agent":"a","home":"h","path":"p","key":"","#,)
                + r#""locator":"a://p","shape":"rows","length":7}"#
        };
        let written = Written::new(label, Some(7));
        assert_eq!(serde_json::to_string(&written).unwrap(), json(1));
        assert_eq!(Written::parse(json(1).as_bytes()), Some(written));
        assert_eq!(Written::parse(json(2).as_bytes()), None);
        assert_eq!(Written::parse(b"{}"), None);
    }
}
