//! Applies the rules to a request: any deny wins, then any ask, then an allow.

use super::control::controls;
use super::decision::Decision;
use super::files::FilePattern;
use super::limit::cut;
use super::permissive_parser::{CommandList, commands_in};
use super::request::Request;
use super::rule::{ANY_TOOL, Origin, Rule};
use super::strict_parser::plain_commands;
use std::path::{Component, Path, PathBuf};

/// The longest part of a command quoted in a reason, in bytes.
const TOLD_BYTES: usize = 120;

/// Commands after which the next ones run in another folder.
const MOVES: [&str; 4] = ["cd", "pushd", "popd", "chdir"];

/// The decision of the rules about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// The rule that decided, if one did.
    pub rule: Option<Rule>,
    /// The reason, for people.
    pub why: String,
}

/// Decides a request. If no rule matches, the answer is to ask.
#[must_use]
pub fn decide(request: &Request<'_>, rules: &[Rule]) -> Verdict {
    let found = request.command.map(commands_in).unwrap_or_default();
    let held = rules.iter().filter_map(|rule| held(rule, request, &found));
    // The first of the strongest, so that the named rule is the first one in its file.
    let strongest = held.reduce(|best, it| if it.decision > best.decision { it } else { best });
    match strongest {
        Some(verdict) => verdict,
        None if found.is_cut => asked("it is too long to be looked through"),
        None => unless_held_back(request, allowed(request, rules)),
    }
}

/// No rule allows a request that touches what controls decisions, or a command with extra fields.
fn unless_held_back(request: &Request<'_>, verdict: Verdict) -> Verdict {
    if verdict.decision != Decision::Allow {
        return verdict;
    }
    let beside = request.beside.first().filter(|_| request.command.is_some());
    match (controls(request.command, request.files), beside) {
        (Some(why), _) => asked(&format!("it {why}, which no rule allows")),
        (None, Some(field)) => asked(&format!("it is given `{field}`, which rules do not know")),
        (None, None) => verdict,
    }
}

/// The verdict of a rule that denies or asks, if it matches the request.
fn held(rule: &Rule, request: &Request<'_>, found: &CommandList) -> Option<Verdict> {
    let is_for = rule.decision != Decision::Allow && is_for_tool(rule, request);
    if !is_for {
        return None;
    }
    let why = match (&rule.command, request.command) {
        (None, _) => of_files(rule, request)?,
        (Some(_), None) => return None,
        (Some(pattern), Some(_)) => {
            let command = found.commands.iter().find(|it| pattern.may_be(it))?;
            format!("{}: it runs `{}`", whose(rule), shortened(command))
        }
    };
    match limits(rule, request) {
        Limits::Outside => None,
        Limits::Within if rule.when.is_some() => Some(Verdict {
            decision: Decision::Ask,
            rule: Some(rule.clone()),
            why: format!("{why}, and it is not known whether a budget is spent"),
        }),
        Limits::Within => Some(Verdict { decision: rule.decision, rule: Some(rule.clone()), why }),
        Limits::Unsaid => Some(Verdict {
            decision: Decision::Ask,
            rule: Some(rule.clone()),
            why: format!(
                "{why}, and it is not known whether the rule is for this agent and project"
            ),
        }),
    }
}

/// Why a rule with a file pattern matches a request. A rule without one matches every request.
fn of_files(rule: &Rule, request: &Request<'_>) -> Option<String> {
    let Some(files) = &rule.files else { return Some(whose(rule)) };
    let is_it = |it: &&&str| files.may_be(&below(request.project, it));
    let file = request.files.iter().find(is_it)?;
    Some(format!("{}: it names `{}`", whose(rule), cut(file, TOLD_BYTES)))
}

fn allowed(request: &Request<'_>, rules: &[Rule]) -> Verdict {
    let candidates: Vec<&Rule> = rules.iter().filter(|rule| may_allow(rule, request)).collect();
    let Some(text) = request.command else {
        let rule = candidates.into_iter().find(|it| it.command.is_none());
        return rule.map_or_else(|| asked("no rule speaks of it"), yes);
    };
    let candidates: Vec<&Rule> = candidates.into_iter().filter(|it| it.command.is_some()).collect();
    if candidates.is_empty() {
        return asked("no rule speaks of it");
    }
    match plain_commands(text) {
        Err(error) => asked(&format!("only plain commands are allowed by rule: {error}")),
        Ok(commands) => each_allowed(&commands, &candidates),
    }
}

