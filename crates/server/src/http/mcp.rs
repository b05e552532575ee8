//! MCP for agents that reach this machine's loopback and not our program: one message a request,
//! with the token. The tools only read; what they ask passes the same routes as on the socket.

use super::api_error::ApiError;
use super::app::App;
use super::auth::json_only;
use super::extract::BODY;
use super::pairs;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_config::Config;
use taffrail_mcp::{Desk, Options, Post, PostReply};
use taffrail_model::hash::digest;

/// What the route needs.
#[derive(Clone)]
struct Mcp {
    app: App,
    desk: Arc<Desk>,
}

/// The route. Call this inside the runtime.
pub(super) fn routes(app: &App) -> Router {
    let desk = Arc::new(Desk::new(options(app)));
    let state = Mcp { app: app.clone(), desk };
    Router::new().route("/mcp", post(answer)).layer(from_fn(json_only)).with_state(state)
}

fn options(app: &App) -> Options {
    let settings = app.handle().settings();
    let (config, user_home) = (settings.config.join("config.toml"), settings.user_home.clone());
    let (chance, answers) = (app.web().chance, AtomicU64::new(0));
    let client = pairs::client_of(app);
    Options {
        connect: Box::new(move || Ok(client.clone())),
        random: Box::new(move || Ok(digits(&chance, answers.fetch_add(1, Ordering::Relaxed)))),
        now: settings.now,
        state: app.web().ours().0,
        here: String::new(),
        exclude: Box::new(move || {
            let config = Config::read(&config).map_err(|error| error.to_string())?;
            Ok(config.mcp.folders(&user_home))
        }),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// The bytes of the tags of an answer: nobody foresees them without the random bytes of this run.
fn digits(chance: &[u8; 32], answer: u64) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = digest("mcp-tags", &[chance, &answer.to_le_bytes()]);
    [a, b, c, d, e, f, g, h]
}

/// Answers one message.
async fn answer(State(mcp): State<Mcp>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, BODY).await.map_err(|_| ApiError::too_long())?;
    let (app, desk) = (mcp.app, mcp.desk);
    let reply = app.ask_for_agent(move || {
        desk.post(&Post {
            body: &body,
            version: text(&parts.headers, "mcp-protocol-version"),
            method: text(&parts.headers, "mcp-method"),
            name: text(&parts.headers, "mcp-name"),
            agent: text(&parts.headers, "user-agent"),
        })
    });
    let PostReply { status, body } = reply.await?;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Ok(match body {
        Some(body) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        None => status.into_response(),
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
