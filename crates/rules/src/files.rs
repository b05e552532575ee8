//! File patterns: `*` within a folder, `**` across folders.

use super::decision::Decision;
use globset::{Glob, GlobBuilder};
use std::fmt;
use std::path::{Component, Path};

/// The longest pattern, in bytes.
const PATTERN_BYTES: usize = 256;

/// The files a rule applies to.
///
/// In doubt, a rule that allows matches less, and one that denies or asks matches more: `.env`
/// allows only that file in the project's own folder, and denies files of that name in any folder
/// and any letter case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePattern {
    glob: Glob,
    /// The pattern matches absolute paths, not paths below the project.
    is_whole: bool,
    text: String,
}

impl FilePattern {
    /// Parses a pattern for a rule with this decision. `~` expands to `home`.
    ///
    /// # Errors
    /// Returns the reason, for people.
    pub fn parse(text: &str, decision: Decision, home: &Path) -> Result<Self, String> {
        let bad =
            |why: &str| Err(format!("`{}` is not a pattern of files: {why}", text.escape_debug()));
        if text.is_empty() || text.len() > PATTERN_BYTES || text.contains(char::is_control) {
            return bad("it has 1 to 256 characters");
        }
        if Path::new(text).components().any(|it| it == Component::ParentDir) {
            return bad("it leads upward");
        }
        let wider = decision != Decision::Allow;
        let (pattern, is_whole) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(below), _) => (format!("{}/{below}", plain(home)), true),
            (None, Some(below)) => (below.to_owned(), true),
            (None, None) if wider => (format!("**/{text}"), true),
            (None, None) => (text.to_owned(), false),
        };
        let glob =
            GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(wider).build();
        match glob {
            Ok(glob) => Ok(Self { glob, is_whole, text: text.to_owned() }),
            Err(error) => bad(&error.kind().to_string()),
        }
    }

    /// Whether the pattern matches a file named by an agent that works in this folder.
    pub(super) fn is(&self, project: Option<&Path>, file: &Path) -> bool {
        let matcher = self.glob.compile_matcher();
        let below = match (self.is_whole, project) {
            _ if !is_clear(file) => None,
            (true, _) => file.strip_prefix("/").ok(),
            (false, Some(project)) => file.strip_prefix(project).ok(),
            (false, None) => None,
        };
        below.is_some_and(|it| matcher.is_match(it))
    }

    /// Whether the pattern may match a file: a path that cannot be compared may be any file.
    pub(super) fn may_be(&self, file: &Path) -> bool {
        !is_clear(file) || self.is(None, file)
    }
}

impl fmt::Display for FilePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a path is absolute and without `..`.
fn is_clear(file: &Path) -> bool {
    file.is_absolute() && !file.components().any(|it| it == Component::ParentDir)
}

/// A path for matching, without its leading slash.
fn plain(path: &Path) -> String {
    globset::escape(path.to_string_lossy().trim_start_matches('/'))
}
