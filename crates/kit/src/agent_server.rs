//! A server that the agent itself runs: it reports the status of its sessions and takes answers to
//! approval requests.

use crate::{Answer, Request};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::{Process, Timestamp};

/// The most threads remembered for one connection; a server has far fewer open at a time.
const MOST: usize = 10_000;

/// How to talk to an agent's server.
#[derive(Debug)]
pub struct ServerPlan {
    /// The socket, below the agent's home. It carries text in WebSocket frames.
    pub socket: &'static str,
    /// The messages sent first.
    pub hello: &'static [&'static str],
    /// Reads one message of the server.
    pub read: fn(&mut ServerState, &str) -> Vec<ServerMessage>,
    /// Writes the answer to a request.
    pub answer: fn(&str, &Answer) -> String,
}

/// The state of one connection to a server.
#[derive(Debug, Default)]
pub struct ServerState {
    /// The server's own process.
    pub process: Option<Process>,
    /// The kind of every thread that the server announced.
    kinds: BTreeMap<String, ThreadKind>,
    subscribed: BTreeSet<String>,
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
    Reply(String),
    /// An approval request, open in the agent and here: the first answer counts.
    Request(Box<ServerRequest>),
}

/// A request that came through a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRequest {
    /// The server's id of the request.
    pub key: String,
    /// Equal only for repetitions of the same request.
    pub nonce: String,
    /// When the agent first asked.
    pub at: Option<Timestamp>,
    /// The request itself.
    pub request: Request,
    /// The session's status as an entry for the journal.
    pub status: String,
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
}
