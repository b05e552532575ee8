//! Suggests rules from past decisions. A rule is never added without the user.

use super::load;
use std::collections::HashMap;
use std::path::PathBuf;
use taffrail_api::{RuleSuggestion, RuleSuggestions, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::SessionId;
use taffrail_model::approval::{Approval, Decision as Decided, input_mark};
use taffrail_model::rules::{self, Decision, Request, Rule, decide, suggestions};
use taffrail_store::{IndexReader, Ledger};

/// Suggests rules for commands in the ledger that people decided often enough and always the same
/// way.
///
/// # Errors
/// When the ledger or the index cannot be read.
pub fn rule_suggestions(settings: &Settings) -> Result<RuleSuggestions, Error> {
    let decided = match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => of_people(settings, ledger.approvals(true)?)?,
        None => Vec::new(),
    };
    let new = suggestions(&decided).into_iter().filter(|it| !is_decided(settings, it));
    let suggestions = new.map(|it| offered(&it)).collect();
    Ok(RuleSuggestions { schema_version: SCHEMA_VERSION, suggestions })
}

/// Decisions of people about commands, each with its folder.
fn of_people(settings: &Settings, all: Vec<Approval>) -> Result<Vec<rules::Decided>, Error> {
    let index = IndexReader::open(&settings.data)?;
    let mut folders: HashMap<SessionId, Option<PathBuf>> = HashMap::new();
    let mut out = Vec::new();
    for it in all.into_iter().filter(is_command) {
        let Some(decision) = by_person(&it) else { continue };
        let known = folders.get(&it.session_id).cloned();
        let project = match (known, &index) {
            (Some(known), _) => known,
            (None, Some(index)) => folder(index, it.session_id)?,
            (None, None) => None,
        };
        folders.insert(it.session_id, project.clone());
        out.push(rules::Decided { decision, tool: it.tool, command: Some(it.command), project });
    }
    Ok(out)
}

fn folder(index: &IndexReader, session: SessionId) -> Result<Option<PathBuf>, Error> {
    let row = index.session_by_id(session)?;
    Ok(row.and_then(|it| it.project_path).map(PathBuf::from))
}

/// A person's decision; a rule's decision does not support another rule.
fn by_person(it: &Approval) -> Option<Decision> {
    let verdict = it.verdict.as_ref().filter(|it| it.rule.is_none())?;
    match verdict.decision {
        Decided::Allow => Some(Decision::Allow),
        Decided::Deny => Some(Decision::Deny),
        Decided::Unknown(_) => None,
    }
}

/// True if the request was for exactly this command, by its digest. Another tool's summary is not a
/// command.
fn is_command(it: &Approval) -> bool {
    let input = serde_json::json!({ "command": it.command });
    input_mark(&it.tool, input) == it.input_hash
}

/// True if the existing rules already decide this.
fn is_decided(settings: &Settings, rule: &Rule) -> bool {
    let pattern = rule.command.as_ref().map(ToString::to_string).unwrap_or_default();
    let command = pattern.strip_suffix(" *").unwrap_or(&pattern);
    let project = rule.project.as_deref();
    let request = Request {
        tool: &rule.tool,
        command: Some(command),
        agent: None,
        project,
        files: &[],
        beside: &[],
    };
    decide(&request, &load(settings, project).rules).rule.is_some()
}

fn offered(rule: &Rule) -> RuleSuggestion {
    let command = rule.command.as_ref().map(ToString::to_string).unwrap_or_default();
    let project = rule.project.as_ref().map(|it| it.to_string_lossy().into_owned());
    let mut add = vec!["taffrail".to_owned(), "rules".to_owned(), "add".to_owned()];
    add.push(format!("--{}", rule.decision));
    add.extend(["--tool".to_owned(), rule.tool.clone(), "--command".to_owned(), command.clone()]);
    add.extend(project.iter().flat_map(|it| ["--project".to_owned(), it.clone()]));
    RuleSuggestion {
        decision: rule.decision.as_str(),
        tool: rule.tool.clone(),
        command,
        project,
        text: rule.text.clone(),
        add,
    }
}
