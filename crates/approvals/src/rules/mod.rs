//! The rules in force: the user's own file, and the repository's.
//!
//! Files are read each time, so that a change counts at once. A file that cannot be read may have
//! denied anything, so nothing is allowed until it is fixed.

mod edit;
mod file;
mod repository;
mod rows;
mod suggestions;

pub use edit::{Proposed, add, propose, put_in, remove};
pub use rows::doctor_checks;
pub use rows::{rule_list, rule_test};
pub use suggestions::rule_suggestions;

use file::Read;
use std::path::{Path, PathBuf};
use taffrail_context::Settings;
use taffrail_model::rules::{Fault, Origin, Rule, in_force};
use taffrail_query::budgets::{BudgetMember, spending_of};

/// The most rules in all files of a repository together.
const REPOSITORY_RULES: usize = 200;
/// The user's rules, in our configuration folder.
const USER_FILE: &str = "rules.toml";

/// The rules in force for a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleBook {
    /// The rules, the user's first. An unreadable one is replaced by a rule that asks.
    pub rules: Vec<Rule>,
    /// What does not count, and why.
    pub faults: Vec<RuleFault>,
    /// The files that exist.
    pub files: Vec<PathBuf>,
    /// For each rule, the index of its file in `files`.
    from: Vec<usize>,
}

/// A part of a file that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// The file.
    pub file: PathBuf,
    /// Who owns the file.
    pub origin: Origin,
    /// The rule's number in the file, from 1; `None` for the whole file.
    pub number: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// True if nothing is allowed because of it.
    pub holds_back: bool,
}

/// Why rules could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// The current file cannot be extended.
    #[error("{0} cannot be changed: {1}")]
    Unreadable(String, String),
    /// The rule is invalid.
    #[error("{0}")]
    NoRule(String),
    /// No rule has this number.
    #[error("there is no rule {0}")]
    NoNumber(usize),
}

/// Loads the rules in force for a session in a folder.
#[must_use]
pub fn load(settings: &Settings, project: Option<&Path>) -> RuleBook {
    load_from((&settings.config, &settings.user_home), project)
}

/// The rules of a book that apply to a session now. Budgets are read only if a rule depends on them.
pub(crate) fn applicable(settings: &Settings, book: RuleBook, who: &BudgetMember<'_>) -> Vec<Rule> {
    if book.rules.iter().all(|it| it.when.is_none()) {
        return book.rules;
    }
    in_force(book.rules, spending_of(settings, who))
}

/// Like `load`, from our configuration folder and the user's home, for callers without settings.
pub fn load_from((config, home): (&Path, &Path), project: Option<&Path>) -> RuleBook {
    let mut book = RuleBook::default();
    let path = config.join(USER_FILE);
    book.take(&path, Origin::User, file::read_user(&path), home);
    let mut room = Room::default();
    for folder in project.map(repository::folders).unwrap_or_default() {
        let path = folder.join(repository::FILE);
        let read = room.take(&folder);
        let before = book.rules.len();
        book.take(&path, Origin::Repository, read, home);
        room.rules = room.rules.saturating_sub(book.rules.len() - before);
    }
    book
}

/// What all files of a repository may use together. A file that exceeds it counts as unreadable: it
/// may have denied anything, so nothing is allowed.
struct Room {
    bytes: u64,
    rules: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { bytes: file::FILE_BYTES, rules: REPOSITORY_RULES }
    }
}

impl Room {
    fn take(&mut self, folder: &Path) -> Read {
        let read = file::read_repository(folder, self.bytes);
        let Read::Text(text) = read else { return read };
        // Reading a file uses up its room, whatever the file contains.
        self.bytes = self.bytes.saturating_sub(text.len() as u64);
        match file::count(&text) > self.rules {
            true => {
                Read::Broken(format!("a repository has at most {REPOSITORY_RULES} rules in all"))
            }
            false => Read::Text(text),
        }
    }
}

/// Returns an agent's id for its id or short name.
///
/// # Errors
/// When no agent has this name.
pub fn agent_named(word: &str) -> Result<String, taffrail_context::Error> {
    taffrail_context::agent_id(word)
}

/// The path of the user's rules.
#[must_use]
pub fn user_file(settings: &Settings) -> PathBuf {
    settings.config.join(USER_FILE)
}

impl RuleBook {
    fn take(&mut self, path: &Path, origin: Origin, read: Read, home: &Path) {
        let text = match read {
            Read::Absent => return,
            Read::Text(text) => Ok(text),
            Read::Broken(why) => Err(why),
        };
        self.files.push(path.to_owned());
        let entries = match text.and_then(|it| file::entries(&it)) {
            Ok(entries) => entries,
            Err(why) => return self.fault(path, origin, None, &file::whole(why)),
        };
        for (number, entry) in (1..).zip(entries) {
            match entry.and_then(|it| file::meant(&it, origin, number, home)) {
                Ok(rule) => self.push(rule),
                Err(fault) => self.fault(path, origin, Some(number), &fault),
            }
        }
    }

    fn fault(&mut self, file: &Path, origin: Origin, number: Option<usize>, fault: &Fault) {
        let place = match number {
            Some(number) => format!("rule {number} of {}", file.display()),
            None => file.display().to_string(),
        };
        let stand_in = fault.stand_in(origin, &place);
        self.faults.push(RuleFault {
            file: file.to_owned(),
            origin,
            number,
            message: fault.message().to_owned(),
            holds_back: stand_in.is_some(),
        });
        stand_in.into_iter().for_each(|it| self.push(it));
    }

    /// Adds a rule of the current file.
    fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
        self.from.push(self.files.len().saturating_sub(1));
    }

    /// Each rule with its file.
    fn with_files(&self) -> impl Iterator<Item = (&Rule, &Path)> {
        let file = |at: &usize| self.files.get(*at).map_or(Path::new(""), PathBuf::as_path);
        self.rules.iter().zip(self.from.iter().map(file))
    }
}

#[cfg(test)]
mod tests;
