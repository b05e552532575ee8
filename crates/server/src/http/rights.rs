//! What a caller may do, by its identity: a person decides, a script sends, an agent reads.

use super::api_error::ApiError;
use super::app::App;
use super::auth::Pass;
use super::extract::JsonBody;
use super::socket::Peer;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Json, RequestExt};
use std::convert::Infallible;
use taffrail_api::{AttemptBody, Done};
use taffrail_approvals::{Attempt, note_attempt};
use taffrail_approvals::{SCRIPTS_KEY, caller, scripts};
use taffrail_model::SessionId;
use taffrail_model::approval::ApprovalId;
use taffrail_model::caller::{Caller, Right, Who};

/// The longest name of an attempted action.
const WHAT: usize = 80;

/// How a request arrived.
#[derive(Debug, Clone)]
pub(super) struct RequestOrigin {
    pass: Option<Pass>,
    peer: Option<Peer>,
}

impl<S: Sync> FromRequestParts<S> for RequestOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>().map(|it| it.0);
        Ok(Self { pass: parts.extensions.get::<Pass>().cloned(), peer })
    }
}

/// An action by its name, and the right it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deed<'a> {
    pub(super) what: &'a str,
    pub(super) right: Right,
    /// The request for approval it concerns, as named by the caller.
    pub(super) about: Option<&'a str>,
}

impl RequestOrigin {
    /// Identifies the caller, with the session whose process is its ancestor.
    fn who(&self, app: &App) -> (Who, Option<SessionId>) {
        match (&self.pass, self.peer.and_then(|it| it.process)) {
            (Some(Pass::Cookie(..)), _) => (browser(), None),
            (Some(Pass::Token(..)), _) => (token(), None),
            (Some(Pass::Ours), Some(process)) => caller(app.handle().live(), process),
            (Some(Pass::Ours) | None, _) => (Who::unseen(), None),
        }
    }

    /// Checks the caller's right to an action and returns the caller. Records a refusal.
    pub(super) async fn may(self, app: &App, deed: Deed<'_>) -> Result<Who, ApiError> {
        if matches!(&self.pass, Some(Pass::Cookie(_, it)) if !app.web().may_act(it)) {
            return Err(ApiError::unconfirmed());
        }
        let (who, session) = self.who(app);
        if who.caller.may(deed.right, scripts(app.handle().settings())) {
            return Ok(who);
        }
        let approval = deed.about.and_then(|it| asked(app, it));
        let attempt = Attempt { what: deed.what.to_owned(), approval, session, who: who.clone() };
        note(app, attempt).await;
        Err(refusal(&who))
    }
}

fn browser() -> Who {
    Who::elsewhere(Caller::Person, "browser", "a browser that was let in")
}

fn token() -> Who {
    Who::elsewhere(Caller::Unknown, "token", "a program with the token")
}

/// Finds a request by a prefix of its id.
fn asked(app: &App, beginning: &str) -> Option<ApprovalId> {
    let open = app.handle().broker().open_requests();
    open.into_iter().map(|it| it.id).find(|it| it.as_str().starts_with(beginning))
}

/// Records an attempt. The caller is refused whether or not that succeeds.
pub(super) async fn note(app: &App, attempt: Attempt) {
    let noted = app.ask(move |handle| Ok(note_attempt(handle.settings(), &attempt)?)).await;
    if noted.is_err() {
        tracing::warn!("cannot write a refused attempt down");
    }
}

/// The error for a caller without the right.
fn refusal(who: &Who) -> ApiError {
    let Who { because, .. } = who;
    match who.caller {
        Caller::Agent => ApiError::refused(format!("an agent may not do this: {because}"))
            .hinted("answer at a terminal of your own, in the browser or on another device"),
        Caller::Unknown | Caller::Person => {
            ApiError::refused(format!("only a person may do this: {because}")).hinted(&format!(
                "run it at a terminal, or once there: taffrail config set {SCRIPTS_KEY} true"
            ))
        }
    }
}

/// Checks the caller's right to a route. Every caller may read.
pub(super) async fn guard(
    State((app, path, right)): State<(App, &'static str, Right)>,
    mut request: Request,
    next: Next,
) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let Ok(origin) = request.extract_parts::<RequestOrigin>().await;
    match origin.may(&app, Deed { what: word_of(path), right, about: None }).await {
        Ok(_) => next.run(request).await,
        Err(fault) => fault.into_response(),
    }
}

/// The name of a route's action, for people.
fn word_of(path: &'static str) -> &'static str {
    let below = path.trim_start_matches("/api/");
    match below {
        "sessions/{id}/queue" | "receipts/{id}" | "queue/at-reset" => "queue",
        "sessions/{id}/controls/notify" | "peers/{name}/controls/notify" => "send",
        "sessions/{id}/binding" => "binding",
        "sessions/{id}/controls/interrupt" => "interrupt",
        "sessions/{id}/controls/answer" => "answer",
        "archive/prune" => "archive prune",
        "stop" => "daemon stop",
        other => other,
    }
}

/// A program of ours refused to do something, and says so: it is written down with who called it.
#[utoipa::path(post, path = "/api/attempts", tag = "approvals", request_body = AttemptBody,
    responses((status = 200, body = Done)))]
pub(super) async fn report_attempt(
    State(app): State<App>,
    origin: RequestOrigin,
    JsonBody(body): JsonBody<AttemptBody>,
) -> Result<Json<Done>, ApiError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, ' ' | '-' | '.');
    if body.what.is_empty() || body.what.len() > WHAT || !body.what.chars().all(is_plain) {
        return Err(ApiError::usage("say in a few plain words what was tried"));
    }
    let (who, session) = origin.who(&app);
    let approval = body.approval_id.as_deref().and_then(|it| asked(&app, it));
    note(&app, Attempt { what: body.what, approval, session, who }).await;
    Ok(Json(Done::yes()))
}
