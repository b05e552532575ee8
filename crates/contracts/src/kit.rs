//! The conformance kit: documents with the verdict that a validator must reach on each.
//!
//! People write the documents that conform, and those of directories; every other document breaks one
//! rule and is generated from the contract's complete document.

mod broken;

pub use broken::broken;

use crate::registry::{Contract, Reading, find, rules};
use crate::report::{Level, Strictness};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The name of the complete document of a contract, below the contract's folder.
pub const WHOLE: &str = "good/whole.json";

/// What a validator says of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It conforms.
    Valid,
    /// It does not conform.
    Invalid,
}

/// The verdict on a document, as a consumer and as a producer of documents reads the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Expected {
    /// By the rules that bind every document.
    pub lenient: Verdict,
    /// By the rules for producers, too.
    pub strict: Verdict,
}

impl Expected {
    /// The verdict under one of the two.
    #[must_use]
    pub fn under(self, strictness: Strictness) -> Verdict {
        match strictness {
            Strictness::Lenient => self.lenient,
            Strictness::Strict => self.strict,
        }
    }
}

/// One entry of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The path of the document, a file or a folder, below the manifest.
    pub document: String,
    /// The contract's name.
    pub contract: &'static str,
    /// The rule that the document is about; `null` if it is about none in particular.
    pub rule: Option<String>,
    /// The verdict.
    pub expected: Expected,
}

/// The entries of these files, given by their paths as `state/bad/goal.type.json`. Files of no
/// contract have none, and a folder that is one document has one.
#[must_use]
pub fn entries<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Entry> {
    let mut found = BTreeMap::new();
    for entry in paths.into_iter().filter_map(entry) {
        found.insert(entry.document.clone(), entry);
    }
    found.into_values().collect()
}

fn entry(path: &str) -> Option<Entry> {
    let mut parts = path.split('/');
    let (contract, kind, name) = (find(parts.next()?)?, parts.next()?, parts.next()?);
    let is_file = parts.next().is_none();
    let rule = if is_file { name.rsplit_once('.')?.0 } else { name };
    let (expected, is_about_rule) = expected(kind)?;
    Some(Entry {
        document: format!("{}/{kind}/{name}", contract.name),
        contract: contract.name,
        rule: is_about_rule.then(|| rule.to_owned()),
        expected,
    })
}

/// The verdict on the documents of a folder, and whether each is named after a rule.
fn expected(kind: &str) -> Option<(Expected, bool)> {
    use Verdict::{Invalid, Valid};
    let (lenient, strict, is_about_rule) = match kind {
        "good" => (Valid, Valid, false),
        "lenient" => (Valid, Invalid, false),
        "bad" => (Invalid, Invalid, true),
        "strict" => (Valid, Invalid, true),
        "warned" => (Valid, Valid, true),
        _ => return None,
    };
    Some((Expected { lenient, strict }, is_about_rule))
}

/// The folder of the document that breaks a rule of this level.
#[must_use]
pub fn folder_of(level: Level) -> &'static str {
    match level {
        Level::Must => "bad",
        Level::Strict => "strict",
        Level::Advice => "warned",
    }
}

/// A document for every rule of a contract, made from its complete document: paths below the kit, and
/// texts. A contract of directories has none: its documents are written by hand.
#[must_use]
pub fn generated(contract: &Contract, whole: &Value) -> Vec<(String, String)> {
    if !matches!(contract.reading, Reading::Shaped { .. }) {
        return Vec::new();
    }
    let all = rules(contract).into_iter();
    let made = all.filter_map(|(rule, level)| {
        let text = serde_json::to_string_pretty(&broken(contract, whole, &rule)?).ok()? + "\n";
        Some((format!("{}/{}/{rule}.json", contract.name, folder_of(level)), text))
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_what_is_expected_of_each_document() {
        let paths = [
            "README.md",
            "state/good/whole.json",
            "state/bad/goal.type.json",
            "ai-session/bad/layout.file/.ai-session/README.md",
            "ai-session/bad/layout.file/.ai-session/active-features.yaml",
            "nothing/good/whole.json",
            "ecc/other/whole.json",
        ];
        let told = entries(paths).into_iter().map(|it| {
            let Expected { lenient, strict } = it.expected;
            format!("{} {:?} {lenient:?} {strict:?}", it.document, it.rule.as_deref())
        });
        let expected = [
            "ai-session/bad/layout.file Some(\"layout.file\") Invalid Invalid",
            "state/bad/goal.type.json Some(\"goal.type\") Invalid Invalid",
            "state/good/whole.json None Valid Valid",
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}
