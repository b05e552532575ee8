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
    Role, SCHEMA_VERSION, SessionDecisions, SessionUsage, Timeline, TimelineHistory, TimelineQuery,
    TranscriptQuery,
};
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::{Event, Kind, ResumeCursor};
use taffrail_query::bindings::{histories, tie};
use taffrail_query::events::{Texts, turns};
use taffrail_query::{decisions, feed, session_usage};
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
    let known = after.filter(|it| moment.knows(it));
    let is_first = known.is_none();
    let is_wanted = |it: &EventRow| (wanted.kinds)(&it.kind) && !(is_first && it.removed);
    let limit = wanted.limit.unwrap_or(PAGE).clamp(1, MOST);
    // One more says whether there are more.
    let mut rows = moment.first_since(known.map_or(0, |it| it.sequence), limit + 1, &is_wanted)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let mut cursor = moment.cursor();
    if let (true, Some(last)) = (more, rows.last()) {
        cursor.sequence = last.sequence;
    }
    let lines = moment.told(settings, rows)?;
    Ok((moment, Page { is_first, lines, cursor, more }))
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
    let chosen = runtime.clone();
    let told = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        let Some(chosen) = chosen else { return said(handle, &target, &wanted).map(Some) };
        let rows = histories(handle.settings(), &target)?;
        let row = rows.into_iter().find(|it| it.runtime_id.as_str() == chosen);
        row.map(|it| said(handle, &Target::Id(it.id.to_string()), &wanted)).transpose()
    });
    told.await?.map(Json).ok_or_else(|| no_history(runtime))
}

fn no_history(runtime: Option<String>) -> ApiError {
    let runtime = runtime.unwrap_or_default();
    ApiError::not_found(format!("it has no runtime session `{runtime}`"))
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

/// The turns of a session and of those joined to it, and the tie it is found by.
#[utoipa::path(get, path = "/api/sessions/{id}/timeline", tag = "history",
    params(("id" = String, Path), TimelineQuery), responses((status = 200, body = Timeline)))]
pub(super) async fn get_timeline(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<TimelineQuery>,
) -> Result<Json<Timeline>, ApiError> {
    let runtime = query.runtime_session_id.clone();
    let told = app.ask(move |handle| timeline(handle, &meant(handle, &id, "")?, &query));
    told.await?.map(Json).ok_or_else(|| no_history(runtime))
}

/// What a person decided in a session, as far as its latest events tell.
#[utoipa::path(get, path = "/api/sessions/{id}/decisions", tag = "history",
    params(("id" = String, Path)), responses((status = 200, body = SessionDecisions)))]
pub(super) async fn get_decisions(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<SessionDecisions>, ApiError> {
    let told = app.ask(move |handle| Ok(decisions(handle.settings(), &meant(handle, &id, "")?)?));
    Ok(Json(told.await?))
}

/// Where the tokens and the money of a session went.
#[utoipa::path(get, path = "/api/sessions/{id}/usage", tag = "history",
    params(("id" = String, Path)), responses((status = 200, body = SessionUsage)))]
pub(super) async fn get_session_usage(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<SessionUsage>, ApiError> {
    let told =
        app.ask(move |handle| Ok(session_usage(handle.settings(), &meant(handle, &id, "")?)?));
    Ok(Json(told.await?))
}

/// The timeline of a session, of one of its histories if the query names one; `None` if no history
/// has that name.
fn timeline(
    handle: &Handle,
    target: &Target,
    query: &TimelineQuery,
) -> Result<Option<Timeline>, DaemonError> {
    let settings = handle.settings();
    let runtime = query.runtime_session_id.as_deref();
    let texts = if query.brief { Texts::Beginnings } else { Texts::Whole };
    let session = super::sessions::found(handle, target)?;
    let mut rows = histories(settings, &Target::Id(session.id.to_string()))?;
    let own = rows.last().map(|row| tie(settings, row, &|id| handle.live().status(id)));
    let binding = own.transpose()?.as_ref().and_then(document);
    rows.retain(|it| runtime.is_none_or(|runtime| it.runtime_id.as_str() == runtime));
    let (mut all, mut told) = (Vec::new(), Vec::new());
    for row in rows {
        let turns = turns(settings, &Target::Id(row.id.to_string()), texts)?;
        told.push(TimelineHistory {
            repowire_session_id: row.id,
            runtime_session_id: row.runtime_id,
            runtime_source_uri: row.source_uri,
            turn_ids: turns.iter().map(|it| it.id).collect(),
        });
        all.extend(turns);
    }
    all.sort_by_key(|it| it.started_at);
    let is_known = !told.is_empty();
    let schema_version = SCHEMA_VERSION;
    Ok(is_known.then_some(Timeline {
        schema_version,
        session,
        binding,
        turns: all,
        histories: told,
    }))
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
