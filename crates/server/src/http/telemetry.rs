//! The address agents send their telemetry to: three routes of OTLP, with a token of their own.
//!
//! The token stands in settings that every program an agent runs can read, so it is good for nothing
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

/// Where telemetry is received.
#[derive(Debug, Clone)]
pub struct Receiving {
    /// The loopback address.
    pub address: SocketAddr,
    /// The file of its token, which is made where it is missing.
    pub token: PathBuf,
    /// Thirty-two bytes of chance, for a token that has to be made.
    pub chance: [u8; 32],
}

/// What answers there.
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

/// Nothing in them that is not said elsewhere, and they are many.
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

/// How a body is packed.
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

/// Everything was taken: an empty answer, in the form of the question.
fn taken(form: Form) -> Response {
    let (kind, body) = match form {
        Form::Protobuf => ("application/x-protobuf", ""),
        Form::Json => ("application/json", "{}"),
    };
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
