//! What changes something: handed to the loop, one at a time.

use super::app::App;
use super::asked::Told;
use super::beginning::meant;
use super::door::Surface;
use super::fault::Fault;
use super::sessions::instant;
use crate::{
    DaemonError, Held, Mode, Prune, Settings, Which, backup, capture_off, capture_on, forget,
    prune_archive, rebuild, restore, verify_archive,
};
use axum::extract::State;
use axum::{Extension, Json};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};
use taffrail_api::{
    ArchiveCheck, CaptureBody, CaptureReport, Done, FileBody, ForgetBody, ForgetReport,
    IndexReport, NoBody, PruneBody, PruneReport, SCHEMA_VERSION, YesBody,
};
use taffrail_store::IndexReader;

/// Waits until everything on disk is indexed.
#[utoipa::path(post, path = "/api/index", tag = "writes", request_body = NoBody,
    responses((status = 200, body = IndexReport)))]
pub(super) async fn index(
    State(app): State<App>,
    Told(NoBody {}): Told<NoBody>,
) -> Result<Json<IndexReport>, Fault> {
    let began = Instant::now();
    settle(&app).await?;
    let mut report = app.ask(|handle| counted(handle.settings())).await?;
    report.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(report))
}

async fn settle(app: &App) -> Result<(), Fault> {
    if app.handle().settle().await { Ok(()) } else { Err(Fault::ending()) }
}

fn counted(settings: &Settings) -> Result<IndexReport, DaemonError> {
    let (mut sources, mut sessions) = (0, 0);
    if let Some(reader) = IndexReader::open(&settings.data)? {
        sources = reader.sources()?.len() as u64;
        sessions = reader.count_sessions()?.0;
    }
    Ok(IndexReport {
        schema_version: SCHEMA_VERSION,
        sources,
        bytes_read: 0,
        records: 0,
        unknown_records: 0,
        events: 0,
        sessions,
        elapsed_ms: 0,
    })
}

/// Ends the daemon.
#[utoipa::path(post, path = "/api/stop", tag = "writes", request_body = NoBody,
    responses((status = 200, body = Done)))]
pub(super) async fn stop(
    State(app): State<App>,
    Told(NoBody {}): Told<NoBody>,
) -> Result<Json<Done>, Fault> {
    app.handle().stop();
    Ok(Json(Done::yes()))
}

/// Forgets sessions everywhere and for good, or says what that would mean.
#[utoipa::path(post, path = "/api/forget", tag = "writes", request_body = ForgetBody,
    responses((status = 200, body = ForgetReport)))]
pub(super) async fn forgotten(
    State(app): State<App>,
    Told(body): Told<ForgetBody>,
) -> Result<Json<ForgetReport>, Fault> {
    let (mode, is_done) = (mode(body.yes), body.yes);
    let which = which(&app, body)?;
    settle(&app).await?;
    let done = app.alone(move |settings| forget(settings, &which, mode, &mut |_| {})).await?;
    if is_done {
        finished(&app).await?;
    }
    Ok(Json(done))
}

/// Captures a session no more, or again.
#[utoipa::path(post, path = "/api/capture", tag = "writes", request_body = CaptureBody,
    responses((status = 200, body = CaptureReport)))]
pub(super) async fn captured(
    State(app): State<App>,
    Told(body): Told<CaptureBody>,
) -> Result<Json<CaptureReport>, Fault> {
    let target = meant(app.handle(), &body.id, "")?;
    settle(&app).await?;
    let held = if body.forget { Held::Goes } else { Held::Stays };
    let done = app.alone(move |settings| match body.on {
        true => capture_on(settings, &target),
        false => capture_off(settings, &target, held),
    });
    let done = done.await?;
    finished(&app).await?;
    Ok(Json(done))
}

/// Waits until no eye is left that began to look under the rules of before.
async fn finished(app: &App) -> Result<(), Fault> {
    settle(app).await
}

