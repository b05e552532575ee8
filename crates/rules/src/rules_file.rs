//! Rules as typed, and their meaning.

use super::condition::Condition;
use super::decision::Decision;
use super::files::FilePattern;
use super::pattern::Pattern;
use super::rule::{ANY_TOOL, Origin, Rule};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// The longest name of a tool or an agent, in bytes.
const NAME_BYTES: usize = 256;

/// A rule as written in a file or on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typed {
    /// `allow`, `ask` or `deny`.
    pub decision: String,
    /// The tool's name, or `*`.
    pub tool: String,
    /// Which commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Only for this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only in this folder and below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Only for these files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Only while this holds: `over-budget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A rule that would have allowed something. It does not, and nothing else changes.
    Allow(String),
    /// A rule that may have denied something, so nothing is allowed until it is fixed.
    Other(String),
}

impl Fault {
    /// The problem, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Allow(it) | Self::Other(it) => it,
        }
    }

    /// The rule that replaces it, so that a mistyped deny lets nothing through.
    #[must_use]
    pub fn stand_in(&self, origin: Origin, place: &str) -> Option<Rule> {
        match self {
            Self::Allow(_) => None,
            Self::Other(it) => Some(Rule::held_back(
                origin,
                format!("{place} cannot be read ({it}), so nothing is allowed until it is fixed"),
            )),
        }
    }
}

impl Typed {
    /// Interprets the rule. `~` expands to `home`.
    ///
    /// # Errors
    /// Returns a [`Fault`] if the rule is invalid.
    pub fn meant(&self, origin: Origin, number: usize, home: &Path) -> Result<Rule, Fault> {
        let decision = match self.decision.as_str() {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            "deny" => Decision::Deny,
            other => return Err(Fault::Other(format!("`{other}` is none of allow, ask, deny"))),
        };
        let fault = |message: String| match decision {
            Decision::Allow => Fault::Allow(message),
            Decision::Ask | Decision::Deny => Fault::Other(message),
        };
        self.of(decision, origin, home).map(|rule| Rule { number, ..rule }).map_err(fault)
    }

    fn of(&self, decision: Decision, origin: Origin, home: &Path) -> Result<Rule, String> {
        if origin == Origin::Repository && decision == Decision::Allow {
            return Err("a repository may deny or ask, and never allow".to_owned());
        }
        if origin == Origin::Repository && self.project.is_some() {
            return Err("a repository's rule is for the repository; it names no project".to_owned());
        }
        let command = self.command.as_deref().map(|it| Pattern::parse(it, decision)).transpose()?;
        if self.command.is_some() && self.file.is_some() {
            return Err("a rule is for commands or for files, not for both".to_owned());
        }
        let project = self.project.as_deref().map(|it| folder(it, home)).transpose()?;
        let files = self.file.as_deref().map(|it| FilePattern::parse(it, decision, home));
        let when = self.when.as_deref().map(|it| Condition::parse(it, decision)).transpose()?;
        Ok(Rule {
            decision,
            tool: name(&self.tool, "a tool")?,
            command,
            agent: self.agent.as_deref().map(|it| name(it, "an agent")).transpose()?,
            project,
            files: files.transpose()?,
            when,
            origin,
            number: 0,
            text: self.to_string(),
        })
    }
}

/// The rule in one line.
impl std::fmt::Display for Typed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tool = if self.tool == ANY_TOOL { "every tool" } else { &self.tool };
        let mut out = format!("{} {tool}", self.decision);
        let parts = [
            (":", &self.command),
            (" on", &self.file),
            (" for", &self.agent),
            (" in", &self.project),
            (" when", &self.when),
        ];
        for (word, part) in parts {
            if let Some(part) = part {
                write!(out, "{word} {part}")?;
            }
        }
        f.write_str(&out)
    }
}

fn name(text: &str, what: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && text.len() <= NAME_BYTES;
    match is_name && !text.contains(char::is_control) && text.trim() == text {
        true => Ok(text.to_owned()),
        false => Err(format!("`{}` is not a name of {what}", text.escape_debug())),
    }
}

/// A folder in a form that can be compared.
fn folder(text: &str, home: &Path) -> Result<PathBuf, String> {
    let path = match text.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(below) if below.starts_with('/') => home.join(below.trim_start_matches('/')),
        Some(_) | None => PathBuf::from(text),
    };
    let is_clear = !path.components().any(|it| it == Component::ParentDir);
    match path.is_absolute() && is_clear {
        true => Ok(path.components().collect()),
        false => Err(format!("`{text}` is not the whole path of a folder")),
    }
}
