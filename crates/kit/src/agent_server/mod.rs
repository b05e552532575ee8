//! A server that the agent itself runs: it reports the status of its sessions and takes answers to
//! approval requests.

pub mod report;
mod reported_request;
mod transport;

pub use reported_request::ReportedRequest;
pub use transport::{Feed, HttpAddress, Outgoing, Transport, is_path_part, query_value};

use crate::{Answer, Request};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::approval::Decision;
use taffrail_model::{Process, Timestamp, hash};

/// The most threads or requests remembered for one connection; a server has far fewer open at a
/// time.
const MOST: usize = 10_000;

/// How to talk to an agent's server.
#[derive(Debug)]
pub struct ServerPlan {
    /// Where the server is, and what carries its messages.
    pub transport: Transport,
    /// The messages sent first; a server that is polled gets them at every poll.
    pub hello: fn() -> Vec<Outgoing>,
    /// Reads one message of the server.
    pub read: fn(&mut ServerState, &str) -> Vec<ServerMessage>,
    /// Writes the answer to the request with this key.
    pub answer: fn(&str, &Answer) -> Outgoing,
}

/// The state of one connection to a server.
#[derive(Debug, Default)]
pub struct ServerState {
    /// The server's own process.
    pub process: Option<Process>,
    /// The kind of every thread that the server announced.
    kinds: BTreeMap<String, ThreadKind>,
    subscribed: BTreeSet<String>,
    /// The open requests, by the server's id.
    open: BTreeMap<String, OpenRequest>,
    /// The last reported status of each session.
    reported: BTreeMap<String, String>,
}

/// A request that nobody answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    /// The session that asks.
    pub session: String,
    /// The digest of its input.
    pub mark: String,
}

/// The kind of a thread of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadKind {
    /// The agent's own work, such as finding a title.
    Internal,
    /// A session of the user's.
    Session,
}

/// The meaning of a server's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerMessage {
    /// The status of a session: an entry for the journal.
    Status(String),
    /// A message to send back.
    Reply(Outgoing),
    /// An approval request, open in the agent and here: the first answer counts.
    Request(Box<ServerRequest>),
    /// The agent accepted an answer to the request with this nonce, whoever gave it.
    Settled { nonce: String, decision: Decision },
}

/// A request that came through a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRequest {
    /// The server's id of the request, as `answer` needs it.
    pub key: String,
    /// Equal only for repetitions of the same request.
    pub nonce: String,
    /// When the agent first asked.
    pub at: Option<Timestamp>,
    /// The agent's own id of the call, if the server names it.
    pub call: Option<String>,
    /// The request itself.
    pub request: Request,
    /// The session's status as an entry for the journal.
    pub status: String,
}

/// The nonce of a request: equal for the same words of the server about it.
#[must_use]
pub fn request_nonce(words: &[&str]) -> String {
    let bytes: Vec<_> = words.iter().map(|it| it.as_bytes()).collect();
    hash::to_hex(&hash::digest("server-request", &bytes))
}

impl ServerState {
    /// The state of a new connection to the server with this process.
    #[must_use]
    pub fn with(process: Option<Process>) -> Self {
        Self { process, ..Self::default() }
    }

    /// The kind of a thread; `None` for a thread that began before the connection.
    pub fn kind_of(&self, thread: &str) -> Option<ThreadKind> {
        self.kinds.get(thread).copied()
    }

    pub fn remember_kind(&mut self, thread: &str, kind: ThreadKind) {
        if self.kinds.len() < MOST {
            self.kinds.insert(thread.to_owned(), kind);
        }
    }

    /// Forgets a thread that is closed.
    pub fn forget(&mut self, thread: &str) {
        self.kinds.remove(thread);
        self.subscribed.remove(thread);
    }

    /// Subscribes to a thread's requests; false if the subscription exists already.
    pub fn subscribe(&mut self, thread: &str) -> bool {
        self.subscribed.len() < MOST && self.subscribed.insert(thread.to_owned())
    }

    /// Ends a subscription; false if there was none.
    pub fn unsubscribe(&mut self, thread: &str) -> bool {
        self.subscribed.remove(thread)
    }

    /// Remembers an open request; false if it is known already.
    pub fn open_request(&mut self, id: &str, request: OpenRequest) -> bool {
        let is_new = self.open.len() < MOST && !self.open.contains_key(id);
        if is_new {
            self.open.insert(id.to_owned(), request);
        }
        is_new
    }

    /// Forgets a request, and returns it; `None` if it is not known.
    pub fn close_request(&mut self, id: &str) -> Option<OpenRequest> {
        self.open.remove(id)
    }

    /// The ids of the open requests of a session.
    pub fn requests_of(&self, session: &str) -> Vec<String> {
        let of_it = self.open.iter().filter(|(_, it)| it.session == session);
        of_it.map(|(id, _)| id.clone()).collect()
    }

    /// Whether this connection reported anything about a session.
    pub fn knows(&self, session: &str) -> bool {
        self.reported.contains_key(session)
    }

    /// Remembers the status of a session; false if it is the one that was reported last.
    pub fn is_new_status(&mut self, session: &str, status: &str) -> bool {
        if self.reported.get(session).is_some_and(|it| it == status) {
            return false;
        }
        if self.reported.len() >= MOST {
            self.reported.clear();
        }
        self.reported.insert(session.to_owned(), status.to_owned());
        true
    }
}
