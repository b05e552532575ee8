//! Projects: the sums of their sessions, and the files that sessions edited most.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::sessions::instant;
use axum::Json;
use axum::extract::State;
use taffrail_api::{ListRequest, ProjectFiles, ProjectFilesQuery, ProjectList, ProjectsQuery};
use taffrail_query::{project_files, projects};

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

/// The files of a project that sessions edited, the most often edited first.
#[utoipa::path(get, path = "/api/projects/files", tag = "about", params(ProjectFilesQuery),
    responses((status = 200, body = ProjectFiles)))]
pub(super) async fn list_project_files(
    State(app): State<App>,
    Query(query): Query<ProjectFilesQuery>,
) -> Result<Json<ProjectFiles>, ApiError> {
    if query.project.is_empty() {
        return Err(ApiError::usage("name the folder of the project: project=PATH"));
    }
    let files = app.ask(move |handle| {
        let now = (handle.settings().now)();
        let since = query.since.map(|it| instant(&it, now)).transpose()?;
        let most = query.limit.unwrap_or(FILES);
        Ok(project_files(handle.settings(), (&query.project, since), most)?)
    });
    Ok(Json(files.await?))
}
