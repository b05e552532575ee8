//! Where an agent's server is found, and what carries its messages.

use std::time::Duration;

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A Unix socket below the agent's home, which carries text in WebSocket frames.
    Socket {
        /// Its path below the home.
        path: &'static str,
    },
    /// A WebSocket on loopback. A file below the agent's home names it.
    WebSocket {
        /// The file, a JSON document.
        file: &'static str,
        /// The pointer to the address, such as `ws://127.0.0.1:1/path`.
        url: &'static str,
        /// The pointer to the token.
        token: &'static str,
        /// The pointer to the pid of the server.
        pid: &'static str,
        /// The sub-protocol that carries the token, up to the token.
        protocol: &'static str,
    },
    /// HTTP on loopback.
    Http {
        /// Where the server is.
        address: HttpAddress,
        /// How its events are learnt.
        feed: Feed,
    },
}

/// Where an HTTP server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpAddress {
    /// Wherever a process of the agent listens: the agent writes no address down.
    Process,
    /// Files in a folder below the agent's home, one for each server.
    Files {
        /// The folder of JSON documents.
        folder: &'static str,
        /// The pointers to the host, the port and the pid of the server.
        host: &'static str,
        port: &'static str,
        pid: &'static str,
        /// The file below the home that holds the bearer token.
        token: &'static str,
    },
}

/// How the events of an HTTP server are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feed {
    /// From a stream of server-sent events.
    Events {
        /// Its path.
        path: &'static str,
        /// The server sends something at least as often as this. A stream that is silent for longer is lost.
        silence: Duration,
    },
    /// By sending `hello` again after this time.
    Poll(Duration),
}

/// Something to send to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// A text frame of a WebSocket.
    Frame(String),
    /// Fetches a path by HTTP. `read` gets `{"path":…,"body":…}`.
    Get { path: String },
    /// Posts JSON to a path by HTTP. The reply is not read.
    Post { path: String, body: String },
}

/// Whether an id can be a part of a path as it is. An id of another form is not one of the server's.
#[must_use]
pub fn is_path_part(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it))
}

/// A text as the value of a query.
#[must_use]
pub fn query_value(text: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._~/".contains(&it);
    let one = |it: u8| match is_plain(it) {
        true => char::from(it).to_string(),
        false => format!("%{it:02X}"),
    };
    text.bytes().map(one).collect()
}
