//! Routes that change something: handed to the loop, one at a time.

use super::api_error::ApiError;
use super::app::App;
use super::auth::Surface;
use super::extract::JsonBody;
use super::sessions::instant;
use super::subscribe::meant;
use axum::extract::State;
use axum::{Extension, Json};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};
use taffrail_api::{
    ArchiveCheck, CaptureBody, CaptureReport, Done, FileBody, ForgetBody, ForgetReport,
    IndexReport, NoBody, PruneBody, PruneReport, SCHEMA_VERSION, YesBody,
};
use taffrail_context::Settings;
use taffrail_daemon::DaemonError;
use taffrail_ingest::{Held, Mode, Prune, Which, backup, rebuild, restore};
use taffrail_query::resolve::{capture_off, capture_on, forget};
use taffrail_store::IndexReader;

/// Waits until everything on disk is indexed.
#[utoipa::path(post, path = "/api/index", tag = "writes", request_body = NoBody,
    responses((status = 200, body = IndexReport)))]
pub(super) async fn index_history(
    State(app): State<App>,
    JsonBody(NoBody {}): JsonBody<NoBody>,
) -> Result<Json<IndexReport>, ApiError> {
    let began = Instant::now();
    settle(&app).await?;
    let mut report = app.ask(|handle| counted(handle.settings())).await?;
    report.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(report))
}

async fn settle(app: &App) -> Result<(), ApiError> {
    if app.handle().live().settle().await { Ok(()) } else { Err(ApiError::ending()) }
}

fn counted(settings: &Settings) -> Result<IndexReport, DaemonError> {
    let (mut sources, mut sessions, mut sub_agents) = (0, 0, 0);
    if let Some(reader) = IndexReader::open(&settings.data)? {
        sources = reader.sources()?.len() as u64;
        (sessions, sub_agents) = reader.count_sessions()?;
    }
    let report = IndexReport {
        schema_version: SCHEMA_VERSION,
        sources,
        bytes_read: 0,
        records: 0,
        unknown_records: 0,
        events: 0,
        sessions,
        sub_agents,
        prompts_only_sessions: 0,
        prompts_only_prompts: 0,
        deleted_within_week: 0,
        elapsed_ms: 0,
    };
    Ok(taffrail_ingest::count_lost(settings, report)?)
}

/// Ends the daemon.
#[utoipa::path(post, path = "/api/stop", tag = "writes", request_body = NoBody,
    responses((status = 200, body = Done)))]
pub(super) async fn stop_daemon(
    State(app): State<App>,
    JsonBody(NoBody {}): JsonBody<NoBody>,
) -> Result<Json<Done>, ApiError> {
    tracing::info!("the daemon is asked to end through the API");
    app.handle().live().stop();
    Ok(Json(Done::yes()))
}

/// Forgets sessions everywhere and for good, or says what that would mean.
#[utoipa::path(post, path = "/api/forget", tag = "writes", request_body = ForgetBody,
    responses((status = 200, body = ForgetReport)))]
pub(super) async fn forget_sessions(
    State(app): State<App>,
    JsonBody(body): JsonBody<ForgetBody>,
) -> Result<Json<ForgetReport>, ApiError> {
    let (mode, is_done) = (mode(body.yes), body.yes);
    let which = which(&app, body)?;
    settle(&app).await?;
    let done = app.alone(move |settings| Ok(forget(settings, &which, mode, &mut |_| {})?)).await?;
    if is_done {
        finished(&app).await?;
    }
    Ok(Json(done))
}

/// Captures a session no more, or again.
#[utoipa::path(post, path = "/api/capture", tag = "writes", request_body = CaptureBody,
    responses((status = 200, body = CaptureReport)))]
pub(super) async fn set_capture(
    State(app): State<App>,
    JsonBody(body): JsonBody<CaptureBody>,
) -> Result<Json<CaptureReport>, ApiError> {
    let target = meant(app.handle(), &body.id, "")?;
    settle(&app).await?;
    let held = if body.forget { Held::Goes } else { Held::Stays };
    let done = app.alone(move |settings| match body.on {
        true => Ok(capture_on(settings, &target)?),
        false => Ok(capture_off(settings, &target, held)?),
    });
    let done = done.await?;
    finished(&app).await?;
    Ok(Json(done))
}

