//! Errors as the API returns them.

use super::hints::kind_and_hint;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use taffrail_api::{Envelope, ErrorBody, ErrorKind};
use taffrail_context::Error;
use taffrail_context::TargetError;
use taffrail_daemon::DaemonError;

/// Why a request failed.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    body: ErrorBody,
}

/// The body of an error, for the user interfaces and programs.
#[must_use]
pub fn error_body(error: &DaemonError) -> ErrorBody {
    let (kind, hint) = kind_and_hint(error);
    let retryable = error.is_passing();
    let hint = hint.map(str::to_owned);
    let candidates = match error {
        DaemonError::Question(Error::Target(TargetError::ManyPeers(_, ids))) => ids.clone(),
        _ => Vec::new(),
    };
    let (code, message) = (kind.exit_code(), error.to_string());
    ErrorBody { code, kind, message, hint, retryable, candidates }
}

impl ApiError {
    fn new(status: StatusCode, kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let retryable = status == StatusCode::SERVICE_UNAVAILABLE;
        let (code, candidates) = (kind.exit_code(), Vec::new());
        let body = ErrorBody { code, kind, message, hint: None, retryable, candidates };
        Self { status, body }
    }

    pub(super) fn hinted(mut self, hint: &str) -> Self {
        self.body.hint = Some(hint.to_owned());
        self
    }

    /// The request is invalid.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorKind::Usage, message)
    }

    /// The resource does not exist.
    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorKind::NotFound, message)
    }

    /// A rule forbids it.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorKind::Refused, message)
    }

    /// The action needs a confirmation.
    pub(super) fn needs_yes(message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, ErrorKind::Refused, message).hinted("send `\"yes\": true`")
    }

    /// The caller did not authenticate.
    pub(super) fn no_token() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorKind::Refused, "the token is missing or wrong")
            .hinted("send `Authorization: Bearer TOKEN`; `taffrail token --show` prints it")
    }

    /// A browser that may only read so far.
    pub(super) fn unconfirmed() -> Self {
        let message = "this browser only reads until you say in it that it may act";
        Self::new(StatusCode::PRECONDITION_REQUIRED, ErrorKind::Refused, message)
            .hinted("the page asks you before its first action; a script uses the token")
    }

    /// The body is not JSON.
    pub(super) fn not_json() -> Self {
        let message = "a body must be application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorKind::Usage, message)
    }

    /// The body has an unsupported type or encoding.
    pub(super) fn not_telemetry() -> Self {
        let message = "a body must be application/x-protobuf or application/json, plain or gzip";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorKind::Usage, message)
    }

    /// The data cannot be stored now; the sender keeps it and retries.
    pub(super) fn later() -> Self {
        let message = "it cannot be written down now";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Failure, message)
    }

    /// The body is too long.
    pub(super) fn too_long() -> Self {
        let message = "the body is too long";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorKind::Usage, message)
    }

    /// An image that no page may be sent.
    pub(super) fn of_image(status: StatusCode, message: &str) -> Self {
        Self::new(status, ErrorKind::Refused, message)
    }

    /// Too many streams are open.
    pub(super) fn full() -> Self {
        let message = "too many streams are open";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Failure, message)
    }

    /// No more of something is kept.
    pub(super) fn full_of(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, ErrorKind::Refused, message)
    }

    /// The daemon is ending.
    pub(super) fn ending() -> Self {
        let message = "the daemon is ending";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::DaemonUnreachable, message)
    }

    /// An internal error.
    pub(super) fn broken() -> Self {
        let message = "answering failed";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorKind::Failure, message)
    }

    /// The error for a status from the router itself.
    pub(super) fn of_status(status: StatusCode) -> Self {
        let message = status.canonical_reason().unwrap_or("refused").to_lowercase();
        match status {
            StatusCode::NOT_FOUND => Self::new(status, ErrorKind::NotFound, "no such route")
                .hinted("GET /openapi.json names them all"),
            _ if status.is_client_error() => Self::new(status, ErrorKind::Usage, message),
            _ => Self::new(status, ErrorKind::Failure, message),
        }
    }

    /// True if the caller did not authenticate.
    pub(super) fn is_stranger(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// The body, without the status.
    pub(super) fn body(&self) -> &ErrorBody {
        &self.body
    }
}

impl From<DaemonError> for ApiError {
    fn from(error: DaemonError) -> Self {
        let body = error_body(&error);
        let status = match (body.kind, &error) {
            (
                _,
                DaemonError::Question(Error::Target(
                    TargetError::Ambiguous(..) | TargetError::ManyPeers(..),
                )),
            ) => StatusCode::CONFLICT,
            (ErrorKind::Usage, _) => StatusCode::BAD_REQUEST,
            (ErrorKind::NotFound, _) => StatusCode::NOT_FOUND,
            (ErrorKind::Refused, _) => StatusCode::CONFLICT,
            _ if body.retryable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, body }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Envelope { error: self.body })).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let bearer = header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        DaemonError::from(error).into()
    }
}
