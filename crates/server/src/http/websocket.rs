//! The websocket: the subscriptions of one client, in order and bounded.
//!
//! Waiting messages are sent in one piece. A client that does not read in time falls behind, is
//! told so, and continues from a snapshot. A client that reads nothing at all is disconnected.

mod messages;

use super::api_error::ApiError;
use super::app::{App, Counts, Place};
use super::approvals::decided;
use super::auth::Pass;
use super::fanout::{Batch, Frame};
use super::follower::{At, Fate, Follower, Others};
use super::rights::RequestOrigin;
use super::sessions::recent_list;
use super::streams::{MOST, again};
use super::subscribe::{Beginning, RECENT, begin, meant};
use axum::Extension;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::SinkExt;
use messages::{Ask, error_message, init_of, init_of_all, lagged_message};
use std::time::Duration;
use taffrail_api::DecisionBody;
use taffrail_model::SessionId;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// The longest message from a client.
const LONGEST: usize = 64 * 1024;
/// Bytes that are gathered before they are sent.
const GATHERED: usize = 32 * 1024;
/// The most batches sent in one piece.
const PIECE: usize = 16;
/// The most sessions one client may follow by name.
const SESSIONS: usize = 256;
/// A message from a client is read after this many batches at the latest.
const HEARD: u8 = 8;
/// A client that reads nothing for this long is disconnected.
const PATIENCE: Duration = Duration::from_secs(30);

/// Follows sessions over a websocket: `subscribe-stream` asks, `stream-init`, `stream-event`,
/// `capture-event`, `stream-status`, `session.status` and `waiting-for-input` answer.
#[utoipa::path(get, path = "/ws", tag = "streams",
    responses((status = 101, description = "the websocket is open")))]
pub(super) async fn open_websocket(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
    origin: RequestOrigin,
    request: Request,
) -> Response {
    let (mut parts, _) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &app).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let (place, feed) = match app.follow() {
        Ok(it) => it,
        Err(fault) => return fault.into_response(),
    };
    let upgrade = upgrade.max_message_size(LONGEST).max_frame_size(LONGEST);
    let upgrade = upgrade.read_buffer_size(4 * 1024).write_buffer_size(GATHERED);
    upgrade.on_upgrade(move |socket| {
        let follower = Follower::default();
        Client { app, pass, origin, socket, feed, follower, steps: 0, _place: place }.run()
    })
}

/// One client.
struct Client {
    app: App,
    pass: Pass,
    origin: RequestOrigin,
    socket: WebSocket,
    feed: Receiver<Batch>,
    follower: Follower,
    steps: u8,
    _place: Place,
}

/// What happens next.
enum Next {
    /// An update from the loop.
    JsonBody(Result<Batch, RecvError>),
    /// A message from the client.
    Said(Option<Result<Message, axum::Error>>),
    /// The client's credentials are no longer valid.
    Ended,
}

/// The client is gone, or must go.
struct Gone;

impl From<axum::Error> for Gone {
    fn from(_: axum::Error) -> Self {
        Self
    }
}

impl Client {
    async fn run(mut self) {
        while self.step().await.is_ok() {}
        // A client that is gone needs no close frame.
        tokio::time::timeout(PATIENCE, self.socket.close()).await.ok();
    }

    /// Handles the next event within the time limit. A client whose credentials are no longer valid
    /// is neither served nor read.
    async fn step(&mut self) -> Result<(), Gone> {
        let next = self.next().await;
        if !self.pass.holds(&self.app) {
            return Err(Gone);
        }
        tokio::time::timeout(PATIENCE, self.act(next)).await.map_err(|_| Gone)?
    }

    /// Updates come first, because they are many; but every few batches the client's messages come
    /// first.
    async fn next(&mut self) -> Next {
        self.steps = (self.steps + 1) % HEARD;
        if self.steps == 0 {
            return tokio::select! {
                biased;
                said = self.socket.recv() => Next::Said(said),
                batch = self.feed.recv() => Next::JsonBody(batch),
                () = self.pass.ended(&self.app) => Next::Ended,
            };
        }
        tokio::select! {
            biased;
            batch = self.feed.recv() => Next::JsonBody(batch),
            said = self.socket.recv() => Next::Said(said),
            () = self.pass.ended(&self.app) => Next::Ended,
        }
    }

    async fn act(&mut self, next: Next) -> Result<(), Gone> {
        match next {
            Next::JsonBody(Ok(batch)) => self.pass_on(&batch).await?,
            Next::JsonBody(Err(RecvError::Lagged(_))) => self.begin_anew().await?,
            Next::Said(Some(Ok(Message::Text(text)))) => self.answer(&text).await?,
            Next::Said(Some(Ok(Message::Binary(_)))) => {
                let fault = ApiError::usage("messages are text");
                self.say(error_message(None, &fault)).await?;
            }
            Next::Said(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
            Next::Ended
            | Next::JsonBody(Err(RecvError::Closed))
            | Next::Said(Some(Ok(Message::Close(_)) | Err(_)) | None) => return Err(Gone),
        }
        self.flush().await
    }

    /// Forwards an update and all that wait behind it.
    async fn pass_on(&mut self, first: &[Frame]) -> Result<(), Gone> {
        let mut whole = self.pass_on_batch(first).await?;
        for _ in 1..PIECE {
            if !whole {
                return self.begin_anew().await;
            }
            whole = match self.feed.try_recv() {
                Ok(batch) => self.pass_on_batch(&batch).await?,
                Err(TryRecvError::Lagged(_)) => false,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Closed) => return Err(Gone),
            };
        }
        if whole { Ok(()) } else { self.begin_anew().await }
    }

