//! A session's history: changes, messages, turns.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::streams::MOST;
use super::subscribe::{Moment, meant};
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{
    CapturePage, EventLine, EventsQuery, FeedQuery, FeedReply, Message, Messages, MessagesQuery,
    Role, SCHEMA_VERSION, Timeline, TranscriptQuery,
};
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::{Event, Kind, ResumeCursor};
use taffrail_query::bindings::tie;
use taffrail_query::events::turns;
use taffrail_query::feed;
use taffrail_store::EventRow;

/// The default page size for changes.
const PAGE: usize = 1_000;
/// The default page size for the feed of all sessions.
const FED: usize = 100;

/// Changes of a session in their order, page by page.
#[utoipa::path(get, path = "/api/sessions/{id}/capture/events", tag = "history",
    params(("id" = String, Path), EventsQuery), responses((status = 200, body = CapturePage)))]
pub(super) async fn list_capture_events(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
) -> Result<Json<CapturePage>, ApiError> {
    let page = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        let wanted = Wanted { after: query.after, limit: query.limit, kinds: |_| true };
        let (moment, page) = page(handle, &target, &wanted)?;
        Ok(CapturePage {
            schema_version: SCHEMA_VERSION,
            session_id: moment.row.id,
            generation: moment.reader.generation().to_owned(),
            snapshot: page.is_first,
            events: page.lines,
            cursor: page.cursor.to_string(),
            more: page.more,
        })
    });
    Ok(Json(page.await?))
}

/// Which changes to return.
struct Wanted {
    after: Option<String>,
    limit: Option<usize>,
    kinds: fn(&Kind) -> bool,
}

/// A page of changes, and its end.
struct Page {
    /// The cursor was unknown, so these are the first changes.
    is_first: bool,
    lines: Vec<EventLine>,
    cursor: ResumeCursor,
    more: bool,
}

fn page(handle: &Handle, target: &Target, wanted: &Wanted) -> Result<(Moment, Page), DaemonError> {
    let settings = handle.settings();
    let moment = Moment::of(settings, target)?;
    let after = wanted.after.as_deref().and_then(|it| moment.cursor_in(it));
    let known = after.map(|it| moment.since(&it)).transpose()?.flatten();
    let is_first = known.is_none();
    let mut rows = match known {
        Some(rows) => rows,
        None => first_changes(&moment)?,
    };
    rows.retain(|it| (wanted.kinds)(&it.kind));
    let limit = wanted.limit.unwrap_or(PAGE).clamp(1, MOST);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let mut cursor = moment.cursor();
    if let (true, Some(last)) = (more, rows.last()) {
        cursor.sequence = last.sequence;
    }
    let lines = moment.told(settings, rows)?;
    Ok((moment, Page { is_first, lines, cursor, more }))
}

fn first_changes(moment: &Moment) -> Result<Vec<EventRow>, DaemonError> {
    let first = ResumeCursor { sequence: 0, ..moment.cursor() };
    Ok(moment.since(&first)?.unwrap_or_default().into_iter().filter(|it| !it.removed).collect())
}

/// What a person and the agent said to each other.
#[utoipa::path(get, path = "/api/session/messages", tag = "history", params(MessagesQuery),
    responses((status = 200, body = Messages)))]
pub(super) async fn list_messages(
    State(app): State<App>,
    Query(query): Query<MessagesQuery>,
) -> Result<Json<Messages>, ApiError> {
    let kinds = |kind: &Kind| matches!(kind, Kind::UserPrompt | Kind::AssistantMessage);
    let wanted = Wanted { after: query.after, limit: query.limit, kinds };
    let told = app.ask(move |handle| said(handle, &meant(handle, &query.id, "")?, &wanted));
    Ok(Json(told.await?))
}

/// The same with calls, results and what else was written down.
#[utoipa::path(get, path = "/api/sessions/{id}/transcript", tag = "history",
    params(("id" = String, Path), TranscriptQuery), responses((status = 200, body = Messages)))]
