//! Agents' acknowledgments of the contract: one Markdown section for each agent.

use super::{CONTRACT, VERSION};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use taffrail_model::Timestamp;

const HEADING: &str = "# Contract Acknowledgment";
/// The sentence of an acknowledgment.
pub(super) const STATEMENT: &str =
    "I acknowledge that I have read and will adhere to the Session State Specification v1.0.";

/// The SHA-256 of the specification as its authors published it, without and with a line end after its
/// last line.
const SPECIFICATION: [&str; 2] = [
    "06416afc017a6d008f6c784c0f52a698113ee02bb29b056be0fb22213862bfb4",
    "5daf45e7b222fe7d61baf6419a289080bbf821258eb8b47421a326d756ab3ea8",
];

/// One section, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgment {
    /// The agent.
    pub agent: Option<String>,
    /// The date.
    pub date: Option<String>,
    /// The version of the contract.
    pub contract_version: Option<String>,
    /// The checksum of the contract.
    pub checksum: Option<String>,
    /// The line that begins as the sentence does.
    pub statement: Option<String>,
}

impl Acknowledgment {
    /// The fields as a document, for validation.
    #[must_use]
    pub fn document(&self) -> Value {
        let fields = [
            ("agent", &self.agent),
            ("date", &self.date),
            ("contract_version", &self.contract_version),
            ("checksum", &self.checksum),
            ("statement", &self.statement),
        ];
        let there =
            fields.iter().filter_map(|(name, it)| Some(((*name).to_owned(), json!(it.as_ref()?))));
        Value::Object(there.collect())
    }

    /// Whether it acknowledges our version, with one of these checksums.
    #[must_use]
    pub fn is_of(&self, checksums: &[String]) -> bool {
        let same = |it: &String| checksums.iter().any(|known| known.eq_ignore_ascii_case(it));
        self.contract_version.as_deref() == Some(VERSION)
            && self.checksum.as_ref().is_some_and(same)
    }
}

/// The checksums of the texts that state version 1.0: ours, and the specification itself.
#[must_use]
pub fn known_checksums() -> Vec<String> {
    let published = SPECIFICATION.iter().map(|it| (*it).to_owned());
    std::iter::once(checksum(CONTRACT.as_bytes())).chain(published).collect()
}

/// The lower-case SHA-256 of a contract's bytes.
#[must_use]
pub fn checksum(contract: &[u8]) -> String {
    Sha256::digest(contract).iter().fold(String::with_capacity(64), |mut out, byte| {
        // Writing to a string cannot fail.
        write!(out, "{byte:02x}").ok();
        out
    })
}

/// The sections of a file.
#[must_use]
pub fn acknowledgments(text: &str) -> Vec<Acknowledgment> {
    sections(text).into_iter().map(read).collect()
}

/// Writes one section for this agent: it replaces the old one, or comes last.
#[must_use]
pub fn acknowledge(text: &str, agent: &str, checksum: &str, now: Timestamp) -> String {
    let day = now.to_string();
    let day = day.get(..10).unwrap_or(&day);
    let new = format!(
        "{HEADING}\n\nAgent: {agent}\nDate: {day}\nContract Version: {VERSION}\n\
         Checksum: {checksum}\n\n{STATEMENT}\n"
    );
    let mut own = sections(text).into_iter().filter(|it| read(it).agent.as_deref() == Some(agent));
    let Some(old) = own.next() else { return appended(text, &new) };
    let kept = after_words(old);
    let mut out = text.replacen(old, &format!("{new}{kept}"), 1);
    // A second section of the same agent would only become stale.
    for other in own {
        out = out.replacen(other, after_words(other), 1);
    }
    out
}

fn appended(text: &str, new: &str) -> String {
    match text.trim_end() {
        "" => new.to_owned(),
        before => format!("{before}\n\n{new}"),
    }
}

/// Splits a text at its headings.
fn sections(text: &str) -> Vec<&str> {
    let is_start = |at: &usize| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    let starts: Vec<_> = text.match_indices(HEADING).map(|(at, _)| at).filter(is_start).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(begin, end)| text.get(*begin..end)).collect()
}

/// The part of a section after the contract's own text; it belongs to others.
fn after_words(section: &str) -> &str {
    let last = ["Agent:", "Date:", "Contract Version:", "Checksum:", STATEMENT];
    let mut end = HEADING.len();
    let mut at = 0;
    for line in section.split_inclusive('\n') {
        at += line.len();
        if last.iter().any(|it| line.starts_with(it)) {
            end = at;
        }
    }
    section.get(end..).unwrap_or_default()
}

