//! Rules about approvals, and what they say about a request.

use serde::Serialize;

/// One rule, as it is in force or as it is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleRow {
    /// Its place in its file, from 1; none for a file as a whole.
    pub number: Option<usize>,
    /// `user` or `repository`.
    pub origin: &'static str,
    /// The file it is in.
    pub file: String,
    /// `allow`, `ask` or `deny`; none for what cannot be read.
    pub decision: Option<&'static str>,
    /// The tool's name, or `*`.
    pub tool: Option<String>,
    /// Which commands.
    pub command: Option<String>,
    /// The only agent it is for.
    pub agent: Option<String>,
    /// The only project it is for.
    pub project: Option<String>,
    /// How it reads.
    pub text: String,
    /// Why it does not count.
    pub fault: Option<String>,
}

/// The rules that are in force in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleList {
    /// Of this document.
    pub schema_version: u32,
    /// Where the user's rules are.
    pub file: String,
    /// In the order of the files, the user's first.
    pub rules: Vec<RuleRow>,
    /// Something may have been denied that cannot be read, so nothing is allowed.
    pub holds_back: bool,
}

/// What the rules say about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleAnswer {
    /// Of this document.
    pub schema_version: u32,
    /// `allow`, `ask` or `deny`.
    pub decision: &'static str,
    /// The rule that says so, as it reads.
    pub rule: Option<String>,
    /// The reason.
    pub why: String,
}

/// A rule that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleAdded {
    /// Of this document.
    pub schema_version: u32,
    /// Its place in the user's file.
    pub number: usize,
    /// How it reads.
    pub rule: String,
    /// What to know about it.
    pub warnings: Vec<String>,
}
