//! What is remarked on sessions.

use super::app::App;
use super::asked::Asked;
use super::beginning::meant;
use super::fault::Fault;
use crate::findings::{found_in, is_of_late, listed};
use crate::live::Handle;
use crate::{DaemonError, resolve};
use axum::Json;
use axum::extract::State;
use taffrail_api::{FindingList, FindingsQuery};
use taffrail_model::findings::Finding;
use taffrail_store::{IndexReader, SessionRow};

/// What is found in sessions of late, or in one session, the latest first.
#[utoipa::path(get, path = "/api/findings", tag = "sessions", params(FindingsQuery),
    responses((status = 200, body = FindingList)))]
pub(super) async fn found(
    State(app): State<App>,
    Asked(query): Asked<FindingsQuery>,
) -> Result<Json<FindingList>, Fault> {
    let found = app.ask(move |handle| {
        let found = match &query.id {
            Some(id) => found_by(handle, &resolve(handle.settings(), &meant(handle, id, "")?)?)?,
            None if query.all => handle.findings(),
            None => of_main_sessions(handle)?,
        };
        Ok(listed(found))
    });
    Ok(Json(found.await?))
}

/// What is found in a session: as it is kept, or else looked for.
pub(super) fn found_by(handle: &Handle, row: &SessionRow) -> Result<Vec<Finding>, DaemonError> {
    let is_kept = handle.card(row.id).is_some() && is_of_late(row, (handle.settings().now)());
    match is_kept {
        true => Ok(handle.findings_of(row.id)),
        false => found_in(handle.settings(), row),
    }
}

fn of_main_sessions(handle: &Handle) -> Result<Vec<Finding>, DaemonError> {
    let found = handle.findings();
    let Some(index) = IndexReader::open(&handle.settings().data)? else { return Ok(found) };
    let mut out = Vec::new();
    for finding in found {
        let row = index.session_by_id(finding.session_id)?;
        out.extend(row.is_some_and(|it| it.parent.is_none()).then_some(finding));
    }
    Ok(out)
}
