//! Rules and hooks for pages: listed, and changed after a preview.

use super::api_error::ApiError;
use super::app::App;
use super::extract::{JsonBody, Query};
use axum::Json;
use axum::extract::State;
use std::path::Path;
use taffrail_api::{
    HookBody, HookList, HookReport, HookWord, RuleBody, RuleChange, RuleList, RulesQuery,
    SCHEMA_VERSION,
};
use taffrail_approvals::rules::{agent_named, propose, put_in, rule_list};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_hooks::{
    HookSettings, HookWish, carry_out, hook_report, hook_status, plan_hooks, unified,
};
use taffrail_model::rules::{Typed, warnings};

/// The rules in force, in a project if one is named.
#[utoipa::path(get, path = "/api/rules", tag = "approvals", params(RulesQuery),
    responses((status = 200, body = RuleList)))]
pub(super) async fn list_rules(
    State(app): State<App>,
    Query(query): Query<RulesQuery>,
) -> Result<Json<RuleList>, ApiError> {
    let told = app.ask(move |handle| {
        Ok(rule_list(handle.settings(), query.project.as_deref().map(Path::new)))
    });
    Ok(Json(told.await?))
}

/// Adds a rule of the user's own, or shows what would be written.
#[utoipa::path(post, path = "/api/rules", tag = "approvals", request_body = RuleBody,
    responses((status = 200, body = RuleChange)))]
pub(super) async fn add_rule(
    State(app): State<App>,
    JsonBody(body): JsonBody<RuleBody>,
) -> Result<Json<RuleChange>, ApiError> {
    Ok(Json(app.ask(move |handle| changed(handle, body)).await?))
}

fn changed(handle: &Handle, body: RuleBody) -> Result<RuleChange, DaemonError> {
    let typed = Typed {
        decision: body.decision,
        tool: body.tool,
        command: body.command,
        agent: body.agent.as_deref().map(agent_named).transpose()?,
        project: body.project,
        file: body.file,
        when: None,
    };
    let settings = handle.settings();
    let proposed = match body.dry_run {
        true => propose(settings, &typed)?,
        false => put_in(settings, &typed)?,
    };
    let diff = unified(&proposed.file, proposed.before.as_deref(), Some(&proposed.after));
    Ok(RuleChange {
        schema_version: SCHEMA_VERSION,
        done: !body.dry_run,
        number: proposed.rule.number,
        warnings: warnings(&proposed.rule),
        rule: proposed.rule.text,
        file: proposed.file.display().to_string(),
        diff,
    })
}

/// Which agents call us.
#[utoipa::path(get, path = "/api/hooks", tag = "about",
    responses((status = 200, body = HookList)))]
pub(super) async fn list_hooks(State(app): State<App>) -> Result<Json<HookList>, ApiError> {
    let (state, program) = app.web().ours();
    let told = app.ask(move |handle| {
        let system = Path::new("/");
        let given =
            HookSettings { settings: handle.settings(), state: &state, program: &program, system };
        Ok(hook_status(&given, None)?)
    });
    Ok(Json(told.await?))
}

/// Puts our hook into agents' settings or takes it out, or shows the change.
#[utoipa::path(post, path = "/api/hooks", tag = "about", request_body = HookBody,
    responses((status = 200, body = HookReport)))]
pub(super) async fn change_hooks(
    State(app): State<App>,
    JsonBody(body): JsonBody<HookBody>,
) -> Result<Json<HookReport>, ApiError> {
    let (state, program) = app.web().ours();
    let told = app.ask(move |handle| {
        let system = Path::new("/");
        let given =
            HookSettings { settings: handle.settings(), state: &state, program: &program, system };
        let wish = match body.wish {
            HookWord::Install => HookWish::Install,
            HookWord::Uninstall => HookWish::Uninstall,
        };
        let changes = plan_hooks(&given, wish, body.agent.as_deref())?;
        if !body.dry_run {
            changes.iter().try_for_each(|it| carry_out(&given, it))?;
        }
        Ok(hook_report(&changes, !body.dry_run && !changes.is_empty()))
    });
    Ok(Json(told.await?))
}
