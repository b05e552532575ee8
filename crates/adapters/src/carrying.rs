//! How a session is carried to another machine: which files are its own, and where they go there so
//! that the agent's own resume finds them. Data and pure functions; others move bytes.

/// How an agent's sessions are carried. Paths are below its home, with `/` between the parts.
#[derive(Debug)]
pub struct CarryPlan {
    /// The folder with what the agent keeps beside a source, all of which belongs to its session;
    /// `None` where there is none.
    pub beside: fn(path: &str) -> Option<String>,
    /// A fork leaves its beginning in the source of the session it was forked from.
    pub needs_origin: bool,
    /// Where a file goes when its session goes on elsewhere.
    pub rehome: fn(path: &str, to: Rehome<'_>) -> Result<String, Unplaced>,
}

/// Where a session goes on.
#[derive(Debug, Clone, Copy)]
pub struct Rehome<'a> {
    /// The agent's own id of the session that is carried, workers of it included.
    pub session: &'a str,
    /// The folder it goes on in, from the root and without links.
    pub project: &'a str,
}

/// Why a file has no place on the other machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unplaced {
    /// It is no file of this session.
    NotOfSession,
    /// The agent would give the folder a name that is not known here.
    FolderTooLong,
}

impl Unplaced {
    /// What is so, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotOfSession => "is no file of this session",
            Self::FolderTooLong => "would stand in a folder whose name only the agent knows",
        }
    }
}

/// The path leads nowhere else: no part of it is empty, a step up, or something a terminal obeys.
#[must_use]
pub fn is_plain_path(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_part) && !path.contains(|it: char| it.is_control() || it == '\\')
}

/// The text is a UUID as agents write it.
pub(crate) fn is_uuid(text: &str) -> bool {
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
