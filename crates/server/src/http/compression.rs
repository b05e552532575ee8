//! Compresses long responses for clients that accept that: pages may be used through a tunnel.
//!
//! No response contains a secret beside text that an attacker could choose, so its length reveals
//! nothing. Streams are never delayed.

use super::api_error::ApiError;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Shorter responses are sent uncompressed.
const SMALL: usize = 1_024;
/// Text types that are complete before they are sent.
const KINDS: [&str; 6] =
    ["application/json", "text/html", "text/javascript", "text/css", "text/plain", "image/svg+xml"];

/// Compresses responses that are worth it.
pub(super) async fn packed(request: Request, next: Next) -> Response {
    let takes = takes_it(request.headers());
    let response = next.run(request).await;
    if !takes || !is_worth(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        tracing::warn!("an answer broke off before it was packed");
        return ApiError::broken().into_response();
    };
    if bytes.len() < SMALL {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let whole = bytes.clone();
    let small = tokio::task::spawn_blocking(move || pack(&whole)).await;
    // A response that cannot be compressed is sent unchanged.
    let Ok(Ok(small)) = small else { return Response::from_parts(parts, Body::from(bytes)) };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(parts, Body::from(small))
}

fn pack(bytes: &Bytes) -> std::io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

/// True if the client accepts `gzip`.
fn takes_it(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    values.flat_map(|it| it.split(',')).any(|it| {
        let (name, weight) = it.split_once(';').unwrap_or((it, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0")
    })
}

fn is_worth(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is_text = kind.is_some_and(|it| KINDS.iter().any(|kind| it.starts_with(kind)));
    is_text && !headers.contains_key(header::CONTENT_ENCODING)
}
