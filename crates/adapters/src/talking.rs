//! A server of an agent's own, that tells how its sessions stand and takes answers to its requests.

use crate::{Answer, Request};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::{Process, Timestamp};

/// So many sessions are remembered of one server; it has far fewer open at a time.
const MOST: usize = 10_000;

/// What an adapter says about its agent's server.
#[derive(Debug)]
pub struct ServerPlan {
    /// Its socket, below the agent's home. It speaks text in WebSocket frames.
    pub socket: &'static str,
    /// What is said to it first.
    pub hello: &'static [&'static str],
    /// What a message of it means.
    pub hear: fn(&mut Talk, &str) -> Vec<ServerSays>,
    /// How a request is answered.
    pub answer: fn(&str, &Answer) -> String,
}

/// What is remembered of one talk with a server.
#[derive(Debug, Default)]
pub struct Talk {
    /// The server's own process.
    pub process: Option<Process>,
    /// Every session it told us of, and whether that is none.
    known: BTreeMap<String, Passing>,
    attended: BTreeSet<String>,
}

/// Whether this is something the agent does for itself, and no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    Yes,
    No,
}

/// What a message of a server means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerSays {
    /// How a session stands: an entry for the journal.
    Stands(String),
    /// To be said in return.
    Reply(String),
    /// A person is asked, at the agent and here: the first answer counts.
    Asks(Box<ServerAsks>),
}

/// A request that came through a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAsks {
    /// How the server names it.
    pub key: String,
    /// Equal only for the same request, however often it is told.
    pub nonce: String,
    /// When a person was asked first.
    pub at: Option<Timestamp>,
    /// What for.
    pub request: Request,
    /// The same for the journal.
    pub stands: String,
}

impl Talk {
    /// A talk with the server that is this process.
    #[must_use]
    pub fn with(process: Option<Process>) -> Self {
        Self { process, ..Self::default() }
    }

    /// What it is; none where the server has not said, as of one that began before the talk.
    pub(crate) fn known(&self, thread: &str) -> Option<Passing> {
        self.known.get(thread).copied()
    }

    pub(crate) fn know(&mut self, thread: &str, it: Passing) {
        if self.known.len() < MOST {
            self.known.insert(thread.to_owned(), it);
        }
    }

    /// It is over, whatever it was.
    pub(crate) fn forget(&mut self, thread: &str) {
        self.known.remove(thread);
        self.attended.remove(thread);
    }

    /// From now on its requests are told here; false where they are already.
    pub(crate) fn attend(&mut self, thread: &str) -> bool {
        self.attended.len() < MOST && self.attended.insert(thread.to_owned())
    }

    /// No longer; false where they never were.
    pub(crate) fn leave(&mut self, thread: &str) -> bool {
        self.attended.remove(thread)
    }
}
