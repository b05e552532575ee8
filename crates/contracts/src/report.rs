//! The result of validating a document.

use serde::Serialize;

/// How strictly a document is validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// As a consumer reads: deviations in the contract's own examples only cause warnings.
    #[default]
    Lenient,
    /// As a producer must write: exactly as the contract's prose says.
    Strict,
}

/// The severity of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A violation is always a fault.
    Must,
    /// A violation is a fault if strict, else a warning.
    Strict,
    /// A violation is always a warning.
    Advice,
}

impl Level {
    /// Whether a violation of this level is a fault.
    #[must_use]
    pub fn binds(self, strictness: Strictness) -> bool {
        match self {
            Self::Must => true,
            Self::Strict => strictness == Strictness::Strict,
            Self::Advice => false,
        }
    }
}

/// One violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// A JSON pointer (RFC 6901) to the place; for a missing field, where the field should be.
    pub pointer: String,
    /// The rule's name; `docs/conformance` has a document of this name that violates it.
    pub rule: String,
    /// The problem.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// All findings of a validation, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Findings that make the document invalid.
    pub faults: Vec<Fault>,
    /// Other findings.
    pub warnings: Vec<Fault>,
}

impl Report {
    /// Whether the document conforms.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    /// Adds a violation by its level.
    pub fn note(&mut self, level: Level, strictness: Strictness, fault: Fault) {
        if level.binds(strictness) {
            self.faults.push(fault);
        } else {
            self.warnings.push(fault);
        }
    }

    /// Merges two reports.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.faults.extend(other.faults);
        self.warnings.extend(other.warnings);
        self
    }
}

/// Appends one step to a JSON pointer.
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
