//! Lists of sessions, and single ones.

use super::app::App;
use super::asked::Asked;
use super::beginning::{meant, standing};
use super::fault::Fault;
use super::remarks::found_by;
use crate::choosing::{chosen, is_narrowed, of_late};
use crate::live::Handle;
use crate::standing::{explain_with, stand};
use crate::summary::{Wish, outlook, told};
use crate::{Budget, DaemonError, Target, list, resolve, session_of};
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{
    Explanation, ListQuery, ListRequest, MeantQuery, SCHEMA_VERSION, Session, SessionList,
    StatusList, Summary, SummaryQuery,
};
use taffrail_model::{Timestamp, when};
use taffrail_store::IndexReader;

/// Sessions, the latest first.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions", params(ListQuery),
    responses((status = 200, body = SessionList)))]
pub(super) async fn all(
    State(app): State<App>,
    Asked(query): Asked<ListQuery>,
) -> Result<Json<SessionList>, Fault> {
    let sessions = app.ask(move |handle| listed(handle, query)).await?;
    Ok(Json(SessionList { schema_version: SCHEMA_VERSION, sessions }))
}

pub(super) fn listed(handle: &Handle, query: ListQuery) -> Result<Vec<Session>, DaemonError> {
    let request = request(handle, query)?;
    match is_narrowed(&request) {
        true => chosen(handle.settings(), &handle.cards(), &request),
        false => standing_list(handle, &request),
    }
}

/// The same question as the library asks it.
pub(super) fn request(handle: &Handle, query: ListQuery) -> Result<ListRequest, DaemonError> {
    let now = (handle.settings().now)();
    let since = query.since.map(|it| instant(&it, now)).transpose()?;
    Ok(ListRequest {
        all: query.all,
        limit: query.limit,
        agent: query.agent,
        since,
        project: query.project,
        waiting: query.waiting,
        failing: query.failing,
        doing: query.doing,
        topic: query.topic,
        category: query.category,
        device: query.device,
    })
}

/// An instant as a person writes it.
pub(super) fn instant(text: &str, now: Timestamp) -> Result<Timestamp, DaemonError> {
    when::since(text, now).ok_or_else(|| DaemonError::NoTime(text.to_owned()))
}

fn standing_list(handle: &Handle, request: &ListRequest) -> Result<Vec<Session>, DaemonError> {
    let settings = handle.settings();
    let mut sessions = list(settings, request, Budget::Whole, &mut |_| {})?.sessions;
    let (cards, now) = (handle.cards(), (settings.now)());
    for session in &mut sessions {
        if let Some(card) = cards.get(&session.id) {
            stand(session, card, now);
        }
    }
    Ok(sessions)
}

/// How all sessions of late stand.
pub(super) fn all_standing(handle: &Handle) -> Result<StatusList, DaemonError> {
    let reader = IndexReader::open(&handle.settings().data)?;
    let generation = reader.as_ref().map(|it| it.generation().to_owned()).unwrap_or_default();
    let late = reader
        .map(|it| of_late(handle.settings(), &handle.cards(), &it))
        .transpose()?
        .unwrap_or_default();
    let sessions = late.into_iter().map(|(_, it)| it).collect();
    Ok(StatusList { schema_version: SCHEMA_VERSION, generation, sessions })
}

/// One session.
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "sessions", params(("id" = String, Path)),
    responses((status = 200, body = Session)))]
pub(super) async fn one(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Session>, Fault> {
    let found = app.ask(move |handle| found(handle, &meant(handle, &id, "")?));
    Ok(Json(found.await?))
}

/// The session that is meant by a word, also by `.` in a folder.
#[utoipa::path(get, path = "/api/resolve", tag = "sessions", params(MeantQuery),
    responses((status = 200, body = Session)))]
pub(super) async fn resolved(
    State(app): State<App>,
    Asked(query): Asked<MeantQuery>,
) -> Result<Json<Session>, Fault> {
    if query.id == "." && query.here.is_none() {
        return Err(Fault::usage("`.` needs the folder that is meant: here=PATH"));
    }
    let here = query.here.unwrap_or_default();
    let found = app.ask(move |handle| found(handle, &meant(handle, &query.id, &here)?));
    Ok(Json(found.await?))
}

pub(super) fn found(handle: &Handle, target: &Target) -> Result<Session, DaemonError> {
    let session = session_of(handle.settings(), target)?;
    Ok(standing(handle, session, (handle.settings().now)()))
}

/// What a session is about, in three lines.
#[utoipa::path(get, path = "/api/sessions/{id}/summary", tag = "sessions",
    params(("id" = String, Path), SummaryQuery), responses((status = 200, body = Summary)))]
pub(super) async fn summary(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(query): Asked<SummaryQuery>,
) -> Result<Json<Summary>, Fault> {
    let id = app.ask(move |handle| Ok(resolve(handle.settings(), &meant(handle, &id, "")?)?.id));
    let id = id.await?;
    let run = app.handle().retelling().wish(app.handle(), id, Wish::Asked);
    if let Some(run) = run.filter(|_| query.wait) {
        // A run has its own limit, and is told of whatever it comes to.
        run.await.ok();
    }
    let told = app.ask(move |handle| {
        let target = Target::Id(id.to_string());
        let outlook = outlook(handle.settings(), &target, &|id| handle.card(id))?;
        Ok(told(&outlook, Some(handle.retelling())))
    });
    Ok(Json(told.await?))
}

/// How a session stands, and why.
#[utoipa::path(get, path = "/api/sessions/{id}/explain", tag = "sessions",
    params(("id" = String, Path)), responses((status = 200, body = Explanation)))]
pub(super) async fn explain(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Explanation>, Fault> {
    let told = app.ask(move |handle| explained(handle, &meant(handle, &id, "")?));
    Ok(Json(told.await?))
}

fn explained(handle: &Handle, target: &Target) -> Result<Explanation, DaemonError> {
    let mut explanation = explain_with(handle.settings(), target, &|id| handle.card(id))?;
    let row = resolve(handle.settings(), target)?;
    explanation.findings = found_by(handle, &row)?;
    Ok(explanation)
}