/// Waits until no watcher still scans under the old policy.
async fn finished(app: &App) -> Result<(), ApiError> {
    settle(app).await
}

fn mode(yes: bool) -> Mode {
    if yes { Mode::Do } else { Mode::Report }
}

fn which(app: &App, body: ForgetBody) -> Result<Which, ApiError> {
    let now = (app.handle().settings().now)();
    match (body.ids.as_slice(), body.project, body.before) {
        ([], Some(project), None) => Ok(Which::Project(project)),
        ([], None, Some(before)) => Ok(Which::Before(instant(&before, now)?)),
        ([_, ..], None, None) => {
            let targets = body.ids.iter().map(|it| meant(app.handle(), it, ""));
            Ok(Which::Sessions(targets.collect::<Result<_, _>>()?))
        }
        _ => Err(ApiError::usage("say one of `ids`, `project` and `before`")),
    }
}

/// Drops copies from the archive, or says which.
#[utoipa::path(post, path = "/api/archive/prune", tag = "writes", request_body = PruneBody,
    responses((status = 200, body = PruneReport)))]
pub(super) async fn prune_archive(
    State(app): State<App>,
    JsonBody(body): JsonBody<PruneBody>,
) -> Result<Json<PruneReport>, ApiError> {
    let now = (app.handle().settings().now)();
    let which = match &body.older_than {
        None => Prune::OlderEditions,
        Some(text) => Prune::Before(SystemTime::from(instant(text, now)?)),
    };
    let done = app.alone(move |settings| {
        Ok(taffrail_ingest::prune_archive(settings, which, mode(body.yes))?)
    });
    Ok(Json(done.await?))
}

/// Looks at every byte of the archive; what is damaged is cut away.
#[utoipa::path(post, path = "/api/archive/verify", tag = "writes", request_body = NoBody,
    responses((status = 200, body = ArchiveCheck)))]
pub(super) async fn verify_archive(
    State(app): State<App>,
    JsonBody(NoBody {}): JsonBody<NoBody>,
) -> Result<Json<ArchiveCheck>, ApiError> {
    Ok(Json(app.alone(|settings| Ok(taffrail_ingest::verify_archive(settings)?)).await?))
}

/// Deletes the index and rebuilds it.
#[utoipa::path(post, path = "/api/rebuild", tag = "writes", request_body = YesBody,
    responses((status = 200, body = IndexReport)))]
pub(super) async fn rebuild_index(
    State(app): State<App>,
    JsonBody(body): JsonBody<YesBody>,
) -> Result<Json<IndexReport>, ApiError> {
    if !body.yes {
        return Err(ApiError::needs_yes("this deletes the index and reads every source again"));
    }
    let done = app.alone(|settings| Ok(rebuild(settings, &mut |_| {})?)).await?;
    Ok(Json(done.report))
}

/// Writes the ledger into one new file. Over the socket only.
#[utoipa::path(post, path = "/api/backup", tag = "writes", request_body = FileBody,
    responses((status = 200, body = Done)))]
pub(super) async fn create_backup(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    JsonBody(body): JsonBody<FileBody>,
) -> Result<Json<Done>, ApiError> {
    let file = own_file(surface, body.file)?;
    app.alone(move |settings| Ok(backup(settings, &file)?)).await?;
    Ok(Json(Done::yes()))
}

/// Puts a ledger in the place of the one there is. Over the socket only.
#[utoipa::path(post, path = "/api/restore", tag = "writes", request_body = FileBody,
    responses((status = 200, body = Done)))]
pub(super) async fn restore_backup(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    JsonBody(body): JsonBody<FileBody>,
) -> Result<Json<Done>, ApiError> {
    if !body.yes {
        return Err(ApiError::needs_yes("restoring replaces the ledger there is"));
    }
    let file = own_file(surface, body.file)?;
    app.alone(move |settings| Ok(restore(settings, &file)?)).await?;
    Ok(Json(Done::yes()))
}

/// A file that our own programs name; a browser may not name files.
fn own_file(surface: Surface, file: String) -> Result<PathBuf, ApiError> {
    if surface != Surface::Socket {
        return Err(ApiError::refused("files are only read and written for our own programs"));
    }
    if !Path::new(&file).is_absolute() {
        return Err(ApiError::usage("the path of the file must be absolute"));
    }
    Ok(PathBuf::from(file))
}
