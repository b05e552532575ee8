//! Failures, as programs are told them.

use super::hints::kind_and_hint;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use taffrail_api::{Envelope, ErrorBody, ErrorKind};
use taffrail_context::Error;
use taffrail_context::TargetError;
use taffrail_daemon::DaemonError;

/// Why a request was not answered.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    body: ErrorBody,
}

/// A failure as faces and programs are told it.
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

    /// The question was not understood.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorKind::Usage, message)
    }

    /// What was asked for is not there.
    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorKind::NotFound, message)
    }

    /// A rule forbids it.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorKind::Refused, message)
    }

    /// Something is only done when it was asked for twice.
    pub(super) fn needs_yes(message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, ErrorKind::Refused, message).hinted("send `\"yes\": true`")
    }

    /// Who asks did not say who it is.
    pub(super) fn no_token() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorKind::Refused, "the token is missing or wrong")
            .hinted("send `Authorization: Bearer TOKEN`; `taffrail token --show` prints it")
    }

    /// A browser that so far only read.
    pub(super) fn unconfirmed() -> Self {
        let message = "this browser only reads until you say in it that it may act";
        Self::new(StatusCode::PRECONDITION_REQUIRED, ErrorKind::Refused, message)
            .hinted("the page asks you before its first action; a script uses the token")
    }

    /// A body of another kind.
    pub(super) fn not_json() -> Self {
        let message = "a body must be application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorKind::Usage, message)
    }

    /// A body of a kind or packing that is not read.
    pub(super) fn not_telemetry() -> Self {
        let message = "a body must be application/x-protobuf or application/json, plain or gzip";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorKind::Usage, message)
    }

    /// It cannot be written down now; who sent it keeps it meanwhile.
    pub(super) fn later() -> Self {
        let message = "it cannot be written down now";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Failure, message)
    }

    /// A body that is too long.
    pub(super) fn too_long() -> Self {
        let message = "the body is too long";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorKind::Usage, message)
    }

    /// Too many streams are open.
    pub(super) fn full() -> Self {
        let message = "too many streams are open";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Failure, message)
    }

    /// The daemon ends.
    pub(super) fn ending() -> Self {
        let message = "the daemon is ending";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::DaemonUnreachable, message)
    }

    /// A fault of ours.
    pub(super) fn broken() -> Self {
        let message = "answering failed";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorKind::Failure, message)
    }

    /// What the router itself says.
    pub(super) fn of_status(status: StatusCode) -> Self {
        let message = status.canonical_reason().unwrap_or("refused").to_lowercase();
        match status {
            StatusCode::NOT_FOUND => Self::new(status, ErrorKind::NotFound, "no such route")
                .hinted("GET /openapi.json names them all"),
            _ if status.is_client_error() => Self::new(status, ErrorKind::Usage, message),
            _ => Self::new(status, ErrorKind::Failure, message),
        }
    }

    /// Who asked did not say who it is.
    pub(super) fn is_stranger(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// What is told, without the status.
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
