//! Rules as the user interfaces show them.

use super::{RuleFault, applicable, load, user_file};
use std::path::Path;
use taffrail_api::{Check, CheckStatus, RuleAnswer, RuleList, RuleRow, SCHEMA_VERSION};
use taffrail_context::Settings;
use taffrail_model::rules::{Origin, Request, Rule, decide};
use taffrail_query::budgets::BudgetMember;

/// Lists the rules in force in a folder, and their faults.
#[must_use]
pub fn rule_list(settings: &Settings, project: Option<&Path>) -> RuleList {
    let book = load(settings, project);
    let faults = book.faults.iter().map(broken);
    let sound = book.with_files().filter(|(it, _)| it.number > 0).map(|(it, file)| row(it, file));
    let mut rules: Vec<RuleRow> = sound.chain(faults).collect();
    let place = |row: &RuleRow| book.files.iter().position(|it| it.to_string_lossy() == row.file);
    rules.sort_by_key(|it| (place(it), it.number));
    RuleList {
        schema_version: SCHEMA_VERSION,
        file: user_file(settings).display().to_string(),
        holds_back: book.faults.iter().any(|it| it.holds_back),
        rules,
    }
}

/// Returns the decision of the rules about a request.
#[must_use]
pub fn rule_test(settings: &Settings, request: &Request<'_>) -> RuleAnswer {
    let who = BudgetMember { session: None, agent: request.agent, project: request.project };
    let rules = applicable(settings, load(settings, request.project), &who);
    let verdict = decide(request, &rules);
    RuleAnswer {
        schema_version: SCHEMA_VERSION,
        decision: verdict.decision.as_str(),
        rule: verdict.rule.map(|it| it.text),
        why: verdict.why,
    }
}

fn row(rule: &Rule, file: &Path) -> RuleRow {
    RuleRow {
        number: Some(rule.number),
        origin: origin(rule.origin),
        file: file.to_string_lossy().into_owned(),
        decision: Some(rule.decision.as_str()),
        tool: Some(rule.tool.clone()),
        command: rule.command.as_ref().map(ToString::to_string),
        agent: rule.agent.clone(),
        project: rule.project.as_ref().map(|it| it.display().to_string()),
        files: rule.files.as_ref().map(ToString::to_string),
        when: rule.when.map(taffrail_model::rules::Condition::as_str),
        text: rule.text.clone(),
        fault: None,
    }
}

fn broken(fault: &RuleFault) -> RuleRow {
    RuleRow {
        number: fault.number,
        origin: origin(fault.origin),
        file: fault.file.to_string_lossy().into_owned(),
        decision: None,
        tool: None,
        command: None,
        agent: None,
        project: None,
        files: None,
        when: None,
        text: "does not count".to_owned(),
        fault: Some(fault.message.clone()),
    }
}

const fn origin(it: Origin) -> &'static str {
    match it {
        Origin::User => "user",
        Origin::Repository => "repository",
    }
}

/// Checks the user's rules; empty if there are none.
pub fn doctor_checks(settings: &Settings) -> Vec<Check> {
    let book = load(settings, None);
    let check = |status, evidence, fix: Option<&str>| Check {
        id: "rules".to_owned(),
        status,
        evidence,
        fix: fix.map(str::to_owned),
    };
    let fix = Some("fix the file; `taffrail rules ls` shows which rules apply");
    let told = |it: &RuleFault| {
        let place = it.number.map(|number| format!(", rule {number}")).unwrap_or_default();
        let then = if it.holds_back { "; nothing is allowed by rule" } else { "" };
        let evidence = format!("{}{place}: {}{then}", it.file.display(), it.message);
        check(CheckStatus::Failed, evidence, fix)
    };
    let mut checks: Vec<Check> = book.faults.iter().map(told).collect();
    if checks.is_empty() && !book.files.is_empty() {
        let evidence = format!("{} rules about approvals", book.rules.len());
        checks.push(check(CheckStatus::Ok, evidence, None));
    }
    checks
}
