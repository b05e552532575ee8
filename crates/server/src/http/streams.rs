//! Event streams over plain HTTP: one session, the status of all, or everything.

use super::api_error::ApiError;
use super::app::{App, Counts, Place};
use super::auth::Pass;
use super::extract::Query;
use super::fanout::{Batch, Frame};
use super::follower::{Fate, Follower, Others};
use super::sessions::recent_list;
use super::subscribe::{Beginning, RECENT, begin, meant};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use std::convert::Infallible;
use std::fmt::Write;
use std::time::Duration;
use taffrail_api::{EventLine, EventsQuery, SCHEMA_VERSION, StatusList, StreamBegin, StreamReply};
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::{ResumeCursor, SessionId};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// The interval of keep-alives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// The most messages sent in one chunk.
const PIECE: usize = 64;
/// The most events per request.
pub(super) const MOST: usize = 10_000;

/// The recent events of a session; as an event stream, with all that follow.
///
/// With `Accept: text/event-stream` it begins with `event: init`, then come events, whose `id` is
/// the cursor after them, `event: status` when the session's status changes, `event: finding` when
/// something is remarked on it or withdrawn, and `event: lagged` when the reader was too slow and goes
/// on from what follows. `after`, or `Last-Event-ID`, resumes.
#[utoipa::path(get, path = "/api/sessions/{id}/stream", tag = "streams",
    params(("id" = String, Path), EventsQuery), responses((status = 200, body = StreamReply)))]
pub(super) async fn stream_session(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let limit = query.limit.unwrap_or(RECENT).min(MOST);
    let resumed = headers.get("last-event-id").and_then(|it| it.to_str().ok()).map(str::to_owned);
    let after = resumed.or(query.after);
    if !wants_stream(&headers) {
        let begun =
            app.ask(move |handle| begin(handle, &meant(handle, &id, "")?, after.as_deref(), limit));
        return Ok(Json(reply(begun.await?)).into_response());
    }
    // The subscription begins before the index is read, so that nothing falls between the two.
    let (place, feed) = app.follow()?;
    let begun = app
        .ask(move |handle| begin(handle, &meant(handle, &id, "")?, after.as_deref(), limit))
        .await?;
    let follower = Follower::of(begun.session.id, begun.cursor.clone());
    let first = first_piece("init", &begun);
    Ok(stream(Stream { app, pass, feed, follower, waiting: Some(first), limit, _place: place }))
}

/// All recent sessions with their status; as an event stream, with every change.
#[utoipa::path(get, path = "/api/stream/status", tag = "streams",
    responses((status = 200, body = StatusList)))]
pub(super) async fn stream_statuses(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if !wants_stream(&headers) {
        return Ok(Json(app.ask(recent_list).await?).into_response());
    }
    follow_all(app, pass, Others::Statuses).await
}

/// Everything that happens, as an event stream: the status of all sessions, then every event and change.
///
/// It begins with `event: snapshot`. While history is being read, `event: reading` says how far that
/// is; when it is over, another snapshot comes.
#[utoipa::path(get, path = "/api/stream", tag = "streams",
    responses((status = 200, body = StatusList, content_type = "text/event-stream")))]
pub(super) async fn stream_updates(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
) -> Result<Response, ApiError> {
    follow_all(app, pass, Others::Everything).await
}

async fn follow_all(app: App, pass: Pass, others: Others) -> Result<Response, ApiError> {
    let (place, feed) = app.follow()?;
    let follower = Follower { others, ..Follower::default() };
    let first = snapshot_of_all(&app).await?;
    let waiting = Some(first);
    Ok(stream(Stream { app, pass, feed, follower, waiting, limit: RECENT, _place: place }))
}

async fn snapshot_of_all(app: &App) -> Result<Bytes, ApiError> {
    let all = app.ask(recent_list).await?;
    Ok(message("snapshot", &all).into())
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let mut kinds = accepted.flat_map(|it| it.split(','));
    kinds.any(|it| it.split(';').next().unwrap_or_default().trim() == "text/event-stream")
}

fn reply(begun: Beginning) -> StreamReply {
    StreamReply {
        schema_version: SCHEMA_VERSION,
        session: begun.session,
        cursor: begun.cursor.to_string(),
        snapshot: begun.snapshot,
        events: begun.lines,
    }
}

/// A message with a name.
fn message(name: &str, data: &impl serde::Serialize) -> String {
    // Plain fields always serialize.
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n")
}