/// Every command must be allowed, by the same rule or by one of its own.
fn each_allowed(commands: &[Vec<String>], candidates: &[&Rule]) -> Verdict {
    let moves = commands.iter().any(|it| it.first().is_some_and(|it| MOVES.contains(&it.as_str())));
    let mut by = None;
    for command in commands {
        let is = |it: &&&Rule| {
            it.command.as_ref().is_some_and(|pattern| pattern.is(command))
                && !(moves && it.project.is_some())
        };
        let Some(rule) = candidates.iter().find(is) else {
            return asked(&format!("no rule allows `{}`", shortened(command)));
        };
        by = by.or(Some(*rule));
    }
    by.map_or_else(|| asked("no rule speaks of it"), yes)
}

fn may_allow(rule: &Rule, request: &Request<'_>) -> bool {
    rule.decision == Decision::Allow
        && rule.origin == Origin::User
        && is_for_tool(rule, request)
        && limits(rule, request) == Limits::Within
        && rule.project.as_deref().is_none_or(|it| are_within(it, request))
        && rule.files.as_ref().is_none_or(|it| are_all(it, (rule, request)))
}

/// Whether every file matches a rule's pattern, relative to the rule's project if it names one.
fn are_all(files: &FilePattern, (rule, request): (&Rule, &Request<'_>)) -> bool {
    let base = rule.project.as_deref().or(request.project);
    let is_it = |it: &&str| files.is(base, &below(request.project, it));
    !request.files.is_empty() && request.files.iter().all(is_it)
}

/// Whether a request stays in a rule's project: such a rule allows only files below it. A tool that
/// names no files and runs no command may write anywhere.
fn are_within(project: &Path, request: &Request<'_>) -> bool {
    let is_within = |it: &&str| within(project, &below(request.project, it)) == Limits::Within;
    match request.files {
        [] => request.command.is_some(),
        files => files.iter().all(is_within),
    }
}

/// A file's path, joined to the agent's working folder.
fn below(project: Option<&Path>, file: &str) -> PathBuf {
    project.map_or_else(|| PathBuf::from(file), |it| it.join(file))
}

fn is_for_tool(rule: &Rule, request: &Request<'_>) -> bool {
    rule.tool == ANY_TOOL || rule.tool == request.tool
}

/// Whether a request is within a rule's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limits {
    Within,
    Outside,
    /// The request does not show it.
    Unsaid,
}

fn limits(rule: &Rule, request: &Request<'_>) -> Limits {
    let agent = match (&rule.agent, request.agent) {
        (None, _) => Limits::Within,
        (Some(_), None) => Limits::Unsaid,
        (Some(only), Some(agent)) if only == agent => Limits::Within,
        (Some(_), Some(_)) => Limits::Outside,
    };
    let project = match (&rule.project, request.project) {
        (None, _) => Limits::Within,
        (Some(_), None) => Limits::Unsaid,
        (Some(only), Some(project)) => within(only, project),
    };
    match (agent, project) {
        (Limits::Outside, _) | (_, Limits::Outside) => Limits::Outside,
        (Limits::Unsaid, _) | (_, Limits::Unsaid) => Limits::Unsaid,
        (Limits::Within, Limits::Within) => Limits::Within,
    }
}

/// A path with `..` may lead anywhere.
fn within(only: &Path, project: &Path) -> Limits {
    let is_clear = !project.components().any(|it| it == Component::ParentDir);
    match project.components().collect::<PathBuf>().starts_with(only) {
        _ if !is_clear || !project.is_absolute() => Limits::Unsaid,
        true => Limits::Within,
        false => Limits::Outside,
    }
}

fn yes(rule: &Rule) -> Verdict {
    Verdict { decision: Decision::Allow, rule: Some(rule.clone()), why: whose(rule) }
}

fn asked(why: &str) -> Verdict {
    Verdict { decision: Decision::Ask, rule: None, why: why.to_owned() }
}

fn whose(rule: &Rule) -> String {
    match (rule.number, rule.origin) {
        (0, _) => rule.text.clone(),
        (number, Origin::User) => format!("your rule {number}, {}", rule.text),
        (number, Origin::Repository) => format!("the repository's rule {number}, {}", rule.text),
    }
}

/// A command, shortened for a reason.
fn shortened(command: &[String]) -> String {
    let text = command.join(" ");
    let short = cut(&text, TOLD_BYTES);
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short}{dots}")
}
