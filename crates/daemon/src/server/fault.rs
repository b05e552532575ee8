//! Failures, as programs are told them.

use crate::rules::RulesError;
use crate::{DaemonError, HooksError, TargetError};
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use taffrail_api::{Envelope, ErrorBody, ErrorKind};

/// Why a request was not answered.
#[derive(Debug)]
pub(super) struct Fault {
    status: StatusCode,
    body: ErrorBody,
}

/// A failure as faces and programs are told it.
#[must_use]
pub fn error_body(error: &DaemonError) -> ErrorBody {
    let (kind, hint) = kind_and_hint(error);
    let retryable = error.is_busy();
    let hint = hint.map(str::to_owned);
    let candidates = match error {
        DaemonError::Target(TargetError::ManyPeers(_, ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let (code, message) = (kind.exit_code(), error.to_string());
    ErrorBody { code, kind, message, hint, retryable, candidates }
}

fn kind_and_hint(error: &DaemonError) -> (ErrorKind, Option<&'static str>) {
    match error {
        DaemonError::Target(target) => of_target(target),
        DaemonError::Exists(_) => (ErrorKind::Refused, Some("give a file that is not there yet")),
        DaemonError::UnknownKind(_) => (
            ErrorKind::Usage,
            Some("write prompt, message, thinking, call, result, tool, error or a whole kind"),
        ),
        DaemonError::UnknownCategory(_) => (
            ErrorKind::Usage,
            Some("write feature, fix, refactor, test, docs, question, ops or other"),
        ),
        DaemonError::NoTime(_) => (ErrorKind::Usage, Some("write 7d, 12h, 30m or 2026-11-01")),
        DaemonError::UnknownAgent(_) => {
            (ErrorKind::Usage, Some("see `taffrail agents` for the ids"))
        }
        DaemonError::NoTelemetry(_) => {
            (ErrorKind::Refused, Some("`taffrail otel` shows the agents that send any"))
        }
        DaemonError::Bug(_) => (
            ErrorKind::Failure,
            Some("this is a fault of Taffrail; please report it with this message"),
        ),
        DaemonError::NotConforming(_) => {
            (ErrorKind::Refused, Some("`taffrail validate` tells every fault, with what to do"))
        }
        DaemonError::Forgotten(_) => {
            (ErrorKind::Refused, Some("give the document another `session_id` to take it in"))
        }
        DaemonError::NoPlan(_) => (ErrorKind::Usage, Some("a plan is a JSON object")),
        DaemonError::File(_) => (ErrorKind::Failure, None),
        DaemonError::NoTag(_) => (
            ErrorKind::Usage,
            Some("a tag has 1 to 100 characters, none of them control characters"),
        ),
        DaemonError::Repair(_) => {
            (ErrorKind::Refused, Some("`taffrail binding ID` tells how sessions are joined"))
        }
        DaemonError::NoNote => (ErrorKind::Usage, None),
        DaemonError::Unresumed(_) => {
            (ErrorKind::Refused, Some("`taffrail resume ID --dry-run` says what could be done"))
        }
        DaemonError::Undecided(_) => {
            (ErrorKind::Refused, Some("`taffrail approvals` lists what can be answered"))
        }
        DaemonError::NoApproval(_) => {
            (ErrorKind::NotFound, Some("`taffrail approvals --all` lists every request"))
        }
        DaemonError::Serve(_) | DaemonError::CannotStart(_) => (ErrorKind::Refused, None),
        DaemonError::Hooks(hooks) => of_hooks(hooks),
        DaemonError::Rules(rules) => of_rules(rules),
        DaemonError::Running => {
            (ErrorKind::Failure, Some("taffrail daemon status says where it listens"))
        }
        DaemonError::Ending => (ErrorKind::DaemonUnreachable, Some("taffrail daemon start")),
        DaemonError::Store(_) if error.is_busy() => {
            (ErrorKind::Failure, Some("wait for it to end; reading commands work meanwhile"))
        }
        DaemonError::Store(_) | DaemonError::Archive(_) => {
            (ErrorKind::Failure, Some("see `taffrail doctor`"))
        }
    }
}

fn of_rules(error: &RulesError) -> (ErrorKind, Option<&'static str>) {
    match error {
        RulesError::Unreadable(..) => (ErrorKind::Refused, Some("mend the file by hand first")),
        RulesError::NoRule(_) => (ErrorKind::Usage, Some("see `taffrail rules add --help`")),
        RulesError::NoNumber(_) => (ErrorKind::NotFound, Some("`taffrail rules ls` shows numbers")),
    }
}

fn of_hooks(error: &HooksError) -> (ErrorKind, Option<&'static str>) {
    match error {
        HooksError::Refused { .. } => (
            ErrorKind::Refused,
            Some("nothing was written; see docs/hooks.md for doing it by hand"),
        ),
        HooksError::Changed(_) => (ErrorKind::Failure, Some("run it again")),
        HooksError::Io { .. } => (ErrorKind::Failure, None),
        HooksError::NoHooks(_) => {
            (ErrorKind::Refused, Some("see `taffrail hooks status` for the agents that have them"))
        }
        HooksError::NoHome(_) => (
            ErrorKind::NotFound,
            Some("start the agent once, or name its home in the configuration"),
        ),
        HooksError::Program(_) => {
            (ErrorKind::Refused, Some("put the program where its path has no special characters"))
        }
        HooksError::NotEmpty(_) => {
            (ErrorKind::Refused, Some("give a folder that is not there yet"))
        }
    }
}

fn of_target(error: &TargetError) -> (ErrorKind, Option<&'static str>) {
    match error {
        TargetError::NotFound(_) => {
            (ErrorKind::NotFound, Some("see `taffrail ls --all` for every session's id"))
        }
        TargetError::NoPeer(_) => (ErrorKind::NotFound, Some("GET /peers names those there are")),
        TargetError::ManyPeers(..) => {
            (ErrorKind::Usage, Some("name the session: GET /sessions/ID/timeline"))
        }
        TargetError::NoFile(_) => (ErrorKind::NotFound, None),
        TargetError::NotArchived(_) => {
            (ErrorKind::NotFound, Some("see `taffrail archive ls` for what is kept"))
        }
        TargetError::Ambiguous(..) => (ErrorKind::Usage, Some("type more of the id")),
        TargetError::WaitingUnknown => {
            (ErrorKind::Refused, Some("name a session by the beginning of its id, or `@last`"))
        }
    }
}

impl Fault {
    fn new(status: StatusCode, kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let retryable = status == StatusCode::SERVICE_UNAVAILABLE;
        let (code, candidates) = (kind.exit_code(), Vec::new());
        let body = ErrorBody { code, kind, message, hint: None, retryable, candidates };
        Self { status, body }
    }

    fn hinted(mut self, hint: &str) -> Self {
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

    /// What is told, without the status.
    pub(super) fn body(&self) -> &ErrorBody {
        &self.body
    }
}

impl From<DaemonError> for Fault {
    fn from(error: DaemonError) -> Self {
        let body = error_body(&error);
        let status = match (body.kind, &error) {
            (_, DaemonError::Target(TargetError::Ambiguous(..) | TargetError::ManyPeers(..))) => {
                StatusCode::CONFLICT
            }
            (ErrorKind::Usage, _) => StatusCode::BAD_REQUEST,
            (ErrorKind::NotFound, _) => StatusCode::NOT_FOUND,
            (ErrorKind::Refused, _) => StatusCode::CONFLICT,
            _ if body.retryable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, body }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Envelope { error: self.body })).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let bearer = header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}
