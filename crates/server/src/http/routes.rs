//! The table of routes.

use super::app::App;
use super::auth::{self, Door, Pass, Surface};
use super::openapi::PLAIN;
use super::{
    about, activity, approvals, bindings, blame, compression, controls, documents, extract,
    findings, history, images, lists, marks, mcp, metrics, openapi, phone, projects, push, queue,
    request_log, rights, sessions, streams, trace, wait, web, web_enter, web_settings, websocket,
    window, writes,
};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use std::sync::Arc;
use taffrail_model::caller::Right;
use utoipa_axum::router::{UtoipaMethodRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// The handlers of one path, with their description.
type Route = fn() -> UtoipaMethodRouter<App>;

/// The right that an action on a route needs, if it does more than read. Decisions on requests, and
/// actions with a dry run, check the caller themselves.
const RIGHTS: &[(&str, Right)] = &[
    ("/api/sessions/{id}/binding", Right::Script),
    ("/api/sessions/{id}/controls/notify", Right::Script),
    ("/api/sessions/{id}/controls/interrupt", Right::Script),
    ("/api/sessions/{id}/controls/answer", Right::Decide),
    ("/api/peers/{name}/controls/notify", Right::Script),
    ("/api/sessions/{id}/queue", Right::Script),
    ("/api/receipts/{id}", Right::Script),
    ("/api/queue/at-reset", Right::Script),
    ("/api/stop", Right::Script),
    ("/api/rebuild", Right::Script),
    ("/api/backup", Right::Script),
    ("/api/forget", Right::Decide),
    ("/api/capture", Right::Decide),
    ("/api/archive/prune", Right::Decide),
    ("/api/restore", Right::Decide),
    ("/api/rules", Right::Decide),
    ("/api/hooks", Right::Decide),
    ("/api/web", Right::Decide),
    ("/api/push/subscriptions", Right::Decide),
    ("/api/push/subscriptions/{id}", Right::Decide),
];

/// Routes that anybody may use: they read, or check the caller themselves.
#[cfg(test)]
pub(super) const FREE: &[&str] = &[
    "/api/approvals/{id}",
    "/api/attempts",
    "/api/desk",
    "/api/desk/settled",
    "/api/index",
    "/api/archive/verify",
    "/api/web/confirm",
    // Without `dry_run` these check the right to their action.
    "/api/sessions/{id}/controls/resume",
    "/api/sessions/{id}/controls/stop",
    "/api/peers/{name}/controls/resume",
    "/api/agents/start",
    // As tags and notes on the command line.
    "/api/sessions/{id}/marks",
];

/// Every route once: its handlers state their own paths and methods.
pub(super) const ROUTES: &[Route] = &[
    || routes!(sessions::get_session),
    || routes!(sessions::get_summary),
    || routes!(sessions::list_sub_agents),
    || routes!(sessions::explain_status),
    || routes!(streams::stream_session),
    || routes!(history::list_capture_events),
    || routes!(history::get_timeline),
    || routes!(history::get_session_usage),
    || routes!(history::get_decisions),
    || routes!(history::get_transcript),
    || routes!(bindings::get_binding, bindings::repair_binding),
    || routes!(bindings::list_peers),
    || routes!(bindings::get_peer_timeline),
    || routes!(bindings::get_peer_transcript),
    || routes!(documents::get_snapshot),
    || routes!(documents::get_state),
    || routes!(history::list_messages),
    || routes!(sessions::resolve_session),
    || routes!(findings::list_findings),
    || routes!(history::get_feed),
    || routes!(streams::stream_updates),
    || routes!(streams::stream_statuses),
    || routes!(wait::wait_for_sessions),
    || routes!(about::search_history),
    || routes!(about::get_stats),
    || routes!(about::get_usage),
    || routes!(about::get_budgets),
    || routes!(about::get_quota),
    || routes!(blame::get_blame),
    || routes!(blame::list_commits),
    || routes!(about::list_agents),
    || routes!(about::get_archive),
    || routes!(about::run_doctor),
    || routes!(about::get_health),
    || routes!(writes::index_history),
    || routes!(controls::resume_session),
    || routes!(controls::resume_peer),
    || routes!(controls::list_operations),
    || routes!(controls::stop_agent),
    || routes!(controls::interrupt_session),
    || routes!(controls::answer_question),
    || routes!(controls::start_agent),
    || routes!(queue::send_prompt),
    || routes!(queue::send_prompt_to_peer),
    || routes!(queue::list_queue, queue::queue_prompt),
    || routes!(queue::get_receipt, queue::cancel_prompt),
    || routes!(queue::stop_prompts_at_reset),
    || routes!(approvals::list_approvals),
    || routes!(approvals::list_decisions),
    || routes!(approvals::list_denials),
    || routes!(approvals::decide_approval),
    || routes!(rights::report_attempt),
    || routes!(approvals::request_approval),
    || routes!(approvals::settle_approval),
    || routes!(writes::stop_daemon),
    || routes!(writes::forget_sessions),
    || routes!(writes::set_capture),
    || routes!(writes::prune_archive),
    || routes!(writes::verify_archive),
    || routes!(writes::rebuild_index),
    || routes!(writes::create_backup),
    || routes!(writes::restore_backup),
    || routes!(activity::get_activity),
    || routes!(web_settings::list_rules, web_settings::add_rule),
    || routes!(web_settings::list_hooks, web_settings::change_hooks),
    || routes!(push::get_push_key),
    || routes!(push::list_push_subscriptions, push::subscribe_push),
    || routes!(push::remove_push_subscription),
    || routes!(web_enter::open_web),
    || routes!(web_enter::confirm_in_web),
    || routes!(websocket::open_websocket),
    || routes!(metrics::get_metrics),
    || routes!(documents::get_schema),
    || routes!(openapi::get_openapi),
    || routes!(window::get_window),
    || routes!(window::get_event),
    || routes!(images::get_image),
    || routes!(window::find_in_session),
    || routes!(trace::get_trace),
    || routes!(trace::get_tools),
    // Lists, marks and projects.
    || routes!(lists::list_sessions),
    || routes!(lists::export_sessions),
    || routes!(marks::get_marks, marks::mark_session),
    || routes!(projects::list_projects),
    || routes!(projects::list_project_files),
];

/// The routes for our own programs.
pub(super) fn on_socket(app: &App) -> Router {
    mannered(app, table(app, Surface::Socket).layer(Extension(Pass::Ours)))
}

/// The same routes, MCP and the pages, for callers with the token or a cookie. Call this inside the
/// runtime.
pub(super) fn on_loopback(app: &App, door: Arc<Door>) -> Router {
    let guard = from_fn_with_state((app.clone(), door.clone()), auth::guard);
    let pages = web::pages().fallback(web::nowhere).with_state(app.clone());
    let inside = table(app, Surface::Loopback).merge(mcp::routes(app)).merge(pages);
    let guard_entry = from_fn_with_state((app.clone(), door.clone()), auth::guard_entry);
    let guard_link = from_fn_with_state((app.clone(), door.clone()), auth::guard_link);
    let links = phone::links(app).layer(Extension(door.clone())).layer(guard_link);
    let entry = web_enter::ways_in(app).layer(Extension(door)).layer(guard_entry).merge(links);
    // The last merge determines how unknown paths are handled.
    mannered(app, entry.merge(inside.layer(guard)).layer(from_fn(compression::packed)))
}

fn table(app: &App, surface: Surface) -> Router {
    let router = ROUTES.iter().fold(Router::new(), |router, route| {
        let (_, described, answers) = guarded(app, *route);
        let paths = described.paths.into_keys().flat_map(|it| [plain(&it), Some(it)]).flatten();
        paths.fold(router, |router, path| router.route(&path, answers.clone()))
    });
    router.layer(Extension(surface)).layer(from_fn(auth::json_only)).with_state(app.clone())
}

/// A route that checks the right of its caller, if its actions need one, and that it knows the
/// parameters it is given.
fn guarded(app: &App, route: Route) -> UtoipaMethodRouter<App> {
    let route = route();
    let bare = extract::without_parameters(&route.1);
    let route = route.layer(from_fn_with_state(bare, extract::refuse_parameters));
    let route = match route.1.paths.keys().any(|path| names_sessions(path)) {
        true => route.layer(from_fn_with_state(app.clone(), App::before_reading)),
        false => route,
    };
    let needed = route.1.paths.keys().find_map(|path| needed(path));
    match needed {
        None => route,
        Some((path, right)) => {
            route.layer(from_fn_with_state((app.clone(), path, right), rights::guard))
        }
    }
}

/// Whether a route is about sessions, which hooks may just have reported.
fn names_sessions(path: &str) -> bool {
    ["/api/session", "/api/resolve"].iter().any(|it| path.starts_with(it))
}

/// The path by which the binding contract names a route.
pub(super) fn plain(path: &str) -> Option<String> {
    PLAIN.contains(&path).then(|| path.trim_start_matches("/api").to_owned())
}

/// The row of a route whose actions need more than the right to read.
fn needed(path: &str) -> Option<(&'static str, Right)> {
    let is_same = |it: &&(&str, Right)| it.0 == path || it.0.strip_prefix("/api") == Some(path);
    RIGHTS.iter().find(is_same).copied()
}

/// The right that an action on a route needs; routes of the binding contract are named without
/// `/api`.
#[cfg(test)]
pub(super) fn right_of(path: &str) -> Right {
    needed(path).map_or(Right::Read, |it| it.1)
}

fn mannered(app: &App, router: Router) -> Router {
    let router = router.layer(from_fn_with_state(app.clone(), auth::manners));
    router.layer(from_fn(request_log::logged))
}
