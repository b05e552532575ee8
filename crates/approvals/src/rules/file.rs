//! Reads and parses a rules file.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use taffrail_capture::{open_below, open_own};
use taffrail_context::agent_id;
use taffrail_model::rules::{Fault, Origin, Rule, Typed};
use toml_edit::{DocumentMut, Item, TableLike, Value};

/// The size limit of a rules file.
pub(super) const FILE_BYTES: u64 = 256 * 1024;
/// The most rules in a file.
const MOST_RULES: usize = 1_000;
/// The version of the files we write and read.
const VERSION: i64 = 1;

/// The text of a rules file, if it exists.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Absent,
    Text(String),
    Broken(String),
}

/// Reads the user's own file. A link is followed, as people keep their settings elsewhere; a file
/// that others may write is not trusted.
pub(super) fn read_user(path: &Path) -> Read {
    text_of(open_own(path), FILE_BYTES)
}

/// Reads a repository's file in one of its folders. Links are not followed.
pub(super) fn read_repository(folder: &Path, most: u64) -> Read {
    text_of(open_below(folder, super::repository::FILE), most)
}

/// Counts the rules in a text, valid or not. A text that is not a rules file counts as zero and has
/// a fault of its own.
pub(super) fn count(text: &str) -> usize {
    entries(text).map_or(0, |it| it.len())
}

fn text_of(file: io::Result<File>, most: u64) -> Read {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        file?.take(most + 1).read_to_string(&mut text)?;
        Ok(text)
    };
    match read() {
        Ok(text) if text.len() as u64 > most => {
            Read::Broken(format!("rules are longer than {} KiB", FILE_BYTES / 1024))
        }
        Ok(text) => Read::Text(text),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Read::Absent
        }
        Err(error) => Read::Broken(error.to_string()),
    }
}

/// A fault of a whole file: the file may have contained a deny.
pub(super) fn whole(why: String) -> Fault {
    Fault::Other(why)
}

/// The rules of a file in order, each as typed or with its fault.
pub(super) fn entries(text: &str) -> Result<Vec<Result<Typed, Fault>>, String> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        format!("it is not valid TOML: {}", error.to_string().lines().collect::<Vec<_>>().join(" "))
    })?;
    let mut out = Vec::new();
    for (key, item) in document.iter() {
        match key {
            "version" if item.as_integer() == Some(VERSION) => {}
            "version" => return Err(format!("its version is not {VERSION}")),
            "rule" => out.extend(tables(item)?.into_iter().map(typed)),
            other => return Err(format!("`{other}` is not known; rules are written as [[rule]]")),
        }
    }
    match out.len() > MOST_RULES {
        true => Err(format!("it has more than {MOST_RULES} rules")),
        false => Ok(out),
    }
}

fn tables<'a>(item: &'a Item) -> Result<Vec<&'a dyn TableLike>, String> {
    let fault = || "rules are written as [[rule]]".to_owned();
    match item {
        Item::ArrayOfTables(tables) => Ok(tables.iter().map(|it| it as &dyn TableLike).collect()),
        Item::Value(value) => {
            let values = value.as_array().ok_or_else(fault)?.iter();
            let table = |it: &'a Value| it.as_inline_table().map(|it| it as &dyn TableLike);
            values.map(|it| table(it).ok_or_else(fault)).collect()
        }
        Item::None | Item::Table(_) => Err(fault()),
    }
}

/// Parses a rule. An unknown key may have made it narrower or wider.
fn typed(table: &dyn TableLike) -> Result<Typed, Fault> {
    let decision = table.get("decision").and_then(Item::as_str).unwrap_or_default();
    let fault = |message: String| match decision {
        "allow" => Fault::Allow(message),
        _ => Fault::Other(message),
    };
    let mut out = Typed::default();
    for (key, item) in table.iter() {
        let Some(text) = item.as_str().map(str::to_owned) else {
            return Err(fault(format!("`{key}` is not text")));
        };
        match key {
            "decision" => out.decision = text,
            "tool" => out.tool = text,
            "command" => out.command = Some(text),
            "agent" => out.agent = Some(text),
            "project" => out.project = Some(text),
            "file" => out.file = Some(text),
            "when" => out.when = Some(text),
            other => return Err(fault(format!("`{other}` is not known"))),
        }
    }
    Ok(out)
}

/// Resolves a typed rule. An agent is named by its id or short name, and must exist.
pub(super) fn meant(
    typed: &Typed,
    origin: Origin,
    number: usize,
    home: &Path,
) -> Result<Rule, Fault> {
    let rule = typed.meant(origin, number, home)?;
    let agent = rule.agent.as_deref().map(agent_id).transpose();
    let agent = agent.map_err(|error| match rule.decision {
        taffrail_model::rules::Decision::Allow => Fault::Allow(error.to_string()),
        _ => Fault::Other(error.to_string()),
    })?;
    // A folder that exists is compared by its real path, as sessions are.
    let real = |it: PathBuf| std::fs::canonicalize(&it).unwrap_or(it);
    Ok(Rule { agent, project: rule.project.clone().map(real), ..rule })
}
