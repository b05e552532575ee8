//! The rules of the house, each a function from the workspace to what breaks it.

mod adapters;
mod agents;
mod crates;
mod documents;
mod examples;
mod files;
mod floors;
mod licences;
mod metadata;
mod names;
mod sizes;
mod spdx;
mod tokens;
mod words;

use files::Tree;
use std::path::Path;

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// Counted from 1; 0 stands for the whole file.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// Applies every rule and prints all that breaks one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let packages = metadata::load(root)?;
    let rules = [
        ("crate arrows", floors::check(&packages)),
        ("licences", licences::check(&packages)),
        ("sizes", sizes::check(&tree)),
        ("agents' names", names::check(&tree)),
        ("adapter folders", adapters::check(&tree)),
        ("crates", crates::check(&tree)),
        ("words", words::check(&tree)),
        ("documents", documents::check(&tree)),
        ("examples", examples::check(&tree)),
    ];
    let mut broken = 0;
    for (rule, findings) in &rules {
        for finding in findings {
            println!("{finding} ({rule})");
        }
        broken += findings.len();
    }
    println!("tidy: {}", sizes::remark(&tree));
    match broken {
        0 => Ok(()),
        1 => Err("tidy found 1 broken rule.".to_owned()),
        many => Err(format!("tidy found {many} broken rules.")),
    }
}