fn read(section: &str) -> Acknowledgment {
    let field = |name: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    Acknowledgment {
        agent: field("Agent"),
        date: field("Date"),
        contract_version: field("Contract Version"),
        checksum: field("Checksum"),
        statement: section.lines().map(str::trim).find(|it| is_statement(it)).map(str::to_owned),
    }
}

/// Whether a line begins as the sentence does; a field of the section or prose does not.
fn is_statement(line: &str) -> bool {
    line.starts_with("I acknowledge")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_checksum_is_a_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(checksum(b""), empty);
        assert_eq!(checksum(CONTRACT.as_bytes()).len(), 64);
    }

    #[test]
    fn each_agent_has_one_section() {
        let one = acknowledge("", "a1", "11", at("2026-11-15T10:00:00Z"));
        let expected = "# Contract Acknowledgment\n\nAgent: a1\nDate: 2026-11-15\n\
            Contract Version: 1.0\nChecksum: 11\n\nI acknowledge that I have read and will adhere \
            to the Session State Specification v1.0.\n";
        assert_eq!(one, expected);
        let two = acknowledge(&one, "a2", "11", at("2026-11-15T10:00:00Z"));
        assert_eq!(two, format!("{one}\n{}", one.replace("a1", "a2")));
        let again = acknowledge(&two, "a1", "22", at("2026-11-16T10:00:00Z"));
        let newer = one.replace("11", "22").replace("2026-22-15", "2026-11-16");
        assert_eq!(again, format!("{newer}\n{}", one.replace("a1", "a2")));
        assert_eq!(
            acknowledge(&again, "a1", "22", at("2026-11-16T10:00:00Z")),
            again,
            "twice is once"
        );
    }

    #[test]
    fn what_others_wrote_around_it_stays() {
        let theirs = "Intro.\n\n# Contract Acknowledgment\n\nAgent: x\nDate: 2025-01-09\n\
            Contract Version: 1.0\nChecksum: 00\n\nI agree.\n\n## Notes\nmine\n";
        let after = acknowledge(theirs, "x", "11", at("2026-11-15T10:00:00Z"));
        assert!(
            after.starts_with("Intro.\n\n# Contract") && after.ends_with("## Notes\nmine\n"),
            "{after}"
        );
        let read = acknowledgments(&after);
        assert_eq!(read.iter().map(|it| it.checksum.as_deref()).collect::<Vec<_>>(), [Some("11")]);
        let after =
            acknowledge(&format!("{theirs}\n{theirs}"), "x", "11", at("2026-11-15T10:00:00Z"));
        assert_eq!(acknowledgments(&after).len(), 1, "{after}");
    }

    #[test]
    fn the_text_names_how_the_contract_changes() {
        let words = CONTRACT.split_whitespace().collect::<Vec<_>>().join(" ");
        for rule in [
            "proposes the change in a pull request",
            "A person reviews and approves it",
            "The version rises",
            "Every agent acknowledges the new text",
            "A breaking change raises the first number of the version",
            "a migration plan",
            "a deprecation period of at least one phase",
        ] {
            assert!(words.contains(rule), "{rule}");
        }
    }

    /// An agent that hashed the published document was stale in every check.
    #[test]
    fn an_acknowledgment_of_the_published_specification_is_current() {
        let known = known_checksums();
        assert_eq!(known.first(), Some(&checksum(CONTRACT.as_bytes())));
        for published in SPECIFICATION {
            let text = acknowledge("", "a", published, at("2026-11-15T10:00:00Z"));
            let [read] = acknowledgments(&text).try_into().unwrap();
            assert!(read.is_of(&known));
        }
    }

    #[test]
    fn a_section_is_current_or_stale() {
        let text = acknowledge("", "a", "AB", at("2026-11-15T10:00:00Z"));
        let [read] = acknowledgments(&text).try_into().unwrap();
        let check =
            |known: &str, expected: bool| assert_eq!(read.is_of(&[known.to_owned()]), expected);
        check("ab", true);
        check("cd", false);
        let older = Acknowledgment { contract_version: Some("0.9".to_owned()), ..read.clone() };
        assert!(!older.is_of(&["ab".to_owned()]));
    }
}
