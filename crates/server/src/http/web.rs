//! The pages for browsers: built beforehand and embedded in the program, with nothing from
//! elsewhere.

use super::app::App;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

/// The built pages. They are committed with the source, so that building the program needs nothing
/// else.
#[derive(RustEmbed)]
#[folder = "web-dist/"]
struct Built;

/// The paths of pages; each serves the same document, which renders what its address names.
const PAGES: [&str; 16] = [
    "/",
    "/sessions",
    "/projects",
    "/projects/{path}",
    "/search",
    "/timeline",
    "/usage",
    "/feed",
    "/approvals",
    "/findings",
    "/file",
    "/beside",
    "/health",
    "/settings",
    "/session/{id}",
    "/session/{id}/{event}",
];

/// Files beside the document.
const FILES: [&str; 6] = [
    "/manifest.webmanifest",
    "/icon.svg",
    "/icon-192.png",
    "/icon-512.png",
    "/theme.js",
    "/push.js",
];

/// What strangers and lost browsers see: no build makes these files, and they load nothing else.
const STRANGER: &str = include_str!("../../pages/stranger.html");
const NOT_FOUND: &str = include_str!("../../pages/not-found.html");
const STYLE: &str = include_str!("../../pages/door.css");

/// The routes of the pages.
pub(super) fn pages() -> Router<App> {
    let router = PAGES.iter().fold(Router::new(), |router, path| router.route(path, get(document)));
    let router = FILES.iter().fold(router, |router, path| {
        router.route(path, get(move || async move { file(path.trim_start_matches('/')) }))
    });
    router.route("/assets/{name}", get(asset))
}

/// What a browser without a cookie sees in place of a page.
pub(super) fn stranger() -> Response {
    (StatusCode::UNAUTHORIZED, Html(STRANGER)).into_response()
}

/// The style of those pages, for everybody.
pub(super) async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

/// A person with an unknown address sees a page that says so; a program gets the usual error.
pub(super) async fn nowhere(uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let is_person = accepted.into_iter().any(|it| it.starts_with("text/html"));
    match is_person && !uri.path().starts_with("/api/") {
        true => (StatusCode::NOT_FOUND, Html(NOT_FOUND)).into_response(),
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn document() -> Response {
    file("index.html")
}

/// A file whose name contains its hash: it can be cached forever.
async fn asset(Path(name): Path<String>) -> Response {
    if name.contains('/') {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut response = file(&format!("assets/{name}"));
    if response.status().is_success() {
        let kept = HeaderValue::from_static("private, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, kept);
    }
    response
}

fn file(name: &str) -> Response {
    match Built::get(name) {
        Some(it) => ([(header::CONTENT_TYPE, kind_of(name))], it.data).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
