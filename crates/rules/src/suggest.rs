//! Rules that past decisions suggest. They are offered, never applied.

use super::decision::Decision;
use super::request::Request;
use super::risk::risk;
use super::risk_table::RiskLevel;
use super::rule::{Origin, Rule};
use super::rules_file::Typed;
use super::strict_parser::plain_commands;
use super::warn::warnings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of equal decisions that suggest a rule.
const SUGGESTED_AFTER: usize = 3;
/// The most commands in a line that is considered.
const PARTS: usize = 16;

/// A decision that a person made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The tool.
    pub tool: String,
    /// The command, if the tool ran one.
    pub command: Option<String>,
    /// The working folder, if known.
    pub project: Option<PathBuf>,
}

/// A tool, the significant words of a command, and the decision.
type Head = (String, Vec<String>, Decision);

/// The rules that decisions suggest, the most frequent first, unless a similar command was once
/// decided differently. Never suggests allowing anything risky or any program that runs code from
/// its arguments.
#[must_use]
pub fn suggestions(decisions: &[Decided]) -> Vec<Rule> {
    let mut groups: BTreeMap<Head, Vec<(&Decided, bool)>> = BTreeMap::new();
    for decided in decisions {
        for (head, is_whole) in heads(decided) {
            let key = (decided.tool.clone(), head, decided.decision);
            groups.entry(key).or_default().push((decided, is_whole));
        }
    }
    let mut all: Vec<(usize, Rule)> = Vec::new();
    for ((tool, head, _), group) in &groups {
        all.extend(rule_of((tool, head), group, decisions).map(|rule| (group.len(), rule)));
    }
    all.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    let numbered = all.into_iter().enumerate();
    numbered.map(|(at, (_, rule))| Rule { number: at + 1, ..rule }).collect()
}

/// Programs that neither write nor run anything, whatever their arguments.
const READERS: &[&str] =
    &["ls", "cat", "pwd", "wc", "head", "tail", "echo", "which", "stat", "file", "du", "df"];

/// The significant words of each plain command, once per decision, and whether they are the whole
/// command. For an allow it is the command as written, because options may write files or run
/// programs; only for programs that just read is it the name alone. For a deny it is the first
/// words.
fn heads(decided: &Decided) -> BTreeMap<Vec<String>, bool> {
    let commands = decided.command.as_deref().map(plain_commands).and_then(Result::ok);
    let commands = commands.filter(|it| it.len() <= PARTS);
    let of = |words: Vec<String>| {
        let reads = words.first().is_some_and(|it| READERS.contains(&it.as_str()));
        match decided.decision {
            Decision::Allow if !reads => (words, true),
            Decision::Allow => (words.iter().take(1).cloned().collect(), words.len() == 1),
            Decision::Ask | Decision::Deny => head(&words),
        }
    };
    let mut out = BTreeMap::new();
    for (head, is_whole) in commands.into_iter().flatten().map(of) {
        *out.entry(head).or_insert(true) &= is_whole;
    }
    out
}

/// The first words of a command, and whether they are the whole command.
fn head(words: &[String]) -> (Vec<String>, bool) {
    let is_name = |it: &&String| it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
    let is_word = |it: &&String| is_name(it) && !it.starts_with('-');
    let second = words.get(1).filter(is_word);
    let head: Vec<String> = words.first().into_iter().chain(second).cloned().collect();
    let is_whole = head.len() == words.len();
    (head, is_whole)
}

fn rule_of(
    (tool, head): (&str, &[String]),
    group: &[(&Decided, bool)],
    all: &[Decided],
) -> Option<Rule> {
    let (first, _) = group.first()?;
    let is_often = group.len() >= SUGGESTED_AFTER && first.decision != Decision::Ask;
    if !is_often || is_contested(first.decision, head, all) {
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
        file: None,
        when: None,
    };
    let rule = typed.meant(Origin::User, 1, Path::new("/")).ok()?;
    (first.decision == Decision::Deny || is_harmless(&rule, group)).then_some(rule)
}

/// Whether a command with the same beginning was once decided differently.
fn is_contested(decision: Decision, words: &[String], all: &[Decided]) -> bool {
    let (begins, _) = head(words);
    let begins_so = |it: &Vec<String>| it.starts_with(&begins);
    all.iter().filter(|it| it.decision != decision).any(|it| {
        let commands = it.command.as_deref().map(plain_commands).and_then(Result::ok);
        commands.is_some_and(|it| it.iter().any(begins_so))
    })
}

fn is_harmless(rule: &Rule, group: &[(&Decided, bool)]) -> bool {
    let is_low = |it: &Decided| {
        let request = Request {
            tool: &it.tool,
            command: it.command.as_deref(),
            agent: None,
            project: it.project.as_deref(),
            ..Request::default()
        };
        risk(&request).level == RiskLevel::Low
    };
    warnings(rule).is_empty() && group.iter().all(|(it, _)| is_low(it))
}
