//! Positions in a source, and the point where a follower stopped.

use serde::{Deserialize, Serialize};

/// A position inside a source. Provenance, never identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cursor {
    /// A line of a file: offsets count uncompressed bytes, without the line feed.
    Bytes {
        /// First byte.
        byte_offset: u64,
        /// Number of bytes.
        length: u64,
    },
    /// A row of a foreign database.
    Row {
        /// The table.
        table: String,
        /// The row's own number.
        rowid: i64,
    },
    /// A place in a document that the agent rewrites whole, as a JSON pointer.
    Pointer {
        /// RFC 6901.
        pointer: String,
    },
}

impl Cursor {
    /// A number that grows along the source, for the canonical order.
    #[must_use]
    pub fn position(&self) -> u64 {
        match self {
            Self::Bytes { byte_offset, .. } => *byte_offset,
            Self::Row { rowid, .. } => u64::try_from(*rowid).unwrap_or(0),
            Self::Pointer { pointer } => {
                pointer.rsplit('/').find_map(|step| step.parse().ok()).unwrap_or(0)
            }
        }
    }
}

/// Where a follower of one session stopped: opaque to the follower, `generation.sequence` to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeCursor {
    /// The generation of the index that assigned the number.
    pub generation: String,
    /// The last change the follower received.
    pub sequence: u64,
}

impl ResumeCursor {
    /// Parses a cursor; `None` for anything malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (generation, sequence) = text.rsplit_once('.')?;
        Some(Self { generation: generation.to_owned(), sequence: sequence.parse().ok()? })
    }
}

impl std::fmt::Display for ResumeCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.generation, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_written_by_its_own_names() {
        let check = |cursor: Cursor, json: &str, position: u64| {
            assert_eq!(serde_json::to_string(&cursor).unwrap(), json);
            assert_eq!(serde_json::from_str::<Cursor>(json).unwrap(), cursor);
            assert_eq!(cursor.position(), position);
        };
        check(Cursor::Bytes { byte_offset: 7, length: 3 }, r#"{"byte_offset":7,"length":3}"#, 7);
        check(
            Cursor::Row { table: "messages".into(), rowid: 9 },
            r#"{"table":"messages","rowid":9}"#,
            9,
        );
        check(Cursor::Pointer { pointer: "/messages/4".into() }, r#"{"pointer":"/messages/4"}"#, 4);
    }

    #[test]
    fn a_resume_cursor_reads_what_it_wrote() {
        let cursor = ResumeCursor { generation: "g7x".into(), sequence: 12 };
        assert_eq!(ResumeCursor::parse(&cursor.to_string()), Some(cursor));
        assert_eq!(ResumeCursor::parse("nonsense"), None);
        assert_eq!(ResumeCursor::parse("a.b"), None);
    }
}
