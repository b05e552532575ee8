//! Rules that past decisions speak for. They are offered, and never applied.

use super::{Decision, Origin, Request, RiskLevel, Rule, Typed, plain_commands, risk, warnings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So many equal decisions speak for a rule.
const SUGGESTED_AFTER: usize = 3;

/// A decision that a person made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What was decided.
    pub decision: Decision,
    /// The tool.
    pub tool: String,
    /// The command, if it ran one.
    pub command: Option<String>,
    /// The folder it was in, if it is known.
    pub project: Option<PathBuf>,
}

/// A tool, and the first words of a command it ran.
type Head = (String, Vec<String>);

/// The rules that decisions speak for, the most frequent first. A command counts by its first words,
/// and only if every decision about them was the same; nothing that is risky, or runs code it is
/// given, is suggested to be allowed.
#[must_use]
pub fn suggestions(decisions: &[Decided]) -> Vec<Rule> {
    let mut groups: BTreeMap<Head, Vec<(&Decided, bool)>> = BTreeMap::new();
    for decided in decisions {
        for (head, is_whole) in heads(decided) {
            groups.entry((decided.tool.clone(), head)).or_default().push((decided, is_whole));
        }
    }
    let mut all: Vec<(usize, Rule)> = Vec::new();
    for ((tool, head), group) in &groups {
        all.extend(rule_of(tool, head, group).map(|rule| (group.len(), rule)));
    }
    all.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    let numbered = all.into_iter().enumerate();
    numbered.map(|(at, (_, rule))| Rule { number: at + 1, ..rule }).collect()
}

/// The first words of each plain command, and whether they are all of it.
fn heads(decided: &Decided) -> Vec<(Vec<String>, bool)> {
    let commands = decided.command.as_deref().map(plain_commands).and_then(Result::ok);
    let head = |words: Vec<String>| {
        let is_name = |it: &&String| it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
        let is_word = |it: &&String| is_name(it) && !it.starts_with('-');
        let second = words.get(1).filter(is_word);
        let head: Vec<String> = words.first().into_iter().chain(second).cloned().collect();
        let is_whole = head.len() == words.len();
        (head, is_whole)
    };
    commands.into_iter().flatten().map(head).collect()
}

fn rule_of(tool: &str, head: &[String], group: &[(&Decided, bool)]) -> Option<Rule> {
    let (first, _) = group.first()?;
    let is_one = group.iter().all(|(it, _)| it.decision == first.decision);
    if group.len() < SUGGESTED_AFTER || !is_one || first.decision == Decision::Ask {
        return None;
    }
    let project = first.project.as_ref();
    let project = project.filter(|_| group.iter().all(|(it, _)| it.project == first.project));
    let tail = if group.iter().all(|(_, is_whole)| *is_whole) { "" } else { " *" };
    let typed = Typed {
        decision: first.decision.to_string(),
        tool: tool.to_owned(),
        command: Some(format!("{}{tail}", head.join(" "))),
        agent: None,
        project: project.map(|it| it.to_string_lossy().into_owned()),
    };
    let rule = typed.meant(Origin::User, 1, Path::new("/")).ok()?;
    (first.decision == Decision::Deny || is_harmless(&rule, group)).then_some(rule)
}

fn is_harmless(rule: &Rule, group: &[(&Decided, bool)]) -> bool {
    let is_low = |it: &Decided| {
        let request = Request {
            tool: &it.tool,
            command: it.command.as_deref(),
            agent: None,
            project: it.project.as_deref(),
        };
        risk(&request, &[]).level == RiskLevel::Low
    };
    warnings(rule).is_empty() && group.iter().all(|(it, _)| is_low(it))
}
