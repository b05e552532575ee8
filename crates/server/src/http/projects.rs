//! Projects: the sums of their sessions, and the files that sessions edited.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::sessions::instant;
use axum::Json;
use axum::extract::State;
use taffrail_api::{ListRequest, ProjectFiles, ProjectFilesQuery, ProjectList, ProjectsQuery};
use taffrail_query::{FileOrder, project_files, projects};

/// The default number of files.
const FILES: usize = 50;

/// The projects that sessions worked in, the latest first.
#[utoipa::path(get, path = "/api/projects", tag = "about", params(ProjectsQuery),
    responses((status = 200, body = ProjectList)))]
pub(super) async fn list_projects(
    State(app): State<App>,
    Query(query): Query<ProjectsQuery>,
) -> Result<Json<ProjectList>, ApiError> {
    let list = app.ask(move |handle| {
        let now = (handle.settings().now)();
        let since = query.since.map(|it| instant(&it, now)).transpose()?;
        let (device, limit) = (query.device, query.limit);
        let request = ListRequest { since, device, limit, ..ListRequest::default() };
        Ok(projects(handle.settings(), &request)?)
    });
    Ok(Json(list.await?))
}

/// The files that sessions edited, of one project or of all, with the sessions that did and their prompts.
#[utoipa::path(get, path = "/api/projects/files", tag = "about", params(ProjectFilesQuery),
    responses((status = 200, body = ProjectFiles)))]
pub(super) async fn list_project_files(
    State(app): State<App>,
    Query(query): Query<ProjectFilesQuery>,
) -> Result<Json<ProjectFiles>, ApiError> {
    let project = query.project.filter(|it| !it.is_empty());
    let order = FileOrder::parse(query.sort.as_deref().unwrap_or("edits"));
    let order = order.ok_or_else(|| ApiError::usage("sort by `edits`, `last` or `cost`"))?;
    let files = app.ask(move |handle| {
        let now = (handle.settings().now)();
        let since = query.since.map(|it| instant(&it, now)).transpose()?;
        let most = query.limit.unwrap_or(FILES);
        Ok(project_files(handle.settings(), (project.as_deref(), since), (order, most))?)
    });
    Ok(Json(files.await?))
}
