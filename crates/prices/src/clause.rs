//! The clauses by which the built-in table matches a name.

use crate::name::fits;
use serde::Deserialize;

/// A condition on a name in lower case.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Clause {
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    /// The whole name, in which `#` means a digit.
    Digits(String),
    /// How the name begins, in which `#` means a digit.
    StartsWithDigits(String),
}

impl Clause {
    pub(crate) fn holds(&self, name: &str) -> bool {
        match self {
            Self::And(all) => all.iter().all(|it| it.holds(name)),
            Self::Or(any) => any.iter().any(|it| it.holds(name)),
            Self::Not(it) => !it.holds(name),
            Self::Equals(text) => name == text,
            Self::StartsWith(text) => name.starts_with(text.as_str()),
            Self::EndsWith(text) => name.ends_with(text.as_str()),
            Self::Contains(text) => name.contains(text.as_str()),
            Self::Digits(form) => fits(form, name),
            Self::StartsWithDigits(form) => {
                name.get(..form.len()).is_some_and(|begin| fits(form, begin))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_holds_for_the_names_it_describes() {
        let check = |clause: &str, name: &str, expected: bool| {
            let clause: Clause = serde_json::from_str(clause).unwrap();
            assert_eq!(clause.holds(name), expected, "{clause:?} {name}");
        };
        check(r#"{"equals":"a"}"#, "a", true);
        check(r#"{"equals":"a"}"#, "ab", false);
        check(r#"{"starts_with":"a"}"#, "ab", true);
        check(r#"{"starts_with":"b"}"#, "ab", false);
        check(r#"{"ends_with":"b"}"#, "ab", true);
        check(r#"{"ends_with":"a"}"#, "ab", false);
        check(r#"{"contains":"b"}"#, "abc", true);
        check(r#"{"contains":"d"}"#, "abc", false);
        check(r#"{"not":{"contains":"d"}}"#, "abc", true);
        check(r#"{"and":[{"contains":"a"},{"contains":"d"}]}"#, "abc", false);
        check(r#"{"or":[{"contains":"a"},{"contains":"d"}]}"#, "abc", true);
        check(r#"{"digits":"a-####"}"#, "a-2026", true);
        check(r#"{"digits":"a-####"}"#, "a-20261", false);
        check(r#"{"digits":"a-####"}"#, "a-202x", false);
        check(r#"{"starts_with_digits":"a-#"}"#, "a-2x", true);
        check(r#"{"starts_with_digits":"a-#"}"#, "a-x", false);
        check(r#"{"starts_with_digits":"a-#"}"#, "a-", false);
        check(r#"{"starts_with_digits":"a-#"}"#, "a-é", false);
    }
}