    /// Forwards what the client wants of a batch; `false` when it must start over.
    async fn pass_on_batch(&mut self, batch: &[Frame]) -> Result<bool, Gone> {
        for frame in batch {
            match (self.follower.judge(frame), frame) {
                (Fate::Give, Frame::Event(event)) => self.say(event.message.clone()).await?,
                (Fate::Give, Frame::Status(status)) => {
                    for message in &status.messages {
                        self.say(message.clone()).await?;
                    }
                }
                (Fate::Give, Frame::Approval(it)) => self.say(it.message.clone()).await?,
                (Fate::Give, Frame::Finding(it)) => self.say(it.message.clone()).await?,
                (Fate::Give, Frame::Reading(it)) => self.say(it.message.clone()).await?,
                (Fate::Begin, _) => return Ok(false),
                (Fate::Skip, _) | (Fate::Give, Frame::Read | Frame::Gap) => {}
            }
        }
        Ok(true)
    }

    async fn answer(&mut self, text: &str) -> Result<(), Gone> {
        match Ask::read(text) {
            Ok(Ask::Subscribe { session: Some(word), after, limit }) => {
                self.subscribe(word, after, limit).await
            }
            Ok(Ask::Subscribe { session: None, .. }) => self.subscribe_all().await,
            Ok(Ask::Decide { id, body }) => self.decide(id, body).await,
            Ok(Ask::Unsubscribe { session: Some(word) }) => self.unsubscribe(word).await,
            Ok(Ask::Unsubscribe { session: None }) => {
                self.follower = Follower::default();
                Ok(())
            }
            Err((name, fault)) => self.say(error_message(name.as_deref(), &fault)).await,
        }
    }

    async fn subscribe(
        &mut self,
        word: String,
        after: Option<String>,
        limit: Option<usize>,
    ) -> Result<(), Gone> {
        if self.follower.sessions.len() >= SESSIONS {
            let fault = ApiError::usage("no more sessions can be followed by name");
            return self.say(error_message(Some("subscribe-stream"), &fault)).await;
        }
        let limit = limit.unwrap_or(RECENT).min(MOST);
        let begun = self
            .app
            .ask(move |handle| begin(handle, &meant(handle, &word, "")?, after.as_deref(), limit));
        match begun.await {
            Ok(begun) => self.begin(&begun).await,
            Err(fault) => self.say(error_message(Some("subscribe-stream"), &fault)).await,
        }
    }

    /// Subscribers of the session receive the decision; only a refusal needs a reply.
    async fn decide(&mut self, id: String, body: DecisionBody) -> Result<(), Gone> {
        match decided(&self.app, self.origin.clone(), id, body).await {
            Ok(_) => Ok(()),
            Err(fault) => self.say(error_message(Some("approval-decision"), &fault)).await,
        }
    }

    async fn subscribe_all(&mut self) -> Result<(), Gone> {
        self.follower.others = Others::Everything;
        match self.app.ask(recent_list).await {
            Ok(all) => self.say(init_of_all(&all)).await,
            Err(fault) => self.say(error_message(Some("subscribe-stream"), &fault)).await,
        }
    }

    async fn unsubscribe(&mut self, word: String) -> Result<(), Gone> {
        let found = self.app.ask(move |handle| {
            Ok(taffrail_query::resolve::resolve(handle.settings(), &meant(handle, &word, "")?)?.id)
        });
        match found.await {
            Ok(session) => {
                self.follower.sessions.remove(&session);
                Ok(())
            }
            Err(fault) => self.say(error_message(Some("unsubscribe-stream"), &fault)).await,
        }
    }

    /// Sends the beginning; from here on the client has all of a session.
    async fn begin(&mut self, begun: &Beginning) -> Result<(), Gone> {
        self.follower.sessions.insert(begun.session.id, At::new(begun.cursor.clone()));
        self.say(init_of(begun)).await
    }

    /// Tells a client that it was too slow, and continues from the current state.
    async fn begin_anew(&mut self) -> Result<(), Gone> {
        Counts::one(&self.app.counts().lagged);
        self.say(lagged_message()).await?;
        self.flush().await?;
        // Updates from the meantime are in the index.
        self.feed = self.feed.resubscribe();
        if self.follower.others == Others::Everything {
            self.subscribe_all().await?;
        }
        let sessions: Vec<SessionId> = self.follower.sessions.keys().copied().collect();
        for session in sessions {
            let begun = self.app.ask(move |handle| again(handle, session, None, RECENT)).await;
            match begun {
                Ok(begun) => self.begin(&begun).await?,
                Err(fault) => {
                    self.follower.sessions.remove(&session);
                    self.say(error_message(Some("subscribe-stream"), &fault)).await?;
                }
            }
        }
        Ok(())
    }

    /// Queues a message; the next flush sends it at the latest.
    async fn say(&mut self, text: Utf8Bytes) -> Result<(), Gone> {
        Ok(self.socket.feed(Message::Text(text)).await?)
    }

    async fn flush(&mut self) -> Result<(), Gone> {
        Ok(self.socket.flush().await?)
    }
}