fn mode(yes: bool) -> Mode {
    if yes { Mode::Do } else { Mode::Report }
}

fn which(app: &App, body: ForgetBody) -> Result<Which, Fault> {
    let now = (app.handle().settings().now)();
    match (body.ids.as_slice(), body.project, body.before) {
        ([], Some(project), None) => Ok(Which::Project(project)),
        ([], None, Some(before)) => Ok(Which::Before(instant(&before, now)?)),
        ([_, ..], None, None) => {
            let targets = body.ids.iter().map(|it| meant(app.handle(), it, ""));
            Ok(Which::Sessions(targets.collect::<Result<_, _>>()?))
        }
        _ => Err(Fault::usage("say one of `ids`, `project` and `before`")),
    }
}

/// Drops copies from the archive, or says which.
#[utoipa::path(post, path = "/api/archive/prune", tag = "writes", request_body = PruneBody,
    responses((status = 200, body = PruneReport)))]
pub(super) async fn prune(
    State(app): State<App>,
    Told(body): Told<PruneBody>,
) -> Result<Json<PruneReport>, Fault> {
    let now = (app.handle().settings().now)();
    let which = match &body.older_than {
        None => Prune::OlderEditions,
        Some(text) => Prune::Before(SystemTime::from(instant(text, now)?)),
    };
    let done = app.alone(move |settings| prune_archive(settings, which, mode(body.yes)));
    Ok(Json(done.await?))
}

/// Looks at every byte of the archive; what is damaged is cut away.
#[utoipa::path(post, path = "/api/archive/verify", tag = "writes", request_body = NoBody,
    responses((status = 200, body = ArchiveCheck)))]
pub(super) async fn verify(
    State(app): State<App>,
    Told(NoBody {}): Told<NoBody>,
) -> Result<Json<ArchiveCheck>, Fault> {
    Ok(Json(app.alone(verify_archive).await?))
}

/// Throws the index away and makes it anew.
#[utoipa::path(post, path = "/api/rebuild", tag = "writes", request_body = YesBody,
    responses((status = 200, body = IndexReport)))]
pub(super) async fn rebuilt(
    State(app): State<App>,
    Told(body): Told<YesBody>,
) -> Result<Json<IndexReport>, Fault> {
    if !body.yes {
        return Err(Fault::needs_yes("this deletes the index and reads every source again"));
    }
    let done = app.alone(|settings| rebuild(settings, &mut |_| {})).await?;
    Ok(Json(done.report))
}

/// Writes the ledger into one new file. Over the socket only.
#[utoipa::path(post, path = "/api/backup", tag = "writes", request_body = FileBody,
    responses((status = 200, body = Done)))]
pub(super) async fn backed_up(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Told(body): Told<FileBody>,
) -> Result<Json<Done>, Fault> {
    let file = own_file(surface, body.file)?;
    app.alone(move |settings| backup(settings, &file)).await?;
    Ok(Json(Done::yes()))
}

/// Puts a ledger in the place of the one there is. Over the socket only.
#[utoipa::path(post, path = "/api/restore", tag = "writes", request_body = FileBody,
    responses((status = 200, body = Done)))]
pub(super) async fn restored(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Told(body): Told<FileBody>,
) -> Result<Json<Done>, Fault> {
    if !body.yes {
        return Err(Fault::needs_yes("restoring replaces the ledger there is"));
    }
    let file = own_file(surface, body.file)?;
    app.alone(move |settings| restore(settings, &file)).await?;
    Ok(Json(Done::yes()))
}

/// A file that our own programs name; a browser has no business with files.
fn own_file(surface: Surface, file: String) -> Result<PathBuf, Fault> {
    if surface != Surface::Socket {
        return Err(Fault::refused("files are only read and written for our own programs"));
    }
    if !Path::new(&file).is_absolute() {
        return Err(Fault::usage("the path of the file must be absolute"));
    }
    Ok(PathBuf::from(file))
}