/// The beginning of a stream of one session. In a snapshot only the last event carries the cursor:
/// a client that is disconnected before it starts over.
fn first_piece(name: &str, begun: &Beginning) -> Bytes {
    let cursor = begun.cursor.to_string();
    let begin = StreamBegin {
        session: begun.session.clone(),
        cursor: cursor.clone(),
        snapshot: begun.snapshot,
    };
    let mut out = message(name, &begin);
    for (number, line) in begun.lines.iter().enumerate() {
        let is_last = number + 1 == begun.lines.len();
        let id = match begun.snapshot || is_last {
            true => is_last.then(|| cursor.clone()),
            false => Some(cursor_of(line, &begun.cursor)),
        };
        if let Some(id) = id {
            // Writing to a string cannot fail.
            writeln!(out, "id: {id}").ok();
        }
        let data = serde_json::to_string(line).unwrap_or_default();
        write!(out, "data: {data}\n\n").ok();
    }
    out.into()
}

fn cursor_of(line: &EventLine, now: &ResumeCursor) -> String {
    let sequence = match line {
        EventLine::Event(event) => event.sequence,
        EventLine::Removed(removed) => removed.sequence,
    };
    ResumeCursor { generation: now.generation.clone(), sequence }.to_string()
}

/// An open stream.
struct Stream {
    app: App,
    pass: Pass,
    feed: Receiver<Batch>,
    follower: Follower,
    /// What to send first.
    waiting: Option<Bytes>,
    limit: usize,
    _place: Place,
}

fn stream(stream: Stream) -> Response {
    let pieces = futures_util::stream::unfold(stream, |mut stream| async move {
        let piece = stream.next().await?;
        Some((Ok::<_, Infallible>(piece), stream))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, Body::from_stream(pieces)).into_response()
}

impl Stream {
    /// The next chunk to send; `None` when the daemon ends, or the client's credentials are no
    /// longer valid.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(waiting) = self.waiting.take() {
            return Some(waiting);
        }
        loop {
            let told = tokio::select! {
                told = tokio::time::timeout(SIGN_OF_LIFE, self.feed.recv()) => told,
                () = self.pass.ended(&self.app) => return None,
            };
            if !self.pass.holds(&self.app) {
                return None;
            }
            let batch = match told {
                // Nothing came for a while.
                Err(_) => return Some(Bytes::from_static(b":\n\n")),
                Ok(Err(RecvError::Closed)) => return None,
                Ok(Err(RecvError::Lagged(_))) => return self.begin_anew().await,
                Ok(Ok(batch)) => batch,
            };
            let mut pieces = Vec::new();
            let mut whole = self.take(&batch, &mut pieces);
            while whole && pieces.len() < PIECE {
                whole = match self.feed.try_recv() {
                    Ok(batch) => self.take(&batch, &mut pieces),
                    Err(TryRecvError::Lagged(_)) => false,
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                };
            }
            if !whole {
                pieces.extend(self.begin_anew().await);
            }
            match pieces.as_slice() {
                [] => {}
                [one] => return Some(one.clone()),
                many => return Some(many.concat().into()),
            }
        }
    }

    /// Takes what the client wants of a batch; `false` when it must start over.
    fn take(&mut self, batch: &[Frame], pieces: &mut Vec<Bytes>) -> bool {
        for frame in batch {
            match self.follower.judge(frame) {
                Fate::Give => pieces.push(sse(frame)),
                Fate::Skip => {}
                Fate::Begin => return false,
            }
        }
        true
    }

    /// Tells a client that it was too slow, and continues from the current state.
    async fn begin_anew(&mut self) -> Option<Bytes> {
        Counts::one(&self.app.counts().lagged);
        // Updates from the meantime are in the index.
        self.feed = self.feed.resubscribe();
        let followed = self.follower.sessions.iter().next().map(|(id, at)| (*id, at.cursor()));
        let Some((session, had)) = followed else {
            // If this fails, the stream ends and its client reconnects.
            return snapshot_of_all(&self.app).await.ok();
        };
        let limit = self.limit;
        let begun =
            self.app.ask(move |handle| again(handle, session, Some(&had), limit)).await.ok()?;
        self.follower = Follower::of(session, begun.cursor.clone());
        Some(first_piece("lagged", &begun))
    }
}

/// Starts over, after the last change a subscriber received if that is known.
pub(super) fn again(
    handle: &Handle,
    session: SessionId,
    had: Option<&ResumeCursor>,
    limit: usize,
) -> Result<Beginning, DaemonError> {
    let after = had.map(ResumeCursor::to_string);
    begin(handle, &Target::Id(session.to_string()), after.as_deref(), limit)
}

fn sse(frame: &Frame) -> Bytes {
    match frame {
        Frame::Event(event) => event.sse.clone(),
        Frame::Status(status) => status.sse.clone(),
        Frame::Approval(approval) => approval.sse.clone(),
        Frame::Finding(finding) => finding.sse.clone(),
        Frame::Reading(reading) => reading.sse.clone(),
        Frame::Read | Frame::Gap => Bytes::new(),
    }
}
