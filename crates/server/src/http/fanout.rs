//! What the loop tells, written once for all who follow.

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_api::{ApprovalRow, EventLine, FindingMessage, HistoryProgress, Session};
use taffrail_context::{Update, UpdateKind};
use taffrail_model::approval::Verdict;
use taffrail_model::status::Status;
use taffrail_model::{Kind, ResumeCursor, SessionId};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// Batches a follower may be behind before it is cut back.
const BEHIND: usize = 512;
/// The most messages that are passed on as one.
const BATCH: usize = 16;

/// What the loop told of late, in order, shared by all who follow.
pub(super) type Batch = Arc<[Frame]>;

/// Something the loop told, ready to be sent in either form.
#[derive(Debug)]
pub(super) enum Frame {
    /// A session has another event.
    Event(EventFrame),
    /// A session stands differently.
    Status(StatusFrame),
    /// A request for approval stands differently.
    Approval(ApprovalFrame),
    /// A finding of a session came or is over.
    Finding(FindingFrame),
    /// History is being read, so far.
    Reading(ReadingFrame),
    /// History was read: everybody who follows all sessions goes on from a snapshot.
    Read,
    /// We fell behind ourselves: everybody goes on from a snapshot.
    Gap,
}

/// An event, ready to be sent.
#[derive(Debug)]
pub(super) struct EventFrame {
    pub(super) session: SessionId,
    /// Where to go on after it; without one it cannot be placed.
    pub(super) cursor: Option<ResumeCursor>,
    /// As a message of the websocket.
    pub(super) message: Utf8Bytes,
    /// As a message of an event stream.
    pub(super) sse: Bytes,
}

/// How a session stands, ready to be sent.
#[derive(Debug)]
pub(super) struct StatusFrame {
    pub(super) session: SessionId,
    pub(super) status: Status,
    /// Its status changed; otherwise the session was only read from history.
    pub(super) is_new: bool,
    /// As messages of the websocket.
    pub(super) messages: Vec<Utf8Bytes>,
    /// As a message of an event stream.
    pub(super) sse: Bytes,
}

/// How a request for approval stands, ready to be sent.
#[derive(Debug)]
pub(super) struct ApprovalFrame {
    pub(super) session: SessionId,
    /// As a message of the websocket.
    pub(super) message: Utf8Bytes,
    /// As a message of an event stream.
    pub(super) sse: Bytes,
}

/// A finding, ready to be sent.
#[derive(Debug)]
pub(super) struct FindingFrame {
    pub(super) session: SessionId,
    /// As a message of the websocket.
    pub(super) message: Utf8Bytes,
    /// As a message of an event stream.
    pub(super) sse: Bytes,
}

/// How far the reading of history is, ready to be sent.
#[derive(Debug)]
pub(super) struct ReadingFrame {
    /// As a message of the websocket.
    pub(super) message: Utf8Bytes,
    /// As a message of an event stream.
    pub(super) sse: Bytes,
}

/// Where followers are taken in; it is gone when the daemon ends.
#[derive(Debug)]
pub(super) struct Hub(broadcast::WeakSender<Batch>);

impl Hub {
    /// Listens from now on; `None` when the daemon ends.
    pub(super) fn follow(&self) -> Option<broadcast::Receiver<Batch>> {
        self.0.upgrade().map(|sender| sender.subscribe())
    }
}

/// How far the reading of history is, as it goes on.
pub(super) type Progress = watch::Receiver<Option<HistoryProgress>>;

/// A hub, and the task that passes on what the loop tells. Followers end with the task.
pub(super) fn open(
    (mut from, mut reading): (broadcast::Receiver<Arc<Update>>, Progress),
    told: Arc<AtomicU64>,
    mut stops: watch::Receiver<bool>,
) -> (Hub, impl Future<Output = ()> + Send + 'static) {
    let (to, _) = broadcast::channel(BEHIND);
    let hub = Hub(to.downgrade());
    let pump = async move {
        let mut waiting = Vec::with_capacity(BATCH);
        loop {
            let next = tokio::select! {
                next = from.recv() => next,
                Ok(()) = reading.changed() => {
                    let frame = reading_frame(*reading.borrow_and_update());
                    // The last follower may just have left.
                    to.send(Arc::new([frame])).ok();
                    continue;
                }
                _ = stops.wait_for(|it| *it) => return,
            };
            match next {
                Ok(first) => waiting.push(first),
                Err(RecvError::Lagged(_)) => {
                    // The last follower may just have left.
                    to.send(Arc::new([Frame::Gap])).ok();
                    continue;
                }
                Err(RecvError::Closed) => return,
            }
            while waiting.len() < BATCH
                && let Ok(next) = from.try_recv()
            {
                waiting.push(next);
            }
            told.fetch_add(waiting.len() as u64, Ordering::Relaxed);
            let batch = waiting.drain(..);
            // Where nobody follows, nothing needs to be written.
            if to.receiver_count() > 0 {
                to.send(batch.map(|it| written(&it)).collect()).ok();
            }
        }
    };
    (hub, pump)
}

