//! The project's own rules, each a function from the workspace to its violations.

mod adapters;
mod agents;
mod crates;
mod documents;
mod english;
mod errands;
mod examples;
mod faces;
mod files;
mod floors;
mod licences;
mod locks;
mod metadata;
mod modules;
mod names;
mod picture;
mod sizes;
mod spdx;
mod tokens;
mod words;

pub(crate) use picture::draw;

use files::Tree;
use std::path::Path;

/// A violation of a rule.
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

/// Applies every rule and prints all violations.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let packages = metadata::load(root)?;
    let rules = [
        ("crate arrows", floors::check(&packages)),
        ("picture", picture::check(&tree, &packages)),
        ("modules", modules::check(&tree)),
        ("faces", faces::check(&tree)),
        ("licences", licences::check(&tree, &packages)),
        ("locks", locks::check(&tree)),
        ("sizes", sizes::check(&tree)),
        ("agents' names", names::check(&tree)),
        ("adapter folders", adapters::check(&tree)),
        ("crates", crates::check(&tree)),
        ("words", words::check(&tree)),
        ("english", english::check(&tree)),
        ("documents", documents::check(&tree)),
        ("examples", examples::check(&tree)),
        ("where to look", errands::check(&tree, root)),
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
