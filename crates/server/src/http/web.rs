//! The pages for browsers: built beforehand and embedded in the program, with nothing from
//! elsewhere.

use super::app::App;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

/// The built pages. They are committed with the source, so that building the program needs nothing
/// else.
#[derive(RustEmbed)]
#[folder = "web-dist/"]
struct Built;

/// The paths of pages; each serves the same document, which renders what its address names.
const PAGES: [&str; 12] = [
    "/",
    "/search",
    "/timeline",
    "/usage",
    "/feed",
    "/approvals",
    "/findings",
    "/file",
    "/health",
    "/settings",
    "/session/{id}",
    "/session/{id}/{event}",
];

/// Files beside the document.
const FILES: [&str; 5] =
    ["/manifest.webmanifest", "/icon.svg", "/icon-192.png", "/icon-512.png", "/theme.js"];

/// Tells an unauthenticated browser how to enter.
const STRANGER: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\">\
    <meta name=\"color-scheme\" content=\"light dark\"><title>Taffrail</title>\
    <h1>This browser is not signed in</h1>\
    <p>Run <code>taffrail web</code> in a terminal of this machine. It opens this page, signed in. A code \
    counts once, and for a minute.</p>";

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

/// A person with an unknown address sees a page that explains it; a program gets the usual error.
pub(super) async fn nowhere(headers: HeaderMap) -> Response {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    match accepted.into_iter().any(|it| it.starts_with("text/html")) {
        true => (StatusCode::NOT_FOUND, document().await).into_response(),
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
