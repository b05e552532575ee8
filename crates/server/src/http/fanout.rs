//! Serializes the loop's updates once for all subscribers.

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

/// How many batches a subscriber may be behind before it lags.
const BEHIND: usize = 512;
/// The most updates in a batch.
const BATCH: usize = 16;

/// Recent updates of the loop, in order, shared by all subscribers.
pub(super) type Batch = Arc<[Frame]>;

/// An update, ready to be sent in either form.
#[derive(Debug)]
pub(super) enum Frame {
    /// A session has a new event.
    Event(EventFrame),
    /// The status of a session changed.
    Status(StatusFrame),
    /// A request for approval changed.
    Approval(ApprovalFrame),
    /// A finding appeared or was withdrawn.
    Finding(FindingFrame),
    /// The progress of reading history.
    Reading(ReadingFrame),
    /// History was read: every subscriber to all sessions continues from a snapshot.
    Read,
    /// The fan-out itself fell behind: every subscriber continues from a snapshot.
    Gap,
}

/// An event, ready to be sent.
#[derive(Debug)]
pub(super) struct EventFrame {
    pub(super) session: SessionId,
    /// The cursor after it; without one, the event has no position.
    pub(super) cursor: Option<ResumeCursor>,
    /// The websocket message.
    pub(super) message: Utf8Bytes,
    /// The event stream message.
    pub(super) sse: Bytes,
}

/// The status of a session, ready to be sent.
#[derive(Debug)]
pub(super) struct StatusFrame {
    pub(super) session: SessionId,
    pub(super) status: Status,
    /// The status changed; otherwise another field did, or the session was read from history.
    pub(super) is_new: bool,
    /// The websocket messages.
    pub(super) messages: Vec<Utf8Bytes>,
    /// The event stream message.
    pub(super) sse: Bytes,
}

/// The state of a request for approval, ready to be sent.
#[derive(Debug)]
pub(super) struct ApprovalFrame {
    pub(super) session: SessionId,
    /// The websocket message.
    pub(super) message: Utf8Bytes,
    /// The event stream message.
    pub(super) sse: Bytes,
}

/// A finding, ready to be sent.
#[derive(Debug)]
pub(super) struct FindingFrame {
    pub(super) session: SessionId,
    /// The websocket message.
    pub(super) message: Utf8Bytes,
    /// The event stream message.
    pub(super) sse: Bytes,
}

/// The progress of reading history, ready to be sent.
#[derive(Debug)]
pub(super) struct ReadingFrame {
    /// The websocket message.
    pub(super) message: Utf8Bytes,
    /// The event stream message.
    pub(super) sse: Bytes,
}

/// Where subscribers join; gone when the daemon ends.
#[derive(Debug)]
pub(super) struct Hub(broadcast::WeakSender<Batch>);

impl Hub {
    /// Subscribes from now on; `None` when the daemon ends.
    pub(super) fn follow(&self) -> Option<broadcast::Receiver<Batch>> {
        self.0.upgrade().map(|sender| sender.subscribe())
    }
}

/// The progress of reading history.
pub(super) type Progress = watch::Receiver<Option<HistoryProgress>>;

/// Creates a hub, and the task that forwards the loop's updates. Subscriptions end with the task.
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
                    // The last subscriber may just have left.
                    to.send(Arc::new([frame])).ok();
                    continue;
                }
                _ = stops.wait_for(|it| *it) => return,
            };
            match next {
                Ok(first) => waiting.push(first),
                Err(RecvError::Lagged(_)) => {
                    // The last subscriber may just have left.
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
            // Without subscribers, nothing needs to be serialized.
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
        UpdateKind::Row { row } => Frame::Status(same_status(session, row)),
        UpdateKind::Listed { row } => {
            Frame::Status(StatusFrame { is_new: false, ..status(session, row) })
        }
        UpdateKind::Finding { message } => Frame::Finding(finding(session, message)),
    }
}

/// Our own values always serialize.
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
    // The line is an object; its fields follow the name.
    let fields = line.strip_prefix('{').unwrap_or_default();
    let message = format!(r#"{{"type":"finding","sessionId":"{session}",{fields}"#);
    let sse = format!("event: finding\ndata: {line}\n\n").into();
    FindingFrame { session, message: message.into(), sse }
}

/// The name of the websocket message for an event: `stream-event` for parts of a conversation,
/// `capture-event` for the rest.
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

/// A row whose status was sent before: only the message with the whole row is sent again.
fn same_status(session: SessionId, row: &Session) -> StatusFrame {
    let mut frame = status(session, row);
    frame.messages.truncate(1);
    StatusFrame { is_new: false, ..frame }
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
