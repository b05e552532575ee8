//! The table of routes.

use super::app::App;
use super::door::{self, Door, Surface};
use super::openapi::PLAIN;
use super::{
    about, activity, bindings, controls, desk, documents, history, metrics, openapi, queue,
    remarks, sessions, streams, waiting, web, web_enter, web_settings, websocket, writes,
};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use std::sync::Arc;

/// A path and what answers there.
type Route = (&'static str, fn() -> MethodRouter<App>);

pub(super) const ROUTES: &[Route] = &[
    ("/api/sessions", || get(sessions::all)),
    ("/api/sessions/{id}", || get(sessions::one)),
    ("/api/sessions/{id}/summary", || get(sessions::summary)),
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
    ("/api/findings", || get(remarks::found)),
    ("/api/feed", || get(history::happened)),
    ("/api/stream", || get(streams::everything)),
    ("/api/stream/status", || get(streams::statuses)),
    ("/api/wait", || get(waiting::wait)),
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
    ("/api/approvals", || get(desk::approvals_asked)),
    ("/api/approvals/log", || get(desk::approvals_log)),
    ("/api/approvals/{id}", || post(desk::approval_decided)),
    ("/api/desk", || post(desk::desk_asked)),
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
    ("/ws", || get(websocket::open)),
    ("/metrics", || get(metrics::metrics)),
    ("/schemas/{name}", || get(documents::schema)),
    ("/openapi.json", || get(openapi::described)),
];

/// What our own programs may ask.
pub(super) fn on_socket(app: &App) -> Router {
    mannered(app, table(app, Surface::Socket))
}

/// The same, and the pages, for who has the token or a cookie.
pub(super) fn on_loopback(app: &App, door: Arc<Door>) -> Router {
    let guard = from_fn_with_state((app.clone(), door.clone()), door::guard);
    let inside = table(app, Surface::Loopback).merge(web::pages().with_state(app.clone()));
    let guard_entry = from_fn_with_state((app.clone(), door.clone()), door::guard_entry);
    let entry = web_enter::ways_in(app).layer(Extension(door)).layer(guard_entry);
    // The last one says what is done with paths nobody knows.
    mannered(app, entry.merge(inside.layer(guard)))
}

fn table(app: &App, surface: Surface) -> Router {
    let plain = ROUTES.iter().filter(|(path, _)| PLAIN.contains(path));
    let plain = plain.map(|(path, answers)| (path.trim_start_matches("/api"), *answers));
    let all = ROUTES.iter().copied().chain(plain);
    let router = all.fold(Router::new(), |router, (path, answers)| router.route(path, answers()));
    router.layer(Extension(surface)).layer(from_fn(door::json_only)).with_state(app.clone())
}

fn mannered(app: &App, router: Router) -> Router {
    router.layer(from_fn_with_state(app.clone(), door::manners))
}
