//! How sessions spent their time.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::lists::listed;
use super::sessions::{found, instant};
use super::subscribe::meant;
use axum::Json;
use axum::extract::State;
use std::time::Duration;
use taffrail_api::{Activity, ActivityQuery, Lane, ListQuery, SCHEMA_VERSION, Session, SpanRow};
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::Timestamp;
use taffrail_model::spans::{Doing, Span, spans};
use taffrail_store::{Filter, IndexReader};

/// The most lanes.
const LANES: usize = 200;
/// Hours in a week.
const WEEK: usize = 168;
/// The default period.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What the time of sessions went to: the model, tools, or waiting for a person.
#[utoipa::path(get, path = "/api/activity", tag = "history", params(ActivityQuery),
    responses((status = 200, body = Activity)))]
pub(super) async fn get_activity(
    State(app): State<App>,
    Query(query): Query<ActivityQuery>,
) -> Result<Json<Activity>, ApiError> {
    Ok(Json(app.ask(move |handle| told(handle, &query)).await?))
}

fn told(handle: &Handle, query: &ActivityQuery) -> Result<Activity, DaemonError> {
    let now = (handle.settings().now)();
    let until = query.until.as_deref().map(|it| instant(it, now)).transpose()?.unwrap_or(now);
    let id = query.id.as_deref().map(|it| meant(handle, it, "")).transpose()?;
    let one = id.map(|it: Target| found(handle, &it)).transpose()?;
    let first = one.as_ref().and_then(|it| it.started_at);
    let since = query.since.as_deref().map(|it| instant(it, now)).transpose()?.or(first);
    let since = since.unwrap_or_else(|| until.checked_sub(DAY).unwrap_or(until));
    let mut sessions = match one {
        Some(one) => vec![one],
        None => among(handle, (since, until), query.all)?,
    };
    let more = sessions.len() > LANES;
    sessions.truncate(LANES);
    let reader = IndexReader::open(&handle.settings().data)?;
    let (mut lanes, mut hours) = (Vec::new(), vec![0; WEEK]);
    if let Some(reader) = &reader {
        for session in sessions {
            lanes.push(lane(reader, session, (since, until))?);
        }
        spent(reader, since, query.ahead, &mut hours)?;
    }
    Ok(Activity { schema_version: SCHEMA_VERSION, since, until, lanes, more, hours })
}

/// Sessions with activity in that time, latest first.
fn among(
    handle: &Handle,
    (since, until): (Timestamp, Timestamp),
    all: bool,
) -> Result<Vec<Session>, DaemonError> {
    let query = ListQuery { since: Some(since.to_string()), all, ..ListQuery::default() };
    let mut sessions = listed(handle, query)?;
    sessions.retain(|it| it.started_at.is_none_or(|at| at <= until));
    Ok(sessions)
}

fn lane(
    reader: &IndexReader,
    session: Session,
    time: (Timestamp, Timestamp),
) -> Result<Lane, DaemonError> {
    let row = reader.session_by_id(session.id)?;
    let moments = row.map(|it| reader.moments(it.row, time)).transpose()?.unwrap_or_default();
    Ok(Lane { session, spans: spans(&moments).into_iter().map(span_row).collect() })
}

fn span_row(span: Span) -> SpanRow {
    let doing = match span.doing {
        Doing::Model => "model",
        Doing::Tool => "tool",
        Doing::Human => "human",
    };
    let (from, to) = (span.from.as_millisecond(), span.to.as_millisecond());
    SpanRow { from, to, doing: doing.to_owned() }
}

fn spent(
    reader: &IndexReader,
    since: Timestamp,
    ahead: i64,
    hours: &mut [u64],
) -> Result<(), DaemonError> {
    let filter = Filter { workers: true, since: Some(since), ..Filter::default() };
    for row in reader.tally_hours(&filter, ahead)? {
        if let Some(hour) = hours.get_mut(row.hour as usize) {
            *hour = row.tokens;
        }
    }
    Ok(())
}
