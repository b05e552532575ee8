//! `taffrail approve --always`: the rule that answers the same request from now on.

use super::super::Context;
use crate::error::CliError;
use crate::output::say;
use std::path::Path;
use taffrail_api::ApprovalRow;
use taffrail_approvals::rules;
use taffrail_approvals::rules::RulesError;
use taffrail_hooks::unified;
use taffrail_model::rules::{Decision, Request, Typed, decide};
use taffrail_tui::terminal::{clean, line};

/// Shows the rule that would allow exactly this in its project. Nothing is written yet.
pub(super) fn propose(context: &Context, it: &ApprovalRow) -> Result<Typed, CliError> {
    if it.device.is_some() {
        return Err(CliError::refused("rules are kept on the device that asks", "run it there"));
    }
    let Some(project) = it.project_path.clone() else {
        let hint = "`taffrail rules add` writes one without a project";
        return Err(CliError::refused("the project of this session is not known yet", hint));
    };
    let typed = Typed {
        decision: Decision::Allow.to_string(),
        tool: it.tool.clone(),
        command: (it.command != it.tool).then(|| it.command.clone()),
        project: Some(project.clone()),
        ..Typed::default()
    };
    let proposed = rules::propose(&context.settings, &typed).map_err(not_a_rule)?;
    let asks = Request {
        tool: &it.tool,
        command: typed.command.as_deref(),
        agent: Some(it.agent.as_str()),
        project: Some(Path::new(&project)),
        files: &[],
        beside: &[],
    };
    let verdict = decide(&asks, std::slice::from_ref(&proposed.rule));
    if verdict.decision != Decision::Allow {
        let message = format!("no rule can allow this: {}", line(&verdict.why));
        return Err(CliError::refused(message, "approve it without --always"));
    }
    let diff = unified(&proposed.file, proposed.before.as_deref(), Some(&proposed.after));
    diff.lines().for_each(|it| say(&clean(it)));
    Ok(typed)
}

/// Adds the rule that was shown.
pub(super) fn add(context: &Context, rule: &Typed) -> Result<(), CliError> {
    let rule = rules::add(&context.settings, rule)?;
    say(&format!("rule {}: {}", rule.number, line(&rule.text)));
    Ok(())
}

/// A rule that could never allow anything is not written, and nothing is decided.
fn not_a_rule(error: RulesError) -> CliError {
    match error {
        RulesError::NoRule(why) => {
            let message = format!("no rule can allow this: {}", line(&why));
            CliError::refused(message, "approve it without --always")
        }
        other => other.into(),
    }
}
