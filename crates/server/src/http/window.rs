//! Routes about parts of a session's transcript.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::sessions::instant;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{EventQuery, FindQuery, Matches, Window, WindowQuery, schema};
use taffrail_context::Error;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::{Event, EventId};
use taffrail_query::{Output, Seek, find, whole_event, window};

/// The default number of events.
const EVENTS: usize = 200;
/// The most events.
const MOST_EVENTS: usize = 500;
/// The default number of matches.
const MATCHES: usize = 200;
/// The most matches.
const MOST_MATCHES: usize = 10_000;

/// A part of a session's transcript, around a place. The reply has no provenance, and long texts are
/// cut, so that a page can open a long session anywhere.
#[utoipa::path(get, path = "/api/sessions/{id}/window", tag = "history",
    params(("id" = String, Path), WindowQuery), responses((status = 200, body = Window)))]
pub(super) async fn get_window(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<WindowQuery>,
) -> Result<Json<Window>, ApiError> {
    one_place(&query)?;
    let limit = query.limit.unwrap_or(EVENTS).clamp(1, MOST_EVENTS);
    let told = app.ask(move |handle| {
        let seek = seek(handle, query)?;
        Ok(window(handle.settings(), &meant(handle, &id, "")?, (seek, limit))?)
    });
    Ok(Json(told.await?))
}

fn one_place(query: &WindowQuery) -> Result<(), ApiError> {
    let WindowQuery { turn, event, time, before, after, limit: _ } = query;
    let named =
        [turn.is_some(), event.is_some(), time.is_some(), before.is_some(), after.is_some()];
    match named.into_iter().filter(|it| *it).count() {
        0 | 1 => Ok(()),
        _ => Err(ApiError::usage("give one of turn, event, time, before and after")),
    }
}

fn seek(handle: &Handle, query: WindowQuery) -> Result<Seek, DaemonError> {
    let now = (handle.settings().now)();
    let event =
        query.event.map(|it| EventId::parse(&it).ok_or(Error::NoEvent(it)).map(Seek::Event));
    let time = query.time.map(|it| instant(&it, now).map(Seek::Time));
    let turn = query.turn.map(Seek::Turn);
    let place = query.before.map(Seek::Before).or(query.after.map(Seek::After));
    let named = turn.or(event.transpose()?).or(time.transpose()?).or(place);
    Ok(named.unwrap_or(Seek::End))
}

/// One event of a session with everything that is known of it. Outputs of tools have at most 16 KiB,
/// unless all is asked for.
#[utoipa::path(get, path = "/api/sessions/{id}/events/{event}", tag = "history",
    params(("id" = String, Path), ("event" = String, Path), EventQuery),
    responses((status = 200, body = schema::Event)))]
pub(super) async fn get_event(
    State(app): State<App>,
    Path((id, event)): Path<(String, String)>,
    Query(query): Query<EventQuery>,
) -> Result<Json<Event>, ApiError> {
    let output = if query.full { Output::Full } else { Output::Beginning };
    let told = app.ask(move |handle| {
        Ok(whole_event(handle.settings(), &meant(handle, &id, "")?, (&event, output))?)
    });
    Ok(Json(told.await?))
}

/// Where words are in a session: all matches counted, the first ones with their places.
#[utoipa::path(get, path = "/api/sessions/{id}/find", tag = "history",
    params(("id" = String, Path), FindQuery), responses((status = 200, body = Matches)))]
pub(super) async fn find_in_session(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<FindQuery>,
) -> Result<Json<Matches>, ApiError> {
    app.handle().live().searchable().await;
    let limit = query.limit.unwrap_or(MATCHES).min(MOST_MATCHES);
    let told = app.ask(move |handle| {
        Ok(find(handle.settings(), &meant(handle, &id, "")?, (&query.q, limit))?)
    });
    Ok(Json(told.await?))
}
