//! What a document's check came to.

use serde::Serialize;

/// How closely a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// As a consumer reads: what the contract's own examples do is allowed, with a warning.
    #[default]
    Lenient,
    /// As a producer must write: the contract's prose, to the letter.
    Strict,
}

/// How much weight a rule has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Breaking it is always a fault.
    Must,
    /// Breaking it is a fault in a strict reading and a warning otherwise.
    Strict,
    /// Breaking it is only ever a warning.
    Advice,
}

impl Level {
    /// Breaking a rule of this weight is a fault.
    #[must_use]
    pub fn binds(self, strictness: Strictness) -> bool {
        match self {
            Self::Must => true,
            Self::Strict => strictness == Strictness::Strict,
            Self::Advice => false,
        }
    }
}

/// One place where a document breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where, as a JSON pointer (RFC 6901); of something missing, where it should stand.
    pub pointer: String,
    /// The rule's name; `docs/conformance` has a document of this name that breaks it.
    pub rule: String,
    /// What is so.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Everything a check found, in the order of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What makes the document invalid.
    pub faults: Vec<Fault>,
    /// What does not.
    pub warnings: Vec<Fault>,
}

impl Report {
    /// The document conforms.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    /// Notes a broken rule by its weight.
    pub fn note(&mut self, level: Level, strictness: Strictness, fault: Fault) {
        if level.binds(strictness) {
            self.faults.push(fault);
        } else {
            self.warnings.push(fault);
        }
    }

    /// Both together.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.faults.extend(other.faults);
        self.warnings.extend(other.warnings);
        self
    }
}

/// A JSON pointer one step longer.
#[must_use]
pub fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_what_would_mislead_it() {
        assert_eq!(step("/a", "b/c~d"), "/a/b~1c~0d");
        assert_eq!(step("", ""), "/");
    }

    #[test]
    fn a_level_binds_by_strictness() {
        let binds =
            |level: Level| [level.binds(Strictness::Lenient), level.binds(Strictness::Strict)];
        assert_eq!(binds(Level::Must), [true, true]);
        assert_eq!(binds(Level::Strict), [false, true]);
        assert_eq!(binds(Level::Advice), [false, false]);
    }
}
