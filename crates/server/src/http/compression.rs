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
const KINDS: [&str; 7] = [
    "application/json",
    "text/html",
    "text/csv",
    "text/javascript",
    "text/css",
    "text/plain",
    "image/svg+xml",
];

/// How a response is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Zstd,
}

/// The coding of zstd that is as fast as that of gzip.
const ZSTD_LEVEL: i32 = 3;

impl Coding {
    /// The better comes first.
    const ALL: [Self; 2] = [Self::Zstd, Self::Gzip];

    fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    fn pack(self, bytes: &Bytes) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(bytes, ZSTD_LEVEL),
            Self::Gzip => {
                let out = Vec::with_capacity(bytes.len() / 4);
                let mut out = GzEncoder::new(out, Compression::fast());
                out.write_all(bytes)?;
                out.finish()
            }
        }
    }
}

/// Compresses responses that are worth it.
pub(super) async fn packed(request: Request, next: Next) -> Response {
    let coding = wanted(request.headers());
    let mut response = next.run(request).await;
    if !is_worth(response.headers()) {
        return response;
    }
    // A cache must know that another client may get other bytes.
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let Some(coding) = coding else { return response };
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        tracing::warn!("an answer broke off before it was packed");
        return ApiError::broken().into_response();
    };
    if bytes.len() < SMALL {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let whole = bytes.clone();
    let small = tokio::task::spawn_blocking(move || coding.pack(&whole)).await;
    // A response that cannot be compressed is sent unchanged.
    let Ok(Ok(small)) = small else { return Response::from_parts(parts, Body::from(bytes)) };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.as_str()));
    Response::from_parts(parts, Body::from(small))
}

/// The coding that the client likes best; of equals the better.
fn wanted(headers: &HeaderMap) -> Option<Coding> {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    let offers: Vec<_> = values.flat_map(|it| it.split(',')).map(offer).collect();
    let weight = |coding: Coding| {
        let named = |it: &&(&str, f32)| it.0.eq_ignore_ascii_case(coding.as_str());
        offers.iter().find(named).map_or(0.0, |it| it.1)
    };
    let known = Coding::ALL.into_iter().map(|it| (it, weight(it))).filter(|it| it.1 > 0.0);
    known.reduce(|best, it| if it.1 > best.1 { it } else { best }).map(|it| it.0)
}

/// The name and the weight of one coding that a client accepts.
fn offer(text: &str) -> (&str, f32) {
    let (name, weight) = text.split_once(';').unwrap_or((text, ""));
    let weight = weight.trim().strip_prefix("q=").map(|it| it.trim().parse().unwrap_or(0.0));
    (name.trim(), weight.unwrap_or(1.0))
}

fn is_worth(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is_text = kind.is_some_and(|it| KINDS.iter().any(|kind| it.starts_with(kind)));
    is_text && !headers.contains_key(header::CONTENT_ENCODING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses_and_of_equals_zstd_wins() {
        let check = |accepted: &str, expected: Option<Coding>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accepted.parse().unwrap());
            assert_eq!(wanted(&headers), expected, "{accepted}");
        };
        check("gzip, deflate, br, zstd", Some(Coding::Zstd));
        check("gzip", Some(Coding::Gzip));
        check("GZIP;q=0.5, zstd;q=0.1", Some(Coding::Gzip));
        check("gzip;q=0, zstd;q=0.0", None);
        check("gzip;q=x", None);
        check("identity", None);
        assert_eq!(wanted(&HeaderMap::new()), None);
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let text = Bytes::from("the same again, ".repeat(1_000));
        let small = Coding::Zstd.pack(&text).unwrap();
        assert_eq!(zstd::bulk::decompress(&small, text.len()).unwrap(), text);
        assert!(small.len() * 4 < text.len());
        assert!(Coding::Gzip.pack(&text).unwrap().starts_with(&[0x1f, 0x8b]));
    }
}
