//! Lists of sessions, and single sessions.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::findings::found_by;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{
    Explanation, ListQuery, ListRequest, MeantQuery, SCHEMA_VERSION, Session, SessionList,
    StatusList, Summary, SummaryQuery,
};
use taffrail_context::Error;
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::{Handle, add_live_fields};
use taffrail_model::{Timestamp, when};
use taffrail_query::board::current_statuses;
use taffrail_query::explain::{explain_with, session_with};
use taffrail_query::filter::add_marks;
use taffrail_query::resolve::resolve;
use taffrail_query::selection::recent_sessions;
use taffrail_query::session as row_session;
use taffrail_query::status::apply_status;
use taffrail_query::summary::{Wish, answer, outlook};
use taffrail_store::IndexReader;

/// Adds what is known of living sessions.
pub(super) fn complete(handle: &Handle, sessions: &mut [Session]) -> Result<(), DaemonError> {
    let Some(index) = IndexReader::open(&handle.settings().data)? else { return Ok(()) };
    Ok(add_live_fields(handle, &index, sessions)?)
}

/// The sub-agents of a session, whether they live or are over, the earliest first.
#[utoipa::path(get, path = "/api/sessions/{id}/workers", tag = "sessions",
    params(("id" = String, Path)), responses((status = 200, body = SessionList)))]
pub(super) async fn list_sub_agents(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<SessionList>, ApiError> {
    let sessions = app.ask(move |handle| workers_of(handle, &meant(handle, &id, "")?)).await?;
    Ok(Json(SessionList { schema_version: SCHEMA_VERSION, sessions }))
}

fn workers_of(handle: &Handle, target: &Target) -> Result<Vec<Session>, DaemonError> {
    let (settings, now) = (handle.settings(), (handle.settings().now)());
    let id = resolve(settings, target)?.id;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let mut rows = reader.workers_of(id)?;
    rows.sort_by_key(|it| it.started_at);
    let mut sessions: Vec<_> =
        rows.into_iter().map(|row| row_session(&settings.devices, row)).collect();
    apply_statuses(handle, &mut sessions, now)?;
    Ok(sessions)
}

/// Converts the query to a request of the library.
pub(super) fn request(handle: &Handle, query: ListQuery) -> Result<ListRequest, DaemonError> {
    let now = (handle.settings().now)();
    let since = query.since.map(|it| instant(&it, now)).transpose()?;
    Ok(ListRequest {
        all: query.all,
        with_transcript: query.with_transcript,
        limit: query.limit,
        agent: query.agent,
        since,
        project: query.project,
        tag: query.tag,
        waiting: query.waiting,
        failing: query.failing,
        doing: query.doing,
        topic: query.topic,
        category: query.category,
        device: query.device,
        until: query.until.map(|it| instant(&it, now)).transpose()?,
        model: query.model,
        branch: query.branch,
        starred: query.starred,
    })
}

/// Parses an instant as a person writes it.
pub(super) fn instant(text: &str, now: Timestamp) -> Result<Timestamp, DaemonError> {
    when::since(text, now).ok_or_else(|| Error::NoTime(text.to_owned()).into())
}

fn apply_statuses(handle: &Handle, all: &mut [Session], now: Timestamp) -> Result<(), DaemonError> {
    let cards = current_statuses(handle.live())?;
    for session in all {
        if let Some(card) = cards.get(&session.id) {
            apply_status(session, card, now);
        }
    }
    Ok(())
}

/// Every recent session with its status.
pub(super) fn recent_list(handle: &Handle) -> Result<StatusList, DaemonError> {
    let reader = IndexReader::open(&handle.settings().data)?;
    let generation = reader.as_ref().map(|it| it.generation().to_owned()).unwrap_or_default();
    let late = reader
        .map(|it| recent_sessions(handle.settings(), &current_statuses(handle.live())?, &it))
        .transpose()?
        .unwrap_or_default();
    let mut sessions: Vec<Session> = late.into_iter().map(|(_, it)| it).collect();
    add_marks(handle.settings(), &mut sessions)?;
    complete(handle, &mut sessions)?;
    let reading = handle.live().progress();
    Ok(StatusList { schema_version: SCHEMA_VERSION, generation, sessions, reading })
}

/// One session.
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "sessions", params(("id" = String, Path)),
    responses((status = 200, body = Session)))]
pub(super) async fn get_session(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Session>, ApiError> {
    let found = app.ask(move |handle| found(handle, &meant(handle, &id, "")?));
    Ok(Json(found.await?))
}

/// The session that is meant by a word, also by `.` in a folder.
#[utoipa::path(get, path = "/api/resolve", tag = "sessions", params(MeantQuery),
    responses((status = 200, body = Session)))]
pub(super) async fn resolve_session(
    State(app): State<App>,
    Query(query): Query<MeantQuery>,
) -> Result<Json<Session>, ApiError> {
    if query.id == "." && query.here.is_none() {
        return Err(ApiError::usage("`.` needs the folder that is meant: here=PATH"));
    }
    let here = query.here.unwrap_or_default();
    let found = app.ask(move |handle| found(handle, &meant(handle, &query.id, &here)?));
    Ok(Json(found.await?))
}

pub(super) fn found(handle: &Handle, target: &Target) -> Result<Session, DaemonError> {
    let cards = current_statuses(handle.live())?;
    let found = session_with(handle.settings(), target, &|id| cards.get(&id).cloned())?;
    let mut found = [found];
    add_marks(handle.settings(), &mut found)?;
    complete(handle, &mut found)?;
    let [found] = found;
    Ok(found)
}

/// What a session is about, in three lines.
#[utoipa::path(get, path = "/api/sessions/{id}/summary", tag = "sessions",
    params(("id" = String, Path), SummaryQuery), responses((status = 200, body = Summary)))]
pub(super) async fn get_summary(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<SummaryQuery>,
) -> Result<Json<Summary>, ApiError> {
    let id = app.ask(move |handle| Ok(resolve(handle.settings(), &meant(handle, &id, "")?)?.id));
    let id = id.await?;
    let run = app.handle().summaries().wish(app.handle().live(), id, Wish::Asked);
    if let Some(run) = run.filter(|_| query.wait) {
        // A run has its own limit, and its result is returned whatever it is.
        run.await.ok();
    }
    let told = app.ask(move |handle| {
        let target = Target::Id(id.to_string());
        let cards = current_statuses(handle.live())?;
        let outlook = outlook(handle.settings(), &target, &|id| cards.get(&id).cloned())?;
        let outlook = outlook.finding(|it| found_by(handle, &it.row))?;
        Ok(answer(&outlook, Some(handle.summaries())))
    });
    Ok(Json(told.await?))
}

/// The status of a session, and why.
#[utoipa::path(get, path = "/api/sessions/{id}/explain", tag = "sessions",
    params(("id" = String, Path)), responses((status = 200, body = Explanation)))]
pub(super) async fn explain_status(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Explanation>, ApiError> {
    let told = app.ask(move |handle| explained(handle, &meant(handle, &id, "")?));
    Ok(Json(told.await?))
}

fn explained(handle: &Handle, target: &Target) -> Result<Explanation, DaemonError> {
    let cards = current_statuses(handle.live())?;
    let known = |id| cards.get(&id).cloned();
    let mut explanation = explain_with(handle.settings(), target, &known)?;
    let row = resolve(handle.settings(), target)?;
    explanation.findings = found_by(handle, &row)?;
    Ok(explanation)
}
