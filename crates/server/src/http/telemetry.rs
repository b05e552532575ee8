//! The address for agents' telemetry: three OTLP routes, with a token of their own.
//!
//! The token is in settings that every program of an agent can read, so it is valid for nothing
//! else.

use super::api_error::ApiError;
use super::app::App;
use super::auth::{self, Door};
use crate::otel;
use crate::otel::{Form, Sent};
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{self, HeaderMap};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Where to receive telemetry.
#[derive(Debug, Clone)]
pub struct Receiving {
    /// The loopback address.
    pub address: SocketAddr,
    /// The file of its token, created if missing.
    pub token: PathBuf,
    /// Thirty-two random bytes, for a new token.
    pub chance: [u8; 32],
}

/// The routes for telemetry.
pub(super) fn routes(app: &App, door: Arc<Door>) -> Router {
    let guard = from_fn_with_state((app.clone(), door), auth::guard);
    Router::new()
        .route("/v1/logs", post(logs))
        .route("/v1/metrics", post(metrics))
        .route("/v1/traces", post(traces))
        .layer(DefaultBodyLimit::max(otel::BODY))
        .layer(guard)
        .with_state(app.clone())
        .layer(from_fn_with_state(app.clone(), auth::manners))
}

type Body = Result<Bytes, BytesRejection>;

async fn logs(app: State<App>, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    take(Sent::Logs, &app, &headers, body).await
}

async fn metrics(app: State<App>, headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    take(Sent::Metrics, &app, &headers, body).await
}

/// Traces are accepted and dropped: they are many and add nothing to logs and metrics.
async fn traces(headers: HeaderMap, body: Body) -> Result<Response, ApiError> {
    let form = form(&headers)?;
    body.map_err(|_| ApiError::too_long())?;
    Ok(taken(form))
}

async fn take(
    sent: Sent,
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (form, packing) = (form(headers)?, packing(headers)?);
    let body = body.map_err(|_| ApiError::too_long())?;
    let handle = app.handle().clone();
    let written = tokio::task::spawn_blocking(move || {
        let unpacked = match packing {
            Packing::None => None,
            Packing::Gzip => Some(otel::unpacked(&body).ok_or_else(torn)?),
        };
        let bytes = unpacked.as_deref().unwrap_or(&body);
        let told = otel::read(sent, form, bytes).ok_or_else(torn)?;
        otel::write_down(handle.settings(), &told).map_err(|_| ApiError::later())
    });
    written.await.map_err(|_| ApiError::broken())??;
    Ok(taken(form))
}

fn torn() -> ApiError {
    ApiError::usage("this body is not what its content type says")
}

/// The encoding of a body.
#[derive(Debug, Clone, Copy)]
enum Packing {
    None,
    Gzip,
}

fn packing(headers: &HeaderMap) -> Result<Packing, ApiError> {
    match headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(Packing::None),
        Some(b"gzip") => Ok(Packing::Gzip),
        Some(_) => Err(ApiError::not_telemetry()),
    }
}

fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    match kind.and_then(|it| it.split(';').next()).map(str::trim) {
        Some("application/x-protobuf") => Ok(Form::Protobuf),
        Some("application/json") => Ok(Form::Json),
        _ => Err(ApiError::not_telemetry()),
    }
}

/// The response when everything was accepted: empty, in the form of the request.
fn taken(form: Form) -> Response {
    let (kind, body) = match form {
        Form::Protobuf => ("application/x-protobuf", ""),
        Form::Json => ("application/json", "{}"),
    };
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
