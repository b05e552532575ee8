//! Failures, as programs are told them.

use crate::devices::DeviceError;
use crate::hubs::HubFault;
use crate::rules::RulesError;
use crate::teleport::TeleportError;
use crate::{DaemonError, HooksError, ShareError, TargetError};
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use taffrail_api::{Envelope, ErrorBody, ErrorKind};
use taffrail_sync::exchange::RosterFault;

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

/// What kind of failure it is, and what to do.
type Told = (ErrorKind, Option<&'static str>);

const fn usage(hint: &'static str) -> Told {
    (ErrorKind::Usage, Some(hint))
}

const fn refused(hint: &'static str) -> Told {
    (ErrorKind::Refused, Some(hint))
}

const fn missing(hint: &'static str) -> Told {
    (ErrorKind::NotFound, Some(hint))
}

const fn failure(hint: &'static str) -> Told {
    (ErrorKind::Failure, Some(hint))
}

const KINDS: &str = "write prompt, message, thinking, call, result, tool, error or a whole kind";
const CATEGORIES: &str = "write feature, fix, refactor, test, docs, question, ops or other";
const A_BUG: &str = "this is a fault of Taffrail; please report it with this message";
const A_TAG: &str = "a tag has 1 to 100 characters, none of them control characters";
const FAULTS: &str = "`taffrail validate` tells every fault, with what to do";
const ANOTHER_ID: &str = "give the document another `session_id` to take it in";
const JOINED: &str = "`taffrail binding ID` tells how sessions are joined";
const RESUME: &str = "`taffrail resume ID --dry-run` says what could be done";
const BUSY: &str = "wait for it to end; reading commands work meanwhile";

fn kind_and_hint(error: &DaemonError) -> Told {
    use DaemonError as E;
    match error {
        E::Target(target) => of_target(target),
        E::Hooks(hooks) => of_hooks(hooks),
        E::Rules(rules) => of_rules(rules),
        E::Device(device) => of_device(device),
        E::Teleport(teleport) => of_teleport(teleport),
        E::Share(share) => of_share(share),
        E::Unsent(_) => refused("`taffrail queue ID add TEXT` leaves it until it can be sent"),
        E::NoMessage => (ErrorKind::Usage, None),
        E::NoReceipt(_) => missing("`taffrail queue ID ls` lists what waits"),
        E::Exists(_) => refused("give a file that is not there yet"),
        E::UnknownKind(_) => usage(KINDS),
        E::UnknownDevice(_) => usage("`taffrail ls --json` names the device of each session"),
        E::UnknownCategory(_) => usage(CATEGORIES),
        E::NoTime(_) => usage("write 7d, 12h, 30m or 2026-11-01"),
        E::UnknownAgent(_) => usage("see `taffrail agents` for the ids"),
        E::NoTelemetry(_) => refused("`taffrail otel` shows the agents that send any"),
        E::Bug(_) => failure(A_BUG),
        E::NotConforming(_) => refused(FAULTS),
        E::Forgotten(_) => refused(ANOTHER_ID),
        E::NoPlan(_) => usage("a plan is a JSON object"),
        E::File(_) => (ErrorKind::Failure, None),
        E::NoTag(_) => usage(A_TAG),
        E::Repair(_) => refused(JOINED),
        E::NoNote => (ErrorKind::Usage, None),
        E::Unresumed(_) => refused(RESUME),
        E::Undecided(_) => refused("`taffrail approvals` lists what can be answered"),
        E::NoApproval(_) => missing("`taffrail approvals --all` lists every request"),
        E::Serve(_) | E::CannotStart(_) => (ErrorKind::Refused, None),
        E::Hub(hub) => of_hub(hub),
        E::Running => failure("taffrail daemon status says where it listens"),
        E::Ending => (ErrorKind::DaemonUnreachable, Some("taffrail daemon start")),
        E::Store(_) if error.is_busy() => failure(BUSY),
        E::Store(_) | E::Archive(_) => failure("see `taffrail doctor`"),
    }
}

fn of_hub(error: &HubFault) -> Told {
    match error {
        HubFault::None => refused("`taffrail hub use ADDRESS` names one"),
        HubFault::Address(_) => usage("see `taffrail hub use --help`"),
        HubFault::Team(_) | HubFault::NoChance => failure(A_BUG),
        HubFault::NobodysKey => refused("only the recovery key that was made last opens anything"),
        HubFault::Credentials(..) => refused("`hub.credentials` names the file"),
        HubFault::Hub(hub) if hub.is_retryable() => {
            (ErrorKind::TimedOut, Some("`taffrail hub doctor` says what is wrong"))
        }
        HubFault::Exchange(_) | HubFault::Storage(_) => failure("see `taffrail hub doctor`"),
        HubFault::Roster(RosterFault::Hub(hub)) if hub.is_retryable() => (
            ErrorKind::TimedOut,
            Some("nothing was changed; `taffrail hub doctor` says what is wrong"),
        ),
        HubFault::Roster(RosterFault::Nothing) => {
            missing("give the address your devices used; see `taffrail key recover --help`")
        }
        HubFault::Roster(_) => {
            refused("nothing was changed; `taffrail device ls` shows what is known here")
        }
        HubFault::Hub(_) => refused("`taffrail hub doctor` says what is wrong"),
    }
}

fn of_device(error: &DeviceError) -> Told {
    use DeviceError as E;
    match error {
        E::NotMade => refused("taffrail device init --name NAME"),
        E::Made(_) => refused("`taffrail device ls` shows it and its team"),
        E::Waiting => refused("have its request approved: `taffrail device approve REQUEST` there"),
        E::Removed => refused("an admin can say why; `taffrail device ls` there names them"),
        E::NotAdmin => refused("`taffrail device ls` shows who is"),
        E::NoDevice(_) => missing("`taffrail device ls` shows those there are"),
        E::Alone => missing("`taffrail device invite` lets one more ask to come in"),
        E::OthersThere => refused("take it out of that team first, with `taffrail device remove`"),
        E::InThere => refused("there is nothing to do; see `taffrail device ls`"),
        E::NoInvite => refused("make another invite; each lets one device in, for three days"),
        E::Join(_) => refused("nothing was changed; have a new invite made"),
        E::Roster(_) => {
            refused("nothing was changed; `taffrail device ls` shows what is known here")
        }
        E::Keys { .. } | E::Damaged(_) => failure("put the file back from a backup"),
        E::Unsafe { .. } => refused("only you may be able to read it"),
        E::NoRecoveryKey => {
            refused("it has two lines, or is an age file that needs `--passphrase-file`")
        }
        E::Passphrase(_) => (ErrorKind::Refused, None),
        E::Io { .. } => (ErrorKind::Failure, None),
    }
}

fn of_share(error: &ShareError) -> Told {
    use ShareError as E;
    match error {
        E::NoReader(_) => refused(
            "`taffrail device ls` shows who is in the team; `taffrail device invite --for EMAIL` asks one in",
        ),
        E::Ourselves(_) => refused("name another device, or a user"),
        E::Told(_) => refused("see it there with `taffrail ls`; `sync.exclude` keeps it here"),
        E::Elsewhere(_) => refused("run `taffrail share` there"),
        E::ReadOnly(_) => refused("tell who shares it; `taffrail share ls` says who that is"),
        E::NotOurs => refused("`taffrail capture` lists what is not captured"),
        E::NoShare(_) => missing("`taffrail share ls` shows what is shared"),
    }
}

fn of_teleport(error: &TeleportError) -> Told {
    use TeleportError as E;
    match error {
        E::Refused(_) => refused("nothing of it was used; have it packed again"),
        E::Unwritten(_) => refused("nothing was left behind"),
        E::Worker(_) => refused("pack the session it works for"),
        E::NoWay(_) => refused("--redacted packs what it said, to be read and not resumed"),
        E::Remote(_) => refused("`taffrail teleport push` it there, and pull it here"),
        E::Gone(_) => refused("`taffrail archive ls` shows what is kept of it"),
        E::Exists(_) => refused("name another file, or replace it with --force"),
        E::Differs(_) => refused(
            "nothing was written. If it went on in both places, `--fork` takes what came as a session of its own",
        ),
        E::Elsewhere { .. } => refused("unpack it with --project of the folder it is in"),
        E::Running(_) => refused("end it there first; nothing was written"),
        E::NotOurs { .. } | E::Contradicts(_) => refused("nothing was written"),
        E::NoFolder(_) => refused("make the folder, or clone the project there first"),
        E::Patch(_) => refused("nothing was written; leave --patch away to take the session alone"),
        E::Git(_) => refused("--no-patch packs the session alone"),
        E::PlanThere(_) => {
            refused("nothing was written; leave --plan away to keep the one there is")
        }
        E::Absent(_) => refused("nothing was written; leave the option away"),
        E::Held { .. } => refused("wait for it, or go on with it there"),
        E::Io { .. } => (ErrorKind::Failure, None),
    }
}

fn of_rules(error: &RulesError) -> Told {
    match error {
        RulesError::Unreadable(..) => (ErrorKind::Refused, Some("mend the file by hand first")),
        RulesError::NoRule(_) => (ErrorKind::Usage, Some("see `taffrail rules add --help`")),
        RulesError::NoNumber(_) => (ErrorKind::NotFound, Some("`taffrail rules ls` shows numbers")),
    }
}

fn of_hooks(error: &HooksError) -> Told {
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

fn of_target(error: &TargetError) -> Told {
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

    /// Who asked did not say who it is.
    pub(super) fn is_stranger(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
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