pub(super) async fn get_transcript(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<TranscriptQuery>,
) -> Result<Json<Messages>, ApiError> {
    let runtime = query.runtime_session_id;
    let wanted = Wanted { after: query.after, limit: query.limit, kinds: is_transcript };
    let told = app.ask(move |handle| said(handle, &meant(handle, &id, "")?, &wanted)).await?;
    match runtime.filter(|it| it != told.runtime_session_id.as_str()) {
        Some(other) => Err(ApiError::not_found(format!("it has no runtime session `{other}`"))),
        None => Ok(Json(told)),
    }
}

fn is_transcript(kind: &Kind) -> bool {
    use Kind::{
        AssistantMessage, AssistantThinking, Error, Notice, ToolCall, ToolResult, UserPrompt,
    };
    matches!(
        kind,
        UserPrompt | AssistantMessage | AssistantThinking | ToolCall | ToolResult | Error | Notice
    )
}

fn said(handle: &Handle, target: &Target, wanted: &Wanted) -> Result<Messages, DaemonError> {
    let (moment, page) = page(handle, target, wanted)?;
    let messages = page.lines.into_iter().filter_map(|line| match line {
        EventLine::Event(event) => Some(message(*event)),
        EventLine::Removed(_) => None,
    });
    Ok(Messages {
        schema_version: SCHEMA_VERSION,
        session_id: moment.row.id,
        messages: messages.collect(),
        cursor: page.cursor.to_string(),
        more: page.more,
        runtime_session_id: moment.row.runtime_id,
        runtime_source_uri: moment.row.source_uri,
    })
}

fn message(event: Event) -> Message {
    let role = match event.kind {
        Kind::UserPrompt => Role::User,
        Kind::ToolCall | Kind::AssistantMessage | Kind::AssistantThinking => Role::Assistant,
        Kind::ToolResult => Role::Tool,
        _ => Role::System,
    };
    let tool = event.data.get("tool");
    Message {
        id: event.id,
        role,
        tool: tool.and_then(|it| it.as_str()).map(str::to_owned),
        kind: event.kind,
        text: event.text.unwrap_or_default(),
        created_at: event.created_at,
        turn_id: event.turn_id,
        sequence: event.sequence,
        provenance: event.provenance,
    }
}

/// The turns of a session, and the tie it is found by.
#[utoipa::path(get, path = "/api/sessions/{id}/timeline", tag = "history",
    params(("id" = String, Path)), responses((status = 200, body = Timeline)))]
pub(super) async fn get_timeline(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Timeline>, ApiError> {
    let told = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        let session = super::sessions::found(handle, &target)?;
        let turns = turns(handle.settings(), &Target::Id(session.id.to_string()))?;
        let row = taffrail_query::resolve::resolve(
            handle.settings(),
            &Target::Id(session.id.to_string()),
        )?;
        let binding = document(&tie(handle.settings(), &row, &|id| handle.live().status(id))?);
        Ok(Timeline { schema_version: SCHEMA_VERSION, session, binding, turns })
    });
    Ok(Json(told.await?))
}

/// What happened recently in all sessions: prompts, calls, approvals, ends and errors.
#[utoipa::path(get, path = "/api/feed", tag = "history", params(FeedQuery),
    responses((status = 200, body = FeedReply)))]
pub(super) async fn get_feed(
    State(app): State<App>,
    Query(query): Query<FeedQuery>,
) -> Result<Json<FeedReply>, ApiError> {
    let limit = query.limit.unwrap_or(FED).min(MOST);
    Ok(Json(app.ask(move |handle| Ok(feed(handle.settings(), limit)?)).await?))
}

fn document(binding: &taffrail_model::Binding) -> Option<serde_json::Value> {
    serde_json::to_value(taffrail_contracts::binding::of(binding)).ok()
}
