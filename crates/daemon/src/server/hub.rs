//! What the loop tells, written once for all who follow.

use crate::live::{Told, What};
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Where followers are taken in; it is gone when the daemon ends.
#[derive(Debug)]
pub(super) struct Hub(broadcast::WeakSender<Batch>);

impl Hub {
    /// Listens from now on; `None` when the daemon ends.
    pub(super) fn follow(&self) -> Option<broadcast::Receiver<Batch>> {
        self.0.upgrade().map(|sender| sender.subscribe())
    }
}

/// A hub, and the task that passes on what the loop tells. Followers end with the task.
pub(super) fn open(
    mut from: broadcast::Receiver<Arc<Told>>,
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

fn written(told: &Told) -> Frame {
    match &told.what {
        What::Event { line, cursor } => Frame::Event(event(told.session, line, cursor)),
        What::Approval { row, verdict } => Frame::Approval(approval(told.session, row, verdict)),
        What::Status { row } => Frame::Status(status(told.session, row)),
        What::Finding { line } => Frame::Finding(finding(told.session, line)),
    }
}

fn event(session: SessionId, line: &str, cursor: &str) -> EventFrame {
    let name = name_of(line);
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

fn finding(session: SessionId, line: &str) -> FindingFrame {
    // The line is an object; its fields stand beside the name.
    let fields = line.strip_prefix('{').unwrap_or_default();
    let message = format!(r#"{{"type":"finding","sessionId":"{session}",{fields}"#);
    let sse = format!("event: finding\ndata: {line}\n\n").into();
    FindingFrame { session, message: message.into(), sse }
}

/// What a message of the websocket that carries this event is called: what is part of a
/// conversation is `stream-event`, the rest of a session's life `capture-event`.
pub(super) fn name_of(line: &str) -> &'static str {
    #[derive(Deserialize)]
    struct Line {
        kind: Kind,
    }
    // A line we cannot read says something all the same.
    let kind = serde_json::from_str::<Line>(line).map(|it| it.kind);
    match kind.unwrap_or(Kind::Notice) {
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

fn approval(session: SessionId, row: &str, verdict: &str) -> ApprovalFrame {
    let body = format!(r#""sessionId":"{session}","approval":{row},"decision":{verdict}"#);
    ApprovalFrame {
        session,
        message: format!(r#"{{"type":"approval-decision",{body}}}"#).into(),
        sse: format!("event: approval\ndata: {{{body}}}\n\n").into(),
    }
}

#[derive(Deserialize)]
struct Row {
    status: Status,
    waiting_for: Option<serde_json::Value>,
}

fn status(session: SessionId, row: &str) -> StatusFrame {
    let read = serde_json::from_str::<Row>(row);
    let Row { status, waiting_for } =
        read.unwrap_or(Row { status: Status::Unknown, waiting_for: None });
    let (word, working) = (status.as_str(), status == Status::Running);
    let mut messages = vec![
        format!(r#"{{"type":"stream-status","sessionId":"{session}","session":{row}}}"#),
        format!(
            r#"{{"type":"session.status","sessionId":"{session}","status":"{word}","working":{working}}}"#
        ),
    ];
    if let (Status::Waiting | Status::WaitingApproval, Some(what)) = (status, waiting_for) {
        messages.push(format!(
            r#"{{"type":"waiting-for-input","sessionId":"{session}","waitingFor":{what}}}"#
        ));
    }
    StatusFrame {
        session,
        status,
        messages: messages.into_iter().map(Utf8Bytes::from).collect(),
        sse: format!("event: status\ndata: {row}\n\n").into(),
    }
}
