//! Edits the user's rules and leaves the rest of the file unchanged.

use super::file::{self, Read, entries};
use super::{RulesError, load, user_file};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use taffrail_context::Settings;
use taffrail_model::rules::{Origin, Rule, Typed};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// The header of a new file.
const HEAD: &str = "# What agents may do without asking you, and what they may not.\n\
    # `taffrail rules --help` and `taffrail rules test` say how it is read.\n\
    version = 1\n";

/// Adds a rule at the end of the user's file and returns the parsed rule. A rule that exists
/// already is not added again.
///
/// # Errors
/// When the rule is invalid, or the file cannot be changed.
pub fn add(settings: &Settings, typed: &Typed) -> Result<Rule, RulesError> {
    Ok(put_in(settings, typed)?.rule)
}

/// A rule, and the user's file without and with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// The parsed rule.
    pub rule: Rule,
    /// The user's file.
    pub file: PathBuf,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text.
    pub after: String,
}

/// Like `add`, but also returns the change.
///
/// # Errors
/// As `add`.
pub fn put_in(settings: &Settings, typed: &Typed) -> Result<Proposed, RulesError> {
    let path = user_file(settings);
    let _lock = lock(settings).map_err(|error| failed(&path, &error))?;
    let proposed = propose(settings, typed)?;
    if proposed.before.as_ref() != Some(&proposed.after) {
        write(&path, &proposed.after)?;
    }
    Ok(proposed)
}

/// Returns what adding a rule would change; writes nothing.
///
/// # Errors
/// When the rule is invalid, or the file could not be changed.
pub fn propose(settings: &Settings, typed: &Typed) -> Result<Proposed, RulesError> {
    let meant = |number| file::meant(typed, Origin::User, number, &settings.user_home);
    let no_rule = |it: taffrail_model::rules::Fault| RulesError::NoRule(it.message().to_owned());
    let rule = meant(1).map_err(no_rule)?;
    let file = user_file(settings);
    let (mut document, tables) = read(&file)?;
    let before = file.exists().then(|| document.to_string());
    let there = load(settings, None).rules.into_iter().find(|it| is_same(it, &rule));
    if let Some(there) = there {
        return Ok(Proposed { rule: there, file, after: document.to_string(), before });
    }
    let number = tables.len() + 1;
    let mut tables = tables;
    tables.push(table(typed));
    document.insert("rule", Item::ArrayOfTables(tables));
    let rule = Rule { number, ..rule };
    Ok(Proposed { rule, file, before, after: document.to_string() })
}

fn is_same(one: &Rule, other: &Rule) -> bool {
    Rule { number: 0, text: String::new(), ..one.clone() }
        == Rule { number: 0, text: String::new(), ..other.clone() }
}

/// Removes a rule from the user's file and returns it as typed, if it could be parsed.
///
/// # Errors
/// When there is no such rule, or the file cannot be changed.
pub fn remove(settings: &Settings, number: usize) -> Result<Option<Typed>, RulesError> {
    let path = user_file(settings);
    let _lock = lock(settings).map_err(|error| failed(&path, &error))?;
    let (mut document, mut tables) = read(&path)?;
    let at = number.checked_sub(1).filter(|at| *at < tables.len());
    let at = at.ok_or(RulesError::NoNumber(number))?;
    // Rules that cannot be parsed can still be removed by number.
    let listed = entries(&document.to_string()).unwrap_or_default();
    let was = listed.into_iter().nth(at).and_then(Result::ok);
    tables.remove(at);
    document.insert("rule", Item::ArrayOfTables(tables));
    write(&path, &document.to_string())?;
    Ok(was)
}

/// The current file, and its rules.
fn read(path: &Path) -> Result<(DocumentMut, ArrayOfTables), RulesError> {
    let shown = || path.display().to_string();
    let text = match file::read_user(path) {
        Read::Absent => HEAD.to_owned(),
        Read::Text(text) => text,
        Read::Broken(why) => return Err(RulesError::Unreadable(shown(), why)),
    };
    entries(&text).map_err(|why| RulesError::Unreadable(shown(), why))?;
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        RulesError::Unreadable(shown(), error.to_string())
    })?;
    let tables = match document.get("rule") {
        None => ArrayOfTables::new(),
        Some(Item::ArrayOfTables(tables)) => tables.clone(),
        Some(_) => {
            let why = "its rules are written in one line; write them as [[rule]]";
            return Err(RulesError::Unreadable(shown(), why.to_owned()));
        }
    };
    Ok((document, tables))
}

fn table(typed: &Typed) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    table.insert("decision", value(&typed.decision));
    table.insert("tool", value(&typed.tool));
    let parts = [
        ("command", &typed.command),
        ("file", &typed.file),
        ("agent", &typed.agent),
        ("project", &typed.project),
        ("when", &typed.when),
    ];
    for (key, text) in parts {
        if let Some(text) = text {
            table.insert(key, value(text));
        }
    }
    table
}

/// Held while the file is changed, so that two concurrent changes both survive.
fn lock(settings: &Settings) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(&settings.config)?;
    let folder = File::open(&settings.config)?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// Writes the file atomically. A link is followed: the file behind it is written.
fn write(path: &Path, text: &str) -> Result<(), RulesError> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let write = || -> io::Result<()> {
        let folder = real.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned);
        let mut file = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(&folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(Permissions::from_mode(0o600))?;
        file.as_file().sync_all()?;
        file.persist(&real)?;
        File::open(&folder)?.sync_all()
    };
    write().map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> RulesError {
    RulesError::Unreadable(path.display().to_string(), error.to_string())
}
