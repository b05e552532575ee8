//! The table of routes.

use super::app::App;
use super::auth::{self, Door, Pass, Surface};
use super::openapi::PLAIN;
use super::{
    about, activity, approvals, bindings, compression, controls, documents, findings, history,
    metrics, openapi, queue, request_log, rights, sessions, streams, wait, web, web_enter,
    web_settings, websocket, writes,
};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use std::sync::Arc;
use taffrail_model::caller::Right;

/// A path and its handlers.
type Route = (&'static str, fn() -> MethodRouter<App>);

/// The right that an action on a route needs, if it does more than read. Decisions on requests
/// check the caller themselves.
const RIGHTS: &[(&str, Right)] = &[
    ("/api/sessions/{id}/binding", Right::Script),
    ("/api/sessions/{id}/controls/resume", Right::Script),
    ("/api/sessions/{id}/controls/notify", Right::Script),
    ("/api/peers/{name}/controls/notify", Right::Script),
    ("/api/sessions/{id}/queue", Right::Script),
    ("/api/receipts/{id}", Right::Script),
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
];

/// Routes that anybody may use: they read, or check the caller themselves.
#[cfg(test)]
pub(super) const FREE: &[&str] = &[
    "/api/approvals/{id}",
    "/api/attempts",
    "/api/desk",
    "/api/index",
    "/api/archive/verify",
    "/api/web/confirm",
];

pub(super) const ROUTES: &[Route] = &[
    ("/api/sessions", || get(sessions::all)),
    ("/api/sessions/{id}", || get(sessions::one)),
    ("/api/sessions/{id}/summary", || get(sessions::summary)),
    ("/api/sessions/{id}/workers", || get(sessions::workers)),
    ("/api/sessions/{id}/explain", || get(sessions::explain)),
    ("/api/sessions/{id}/stream", || get(streams::of_session)),
    ("/api/sessions/{id}/capture/events", || get(history::changes)),
    ("/api/sessions/{id}/timeline", || get(history::timeline)),
    ("/api/sessions/{id}/transcript", || get(history::transcript)),
    ("/api/sessions/{id}/binding", || get(bindings::binding).post(bindings::repaired)),
    ("/api/peers", || get(bindings::all_peers)),
    ("/api/peers/{name}/timeline", || get(bindings::peer_timeline)),
    ("/api/peers/{name}/transcript", || get(bindings::peer_transcript)),
    ("/api/sessions/{id}/snapshot", || get(documents::snapshot)),
    ("/api/sessions/{id}/state", || get(documents::state)),
    ("/api/session/messages", || get(history::messages)),
    ("/api/resolve", || get(sessions::resolved)),
    ("/api/findings", || get(findings::found)),
    ("/api/feed", || get(history::happened)),
    ("/api/stream", || get(streams::everything)),
    ("/api/stream/status", || get(streams::statuses)),
    ("/api/wait", || get(wait::wait)),
    ("/api/search", || get(about::find)),
    ("/api/stats", || get(about::counts)),
    ("/api/agents", || get(about::known_agents)),
    ("/api/archive", || get(about::kept)),
    ("/api/doctor", || get(about::checks)),
    ("/api/health", || get(about::health)),
    ("/api/index", || post(writes::index)),
    ("/api/sessions/{id}/controls/resume", || post(controls::resume)),
    ("/api/sessions/{id}/controls/notify", || post(queue::notify)),
    ("/api/peers/{name}/controls/notify", || post(queue::peer_notified)),
    ("/api/sessions/{id}/queue", || get(queue::waiting).post(queue::added)),
    ("/api/receipts/{id}", || get(queue::told).delete(queue::taken_back)),
    ("/api/approvals", || get(approvals::approvals_asked)),
    ("/api/approvals/log", || get(approvals::approvals_log)),
    ("/api/approvals/{id}", || post(approvals::approval_decided)),
    ("/api/attempts", || post(rights::attempted)),
    ("/api/desk", || post(approvals::desk_asked)),
    ("/api/stop", || post(writes::stop)),
    ("/api/forget", || post(writes::forgotten)),
    ("/api/capture", || post(writes::captured)),
    ("/api/archive/prune", || post(writes::prune)),
    ("/api/archive/verify", || post(writes::verify)),
    ("/api/rebuild", || post(writes::rebuilt)),
    ("/api/backup", || post(writes::backed_up)),
    ("/api/restore", || post(writes::restored)),
    ("/api/activity", || get(activity::activity)),
    ("/api/rules", || get(web_settings::rules).post(web_settings::rule_added)),
    ("/api/hooks", || get(web_settings::hooks).post(web_settings::hooks_changed)),
    ("/api/web", || post(web_enter::opened)),
    ("/api/web/confirm", || post(web_enter::confirmed)),
    ("/ws", || get(websocket::open)),
    ("/metrics", || get(metrics::metrics)),
    ("/schemas/{name}", || get(documents::schema)),
    ("/openapi.json", || get(openapi::described)),
];

/// The routes for our own programs.
pub(super) fn on_socket(app: &App) -> Router {
    mannered(app, table(app, Surface::Socket).layer(Extension(Pass::Ours)))
}

/// The same routes and the pages, for callers with the token or a cookie.
pub(super) fn on_loopback(app: &App, door: Arc<Door>) -> Router {
    let guard = from_fn_with_state((app.clone(), door.clone()), auth::guard);
    let pages = web::pages().fallback(web::nowhere).with_state(app.clone());
    let inside = table(app, Surface::Loopback).merge(pages);
    let guard_entry = from_fn_with_state((app.clone(), door.clone()), auth::guard_entry);
    let entry = web_enter::ways_in(app).layer(Extension(door)).layer(guard_entry);
    // The last merge determines how unknown paths are handled.
    mannered(app, entry.merge(inside.layer(guard)).layer(from_fn(compression::packed)))
}

fn table(app: &App, surface: Surface) -> Router {
    let plain = ROUTES.iter().filter(|(path, _)| PLAIN.contains(path));
    let plain = plain.map(|(path, answers)| (path.trim_start_matches("/api"), *answers));
    let all = ROUTES.iter().copied().chain(plain);
    let guarded = |path: &'static str, answers: MethodRouter<App>| match right_of(path) {
        Right::Read => answers,
        right => answers.layer(from_fn_with_state((app.clone(), path, right), rights::guard)),
    };
    let router = all.fold(Router::new(), |router, (path, answers)| {
        router.route(path, guarded(path, answers()))
    });
    router.layer(Extension(surface)).layer(from_fn(auth::json_only)).with_state(app.clone())
}

/// The right that an action on a route needs; routes of the binding contract are named without
/// `/api`.
pub(super) fn right_of(path: &str) -> Right {
    let is_same = |it: &&(&str, Right)| it.0 == path || it.0.strip_prefix("/api") == Some(path);
    RIGHTS.iter().find(is_same).map_or(Right::Read, |it| it.1)
}

fn mannered(app: &App, router: Router) -> Router {
    let router = router.layer(from_fn_with_state(app.clone(), auth::manners));
    router.layer(from_fn(request_log::logged))
}