fn written(update: &Update) -> Frame {
    let session = update.session;
    match &update.what {
        UpdateKind::Event { line, cursor } => Frame::Event(event(session, line, cursor)),
        UpdateKind::Approval { row, verdict } => {
            Frame::Approval(approval(session, row, verdict.as_ref()))
        }
        UpdateKind::Status { row } => Frame::Status(status(session, row)),
        UpdateKind::Listed { row } => {
            Frame::Status(StatusFrame { is_new: false, ..status(session, row) })
        }
        UpdateKind::Finding { message } => Frame::Finding(finding(session, message)),
    }
}

/// Our own values can always be written as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn reading_frame(progress: Option<HistoryProgress>) -> Frame {
    let Some(progress) = progress else { return Frame::Read };
    let line = json(&progress);
    Frame::Reading(ReadingFrame {
        message: format!(r#"{{"type":"history-progress","reading":{line}}}"#).into(),
        sse: format!("event: reading\ndata: {line}\n\n").into(),
    })
}

fn event(session: SessionId, line: &EventLine, cursor: &str) -> EventFrame {
    let (name, line) = (name_of(line), json(line));
    let message = format!(
        r#"{{"type":"{name}","sessionId":"{session}","cursor":"{cursor}","event":{line}}}"#
    );
    EventFrame {
        session,
        cursor: ResumeCursor::parse(cursor),
        message: message.into(),
        sse: format!("id: {cursor}\ndata: {line}\n\n").into(),
    }
}

fn finding(session: SessionId, message: &FindingMessage) -> FindingFrame {
    let line = json(message);
    // The line is an object; its fields stand beside the name.
    let fields = line.strip_prefix('{').unwrap_or_default();
    let message = format!(r#"{{"type":"finding","sessionId":"{session}",{fields}"#);
    let sse = format!("event: finding\ndata: {line}\n\n").into();
    FindingFrame { session, message: message.into(), sse }
}

/// What a message of the websocket that carries this event is called: what is part of a
/// conversation is `stream-event`, the rest of a session's life `capture-event`.
fn name_of(line: &EventLine) -> &'static str {
    let kind = match line {
        EventLine::Event(event) => &event.kind,
        EventLine::Removed(removed) => &removed.kind,
    };
    match kind {
        Kind::UserPrompt
        | Kind::AssistantDelta
        | Kind::AssistantMessage
        | Kind::AssistantThinking
        | Kind::ToolCall
        | Kind::ToolResult
        | Kind::Error
        | Kind::EventRemoved => "stream-event",
        _ => "capture-event",
    }
}

fn approval(session: SessionId, row: &ApprovalRow, verdict: Option<&Verdict>) -> ApprovalFrame {
    let (row, verdict) = (json(row), json(&verdict));
    let body = format!(r#""sessionId":"{session}","approval":{row},"decision":{verdict}"#);
    ApprovalFrame {
        session,
        message: format!(r#"{{"type":"approval-decision",{body}}}"#).into(),
        sse: format!("event: approval\ndata: {{{body}}}\n\n").into(),
    }
}

fn status(session: SessionId, session_row: &Session) -> StatusFrame {
    let (status, row) = (session_row.status, json(session_row));
    let (word, working) = (status.as_str(), status == Status::Running);
    let mut messages = vec![
        format!(r#"{{"type":"stream-status","sessionId":"{session}","session":{row}}}"#),
        format!(
            r#"{{"type":"session.status","sessionId":"{session}","status":"{word}","working":{working}}}"#
        ),
    ];
    if let (Status::Waiting | Status::WaitingApproval, Some(what)) =
        (status, &session_row.waiting_for)
    {
        let what = json(what);
        messages.push(format!(
            r#"{{"type":"waiting-for-input","sessionId":"{session}","waitingFor":{what}}}"#
        ));
    }
    StatusFrame {
        session,
        status,
        is_new: true,
        messages: messages.into_iter().map(Utf8Bytes::from).collect(),
        sse: format!("event: status\ndata: {row}\n\n").into(),
    }
}
