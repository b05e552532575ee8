//! Names on a hub. They become file names, object keys and NATS subjects, so they use few
//! characters.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// The longest part of a name.
pub const PART_LIMIT: usize = 64;
/// The most parts of a name.
pub const PARTS_LIMIT: usize = 6;

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A part is empty.
    #[error("a name is empty or has an empty part")]
    Empty,
    /// A character outside `[A-Za-z0-9_-]`.
    #[error("a name may not have {0:?}; letters, digits, `_` and `-` are allowed")]
    Character(char),
    /// A part longer than [`PART_LIMIT`], or more than [`PARTS_LIMIT`] parts.
    #[error("a name is too long")]
    TooLong,
}

/// Marks names of logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Log {}
/// Marks names of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {}
/// Marks names of blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfBlob {}

/// The name of a log.
pub type LogName = Name<Log>;
/// The name of a key.
pub type KeyName = Name<Key>;
/// The name of a blob.
pub type BlobName = Name<OfBlob>;

/// A name: parts of `[A-Za-z0-9_-]+`, written with `/` between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<K> {
    text: String,
    kind: PhantomData<K>,
}

impl<K> Name<K> {
    /// Parses a name in its written form: `team/device`.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        if text.split('/').count() > PARTS_LIMIT {
            return Err(NameError::TooLong);
        }
        text.split('/').try_for_each(check_part)?;
        Ok(Self { text, kind: PhantomData })
    }

    /// The written form, with `/` between the parts.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Parses a name whose parts are separated by dots.
    #[cfg(feature = "hub-nats")]
    pub(crate) fn from_dotted(text: &str) -> Option<Self> {
        if text.contains('/') {
            return None;
        }
        Self::new(text.replace('.', "/")).ok()
    }

    /// The parts, separated by dots.
    #[cfg(feature = "hub-nats")]
    pub(crate) fn dotted(&self) -> String {
        self.text.replace('/', ".")
    }
}

impl<K> fmt::Display for Name<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The team that owns data on a hub; one part of `[A-Za-z0-9_-]+`. Several teams can share a hub.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Team(String);

impl Team {
    /// Parses the name of a team.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        check_part(&text)?;
        Ok(Self(text))
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Team {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl From<Team> for String {
    fn from(team: Team) -> Self {
        team.0
    }
}

/// The first parts of names. Names *below* it have these parts and at least one more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prefix(String);

impl Prefix {
    /// The prefix of everything.
    #[must_use]
    pub const fn everything() -> Self {
        Self(String::new())
    }

    /// Parses a prefix in its written form: `team/device`, or empty for everything.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        if text.is_empty() {
            return Ok(Self::everything());
        }
        Name::<Log>::new(text).map(|name| Self(name.text))
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a name is below it.
    #[must_use]
    pub fn holds<K>(&self, name: &Name<K>) -> bool {
        let rest = name.text.strip_prefix(&self.0);
        rest.is_some_and(|rest| self.0.is_empty() || rest.starts_with('/'))
    }

    /// The parts, each followed by a dot.
    #[cfg(feature = "hub-nats")]
    pub(crate) fn dotted(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!("{}.", self.0.replace('/', ".")) }
    }
}

fn check_part(part: &str) -> Result<(), NameError> {
    let is_odd = |it: &char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    match part.chars().find(is_odd) {
        Some(odd) => Err(NameError::Character(odd)),
        None if part.is_empty() => Err(NameError::Empty),
        None if part.len() > PART_LIMIT => Err(NameError::TooLong),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_few_characters() {
        let check = |text: &str, expected: Result<(), NameError>| {
            assert_eq!(LogName::new(text).map(|name| assert_eq!(name.as_str(), text)), expected);
        };
        check("a", Ok(()));
        check("Team-1/device_2/0", Ok(()));
        check("", Err(NameError::Empty));
        check("a//b", Err(NameError::Empty));
        check("/a", Err(NameError::Empty));
        check("a/..", Err(NameError::Character('.')));
        check("a.b", Err(NameError::Character('.')));
        check("a*", Err(NameError::Character('*')));
        check("a>", Err(NameError::Character('>')));
        check("é", Err(NameError::Character('é')));
        check("a b", Err(NameError::Character(' ')));
        check(&"x".repeat(64), Ok(()));
        check(&"x".repeat(65), Err(NameError::TooLong));
        check("a/b/c/d/e/f", Ok(()));
        check("a/b/c/d/e/f/g", Err(NameError::TooLong));
    }

    #[test]
    fn a_team_is_one_part() {
        assert!(Team::new("t-1").is_ok());
        assert_eq!(Team::new("a/b"), Err(NameError::Character('/')));
        assert_eq!(Team::new(""), Err(NameError::Empty));
    }

    #[test]
    fn a_prefix_holds_what_is_below_it() {
        let check = |prefix: &str, name: &str, expected: bool| {
            let name = KeyName::new(name).unwrap();
            assert_eq!(Prefix::new(prefix).unwrap().holds(&name), expected, "{prefix} {name}");
        };
        check("", "a", true);
        check("a", "a/b", true);
        check("a", "a/b/c", true);
        check("a", "a", false);
        check("a", "ab/c", false);
        check("a/b", "a/bc", false);
        check("b", "a/b", false);
    }
}
