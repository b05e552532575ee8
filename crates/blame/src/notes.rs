//! The notes that git-ai keeps of commits: which session wrote which lines, in the words of that tool
//! (`authorship/3.0.0`). A note is a claim. Taffrail shows it and never takes it for evidence.

mod draft;

use crate::noted::{NotedAuthor, NotedBy};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

pub use draft::{NoteDraft, NotedLine};

/// The notes of a repository.
pub const REF: &str = "refs/notes/ai";
/// The version of the form that Taffrail writes.
pub(crate) const SCHEMA: &str = "authorship/3.0.0";
/// The prefix of versions that Taffrail reads.
const FORM: &str = "authorship/";
/// The longest note.
const LONGEST: usize = 4 * 1024 * 1024;
/// The hexadecimal digits of a session's key.
const DIGITS: usize = 14;

/// A note of one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    files: BTreeMap<String, Vec<Entry>>,
    authors: BTreeMap<String, NotedAuthor>,
}

/// Lines of one author.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    key: String,
    lines: Vec<(usize, usize)>,
}

impl Note {
    /// Reads a note; `None` if the text is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let (head, tail) = match text.strip_prefix("---\n") {
            Some(tail) => ("", tail),
            None => text.split_once("\n---\n")?,
        };
        let metadata: Value = serde_json::from_str(tail).ok()?;
        let version = metadata.get("schema_version")?.as_str()?;
        version.starts_with(FORM).then(|| Self { files: files(head), authors: authors(&metadata) })
    }

    /// Who wrote a line of a file, as the commit has it. The last entry about the line counts.
    #[must_use]
    pub fn author(&self, path: &str, line: usize) -> Option<NotedAuthor> {
        let holds = |it: &&Entry| it.lines.iter().any(|(from, to)| (*from..=*to).contains(&line));
        let entry = self.files.get(path)?.iter().rfind(holds)?;
        let known = self.authors.get(&entry.key).cloned();
        Some(known.unwrap_or_else(|| unknown(&entry.key)))
    }
}

/// The first digits of the hash that names a session of a tool, which git-ai puts after `s_`.
#[must_use]
pub fn session_key(tool: &str, conversation: &str) -> String {
    digits(&format!("{tool}:{conversation}"))
}

/// The first hexadecimal digits of SHA-256.
pub(crate) fn digits(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash.iter().map(|it| format!("{it:02x}")).collect();
    hex.chars().take(DIGITS).collect()
}

/// The files of a note with the lines of each author.
fn files(head: &str) -> BTreeMap<String, Vec<Entry>> {
    let mut out: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let mut path = "";
    for line in head.lines() {
        match line.strip_prefix("  ") {
            None => path = unquoted(line),
            Some(entry) => out.entry(path.to_owned()).or_default().extend(parsed(entry)),
        }
    }
    out
}

fn unquoted(path: &str) -> &str {
    path.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(path)
}

fn parsed(entry: &str) -> Option<Entry> {
    let (key, lines) = entry.trim().rsplit_once(' ')?;
    // The part after `::` names one edit of the session.
    let key = key.split("::").next().unwrap_or(key).to_owned();
    let range = |it: &str| {
        let (from, to) = it.split_once('-').unwrap_or((it, it));
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    Some(Entry { key, lines: lines.split(',').filter_map(range).collect() })
}

/// The authors of a note by their keys.
fn authors(metadata: &Value) -> BTreeMap<String, NotedAuthor> {
    let map = |name: &str| metadata.get(name).and_then(Value::as_object).into_iter().flatten();
    let agents = map("sessions").chain(map("prompts"));
    let agents = agents.map(|(key, it)| (key.clone(), agent(key, it)));
    let humans = map("humans").map(|(key, it)| (key.clone(), human(it)));
    agents.chain(humans).collect()
}

fn agent(key: &str, record: &Value) -> NotedAuthor {
    let word = |name: &str| Some(record.get("agent_id")?.get(name)?.as_str()?.to_owned());
    NotedAuthor {
        tool: word("tool"),
        model: word("model"),
        conversation: word("id"),
        key: key_digits(key),
        ..NotedAuthor::new(NotedBy::Agent)
    }
}

fn human(record: &Value) -> NotedAuthor {
    let name = record.get("author").and_then(Value::as_str).map(str::to_owned);
    NotedAuthor { name, ..NotedAuthor::new(NotedBy::Human) }
}

/// An author whose key the note does not explain.
fn unknown(key: &str) -> NotedAuthor {
    let by = if key.starts_with("h_") { NotedBy::Human } else { NotedBy::Agent };
    NotedAuthor { key: key_digits(key), ..NotedAuthor::new(by) }
}

/// The digits of a session's key. Old keys have more digits of the same hash and no prefix.
fn key_digits(key: &str) -> Option<String> {
    let hex = key.strip_prefix("s_").unwrap_or(key);
    let is_key = hex.len() >= DIGITS && hex.bytes().all(|it| it.is_ascii_hexdigit());
    is_key.then(|| hex.chars().take(DIGITS).collect())
}
