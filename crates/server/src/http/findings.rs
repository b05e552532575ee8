//! Findings in sessions.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::subscribe::meant;
use axum::Json;
use axum::extract::State;
use taffrail_api::{FindingList, FindingsQuery};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::findings::Finding;
use taffrail_query::findings::{found_in, is_recent, listed};
use taffrail_query::resolve::resolve;
use taffrail_store::{IndexReader, SessionRow};

/// The findings of recent sessions, or of one session, the latest first.
#[utoipa::path(get, path = "/api/findings", tag = "sessions", params(FindingsQuery),
    responses((status = 200, body = FindingList)))]
pub(super) async fn list_findings(
    State(app): State<App>,
    Query(query): Query<FindingsQuery>,
) -> Result<Json<FindingList>, ApiError> {
    let found = app.ask(move |handle| {
        let found = match &query.id {
            Some(id) => found_by(handle, &resolve(handle.settings(), &meant(handle, id, "")?)?)?,
            None if query.all => handle.live().findings(),
            None => of_main_sessions(handle)?,
        };
        Ok(listed(found))
    });
    Ok(Json(found.await?))
}

/// The findings of a session: those the monitor holds for a recent one, otherwise computed now.
pub(super) fn found_by(handle: &Handle, row: &SessionRow) -> Result<Vec<Finding>, DaemonError> {
    let is_kept =
        handle.live().status(row.id).is_some() && is_recent(row, (handle.settings().now)());
    match is_kept {
        true => Ok(handle.live().findings_of(row.id)),
        false => Ok(found_in(handle.settings(), row)?),
    }
}

fn of_main_sessions(handle: &Handle) -> Result<Vec<Finding>, DaemonError> {
    let found = handle.live().findings();
    let Some(index) = IndexReader::open(&handle.settings().data)? else { return Ok(found) };
    let mut out = Vec::new();
    for finding in found {
        let row = index.session_by_id(finding.session_id)?;
        out.extend(row.is_some_and(|it| it.parent.is_none()).then_some(finding));
    }
    Ok(out)
}
