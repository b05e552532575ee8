//! Web Push: our key, and the browsers that subscribed.

use super::api_error::ApiError;
use super::app::App;
use super::extract::JsonBody;
use axum::Json;
use axum::extract::{Path, State};
use std::path::PathBuf;
use taffrail_api::{Done, PushBody, PushKey, PushKeys, PushList, PushRow, SCHEMA_VERSION};
use taffrail_daemon::live::Handle;
use taffrail_notify::push::{
    NewSubscription, PushError, Subscription, public_key, remove, subscribe, subscriptions,
};

/// The longest word for a browser and the longest name of one.
const WORD: usize = 200;

/// The key that a browser subscribes with; 404 while Web Push is off.
#[utoipa::path(get, path = "/api/push/key", tag = "about",
    responses((status = 200, body = PushKey)))]
pub(super) async fn get_push_key(State(app): State<App>) -> Result<Json<PushKey>, ApiError> {
    let folder = folder(&app)?;
    let public_key = app.ask(move |_| Ok(public_key(&folder))).await?.map_err(|it| fault(&it))?;
    Ok(Json(PushKey { schema_version: SCHEMA_VERSION, public_key }))
}

/// The browsers that subscribed.
#[utoipa::path(get, path = "/api/push/subscriptions", tag = "about",
    responses((status = 200, body = PushList)))]
pub(super) async fn list_push_subscriptions(
    State(app): State<App>,
) -> Result<Json<PushList>, ApiError> {
    let folder = folder(&app)?;
    let all = app.ask(move |_| Ok(subscriptions(&folder))).await?;
    let subscriptions = all.into_iter().map(row).collect();
    Ok(Json(PushList { schema_version: SCHEMA_VERSION, subscriptions }))
}

/// Subscribes a browser, in place of what it said before.
#[utoipa::path(post, path = "/api/push/subscriptions", tag = "about", request_body = PushBody,
    responses((status = 200, body = PushRow)))]
pub(super) async fn subscribe_push(
    State(app): State<App>,
    JsonBody(body): JsonBody<PushBody>,
) -> Result<Json<PushRow>, ApiError> {
    let folder = folder(&app)?;
    let PushBody { endpoint, keys: PushKeys { p256dh, auth }, device, name } = body;
    if device.is_empty() || device.len() > WORD || name.len() > WORD {
        return Err(ApiError::usage("`device` and `name` have at most 200 bytes each"));
    }
    let new = NewSubscription { endpoint, p256dh, auth, device, name };
    let added = move |handle: &Handle| Ok(subscribe(&folder, &new, (handle.settings().now)()));
    Ok(Json(row(app.ask(added).await?.map_err(|it| fault(&it))?)))
}

/// Removes a browser.
#[utoipa::path(delete, path = "/api/push/subscriptions/{id}", tag = "about",
    params(("id" = String, Path)), responses((status = 200, body = Done)))]
pub(super) async fn remove_push_subscription(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    let folder = folder(&app)?;
    match app.ask(move |_| Ok(remove(&folder, &id))).await?.map_err(|it| fault(&it))? {
        true => Ok(Json(Done::yes())),
        false => Err(ApiError::not_found("no browser has subscribed with this id")),
    }
}

/// The folder of our key, while Web Push is on.
fn folder(app: &App) -> Result<PathBuf, ApiError> {
    let folder = app.handle().settings().notices.push.clone();
    folder.ok_or_else(|| {
        ApiError::not_found("notifications in browsers are off")
            .hinted("taffrail config set notifications.push true")
    })
}

fn row(it: Subscription) -> PushRow {
    let Subscription { id, name, since, endpoint, .. } = it;
    let service = endpoint.split('/').nth(2).unwrap_or_default().to_owned();
    PushRow { id, name, service, since }
}

fn fault(error: &PushError) -> ApiError {
    match error {
        PushError::Endpoint(_) | PushError::Keys => ApiError::usage(error.to_string()),
        PushError::Full => ApiError::full_of(error.to_string()),
        PushError::Key(_) | PushError::Io(..) => {
            tracing::error!(%error, "cannot use the files of Web Push");
            ApiError::broken().hinted("`taffrail daemon logs` says why")
        }
    }
}
