//! The list of sessions: filtered, sorted, in pages, counted, and as a file for a spreadsheet.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::sessions::{complete, request};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use taffrail_api::{ListQuery, SCHEMA_VERSION, Session, SessionPage, csv};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_query::board::current_statuses;
use taffrail_query::page::{Page, PageRequest, SortOrder, page};

/// Sessions, the latest first unless another order is asked for.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions", params(ListQuery),
    responses((status = 200, body = SessionPage)))]
pub(super) async fn list_sessions(
    State(app): State<App>,
    Query(query): Query<ListQuery>,
) -> Result<Json<SessionPage>, ApiError> {
    let page = app.ask(move |handle| paged(handle, query)).await?;
    Ok(Json(SessionPage {
        schema_version: SCHEMA_VERSION,
        total: page.total as u64,
        next: page.next,
        sessions: page.sessions,
        facets: page.facets,
    }))
}

/// The same list as comma-separated values, with the columns of `taffrail ls --csv`.
#[utoipa::path(get, path = "/api/sessions.csv", tag = "sessions", params(ListQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub(super) async fn export_sessions(
    State(app): State<App>,
    Query(query): Query<ListQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let lines = app.ask(move |handle| Ok(csv::sessions(&listed(handle, query)?))).await?;
    let head = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"sessions.csv\""),
    ];
    Ok((head, lines.join("\n") + "\n"))
}

/// The sessions of a list.
pub(super) fn listed(handle: &Handle, query: ListQuery) -> Result<Vec<Session>, DaemonError> {
    Ok(paged(handle, query)?.sessions)
}

fn paged(handle: &Handle, query: ListQuery) -> Result<Page, DaemonError> {
    let order = SortOrder::parse(query.sort.as_deref(), query.order.as_deref())?;
    let words = query.words.as_deref().unwrap_or_default();
    let words = words.split_whitespace().map(str::to_lowercase).collect();
    let (after, facets) = (query.after.clone(), query.facets);
    let list = request(handle, query)?;
    let request = PageRequest { list, words, order, after, facets };
    let mut page = page(handle.settings(), &current_statuses(handle.live())?, &request)?;
    complete(handle, &mut page.sessions)?;
    Ok(page)
}
