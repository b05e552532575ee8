//! Rules about approvals, and their decision on a request.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// One rule, as it is in force or as it is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RuleRow {
    /// Its place in its file, from 1; none for a file as a whole.
    pub number: Option<usize>,
    /// `user` or `repository`.
    #[schema(value_type = String)]
    pub origin: &'static str,
    /// The file it is in.
    pub file: String,
    /// `allow`, `ask` or `deny`; none for what cannot be read.
    #[schema(value_type = Option<String>)]
    pub decision: Option<&'static str>,
    /// The tool's name, or `*`.
    pub tool: Option<String>,
    /// Which commands.
    pub command: Option<String>,
    /// The only agent it is for.
    pub agent: Option<String>,
    /// The only project it is for.
    pub project: Option<String>,
    /// The only files it is for, as a pattern.
    pub files: Option<String>,
    /// Only while this holds: `over-budget`.
    #[schema(value_type = Option<String>)]
    pub when: Option<&'static str>,
    /// How it reads.
    pub text: String,
    /// Why it does not count.
    pub fault: Option<String>,
}

/// The rules that are in force in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
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

/// Rules that past decisions speak for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSuggestions {
    /// Of this document.
    pub schema_version: u32,
    /// The one that was decided most often first.
    pub suggestions: Vec<RuleSuggestion>,
}

/// A rule that is offered and not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSuggestion {
    /// `allow` or `deny`.
    pub decision: &'static str,
    /// The tool's name.
    pub tool: String,
    /// Which commands.
    pub command: String,
    /// The only project it is for.
    pub project: Option<String>,
    /// How it reads.
    pub text: String,
    /// The words that would add it.
    pub add: Vec<String>,
}

/// Where rules are asked about.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct RulesQuery {
    /// A project; without one, only the user's own rules are listed.
    pub project: Option<String>,
}

/// A rule that is wanted.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleBody {
    /// `allow`, `ask` or `deny`.
    pub decision: String,
    /// The tool, as the agent names it; `*` for every one.
    pub tool: String,
    /// Which commands.
    #[serde(default)]
    pub command: Option<String>,
    /// Only for this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only in this folder and below.
    #[serde(default)]
    pub project: Option<String>,
    /// Only for these files.
    #[serde(default)]
    pub file: Option<String>,
    /// Only show what would be written; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

fn yes() -> bool {
    true
}

/// A rule that was added, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RuleChange {
    /// Of this document.
    pub schema_version: u32,
    /// The change was made; otherwise it was only planned.
    pub done: bool,
    /// Its place in the user's file.
    pub number: usize,
    /// How it reads.
    pub rule: String,
    /// What to know about it.
    pub warnings: Vec<String>,
    /// The file.
    pub file: String,
    /// The change, as a unified diff.
    pub diff: String,
}
