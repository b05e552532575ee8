//! How a session moves to another machine: which files are its own, and where they go there so
//! that the agent's own resume finds them. Data and pure functions; other crates move bytes.

/// How an agent's sessions move. Paths are below its home, with `/` between the parts.
#[derive(Debug)]
pub struct TransferPlan {
    /// The folder with the agent's files beside a source, which all belong to its session;
    /// `None` if there is none.
    pub beside: fn(path: &str) -> Option<String>,
    /// Whether a fork leaves its beginning in the source of the session it was forked from.
    pub needs_origin: bool,
    /// The types of records outside the conversation, such as those the agent writes when it exits.
    /// If a session continued elsewhere, such records at its end here are not a conflict.
    pub bookkeeping: &'static [&'static str],
    /// Where a file goes on the other machine.
    pub rehome: fn(path: &str, to: Destination<'_>) -> Result<String, PlacementError>,
}

/// Where a session continues.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'a> {
    /// The agent's own id of the session that moves, its sub-agents included.
    pub session: &'a str,
    /// The folder it continues in: absolute and without links.
    pub project: &'a str,
}

/// Why a file has no place on the other machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementError {
    /// The file does not belong to this session.
    NotOfSession,
    /// The agent would shorten the folder's name in an unknown way.
    FolderTooLong,
}

impl PlacementError {
    /// The reason, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotOfSession => "is not a file of this session",
            Self::FolderTooLong => "would be in a folder whose name only the agent knows",
        }
    }
}

/// Whether the path is plain: no part is empty or `..`, and it has no control characters.
#[must_use]
pub fn is_plain_path(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_part) && !path.contains(|it: char| it.is_control() || it == '\\')
}

/// Whether the text is a UUID as agents write it.
pub fn is_uuid(text: &str) -> bool {
    let fits = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_leads_nowhere_else() {
        let check = |path: &str, expected: bool| {
            assert_eq!(is_plain_path(path), expected, "{path:?}");
        };
        check("projects/-w/s.jsonl", true);
        check("a b/é", true);
        for path in ["", "/etc", "a//b", "a/", "a/../b", ".", "a\\b", "a\nb", "a\u{9b}b"] {
            check(path, false);
        }
    }
}
