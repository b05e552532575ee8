//! Logs requests by method, route pattern and outcome. Paths, query strings and bodies are not
//! logged: they contain what people search for and type.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// Runs a request and logs it.
pub(super) async fn logged(request: Request, next: Next) -> Response {
    let (began, method) = (Instant::now(), request.method().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let (status, ms) = (response.status().as_u16(), began.elapsed().as_millis());
    match response.status().is_server_error() {
        true => tracing::warn!(%method, route, status, ms, "a request failed"),
        false => tracing::debug!(%method, route, status, ms, "a request was answered"),
    }
    response
}
