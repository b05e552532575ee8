//! The daemon's client: HTTP over its socket, one connection for each request.
//!
//! The client parses only the responses of our own server; anything else is an error.

mod body;
#[cfg(target_os = "linux")]
#[path = "client/peer/linux.rs"]
mod peer;
#[cfg(target_os = "macos")]
#[path = "client/peer/macos.rs"]
mod peer;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "client/peer/unsupported.rs"]
mod peer;
mod stream;
mod trust;

use crate::{DAEMON_FILE, DaemonPlace, Envelope, ErrorBody};
use body::{Body, Head};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
pub use stream::{Lines, Update, Updates};

/// How long the client waits for an answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer that the client reads whole.
const LONGEST: u64 = 1 << 30;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No daemon listens.
    #[error("no daemon answers")]
    Unreachable(#[source] std::io::Error),
    /// The daemon answered with an error.
    #[error("{}", .0.message)]
    Refused(Box<ErrorBody>),
    /// The connection broke, or the answer took too long.
    #[error("the daemon broke off: {0}")]
    Broken(#[source] std::io::Error),
    /// The answer could not be parsed.
    #[error("the daemon's answer makes no sense: {0}")]
    Garbled(String),
}

/// A client of the daemon.
#[derive(Debug, Clone)]
pub struct Client {
    way: Way,
    timeout: Option<Duration>,
}

/// Opens a connection to the API in this process.
type Opener = Arc<dyn Fn() -> io::Result<UnixStream> + Send + Sync>;

/// How the API is reached.
#[derive(Clone)]
enum Way {
    /// A daemon's socket.
    Socket(PathBuf),
    /// The same routes in this process, while no daemon runs.
    Local(Opener),
}

impl std::fmt::Debug for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Socket(path) => f.debug_tuple("Socket").field(path).finish(),
            Self::Local(_) => f.write_str("Local"),
        }
    }
}

impl Client {
    /// Finds the daemon by our state folder, by the file in it that names the socket, or by the
    /// socket itself, and checks that the daemon answers.
    ///
    /// # Errors
    /// If no daemon answers.
    pub fn connect(place: &Path) -> Result<Self, ClientError> {
        let file = if place.is_dir() { place.join(DAEMON_FILE) } else { place.to_owned() };
        let socket = match file.extension().is_some_and(|it| it == "json") {
            true => read_place(&file)?.socket,
            false => file,
        };
        let client = Self { way: Way::Socket(socket), timeout: Some(TIMEOUT) };
        client.open().map(|_| client)
    }

    /// A client of the API in this process; `open` makes a connection to it.
    pub fn local(open: impl Fn() -> io::Result<UnixStream> + Send + Sync + 'static) -> Self {
        Self { way: Way::Local(Arc::new(open)), timeout: None }
    }

    /// The same client with another timeout; `None` waits forever.
    #[must_use]
    pub fn with_timeout(&self, timeout: Option<Duration>) -> Self {
        Self { timeout, ..self.clone() }
    }

    /// Sends a `GET`.
    ///
    /// # Errors
    /// If the daemon does not answer, or answers with an error.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        read_whole(self.send("GET", path, None, "application/json")?)
    }

    /// Sends a `POST`.
    ///
    /// # Errors
    /// If the daemon does not answer, or answers with an error.
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|it| ClientError::Garbled(it.to_string()))?;
        read_whole(self.send("POST", path, Some(&body), "application/json")?)
    }

    /// Sends a `DELETE`.
    ///
    /// # Errors
    /// If the daemon does not answer, or answers with an error.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        read_whole(self.send("DELETE", path, Some(b"{}"), "application/json")?)
    }

    /// Follows a stream; each item is one message. The daemon sends a sign of life at least every
    /// 15 seconds; a longer silence ends the stream.
    ///
    /// # Errors
    /// If the daemon does not answer, or answers with an error.
    pub fn follow(&self, path: &str) -> Result<Updates, ClientError> {
        Ok(Updates::new(self.send("GET", path, None, "text/event-stream")?))
    }

    /// Follows a stream and yields only the data of its events, one JSON document each. For an
    /// answer in lines it yields the lines.
    ///
    /// # Errors
    /// If the daemon does not answer, or answers with an error.
    pub fn lines(&self, path: &str) -> Result<Lines, ClientError> {
        Ok(Lines::new(self.send("GET", path, None, "text/event-stream, application/x-ndjson")?))
    }

    /// A connection to the daemon, for whoever passes on the requests of another host.
    ///
    /// # Errors
    /// If no daemon answers.
    pub fn stream(&self) -> io::Result<UnixStream> {
        match &self.way {
            Way::Local(open) => open(),
            Way::Socket(socket) => {
                trust::check_place(socket)?;
                let stream = UnixStream::connect(socket)?;
                trust::check_peer(&stream)?;
                Ok(stream)
            }
        }
    }

    fn open(&self) -> Result<UnixStream, ClientError> {
        let stream = self.stream().map_err(ClientError::Unreachable)?;
        stream.set_read_timeout(self.timeout).map_err(ClientError::Broken)?;
        stream.set_write_timeout(self.timeout).map_err(ClientError::Broken)?;
        Ok(stream)
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
        accept: &str,
    ) -> Result<Body, ClientError> {
        if path.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(ClientError::Garbled(format!("`{path}` is not a path")));
        }
        let mut stream = self.open()?;
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\n\
             connection: close\r\n"
        );
        if let Some(body) = body {
            let length = body.len();
            head += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        let parts = [head.as_bytes(), b"\r\n", body.unwrap_or_default()];
        stream.write_all(&parts.concat()).map_err(ClientError::Broken)?;
        let mut reader = BufReader::with_capacity(64 * 1024, stream);
        let head = Head::read(&mut reader)?;
        let status = head.status;
        let body = Body::new(reader, &head);
        if (200..300).contains(&status) { Ok(body) } else { Err(refusal(status, body)) }
    }
}

fn read_place(file: &Path) -> Result<DaemonPlace, ClientError> {
    let text = trust::read(file).map_err(ClientError::Unreachable)?;
    serde_json::from_slice(&text).map_err(|it| ClientError::Garbled(it.to_string()))
}

fn read_whole<T: DeserializeOwned>(body: Body) -> Result<T, ClientError> {
    let bytes = whole(body)?;
    serde_json::from_slice(&bytes).map_err(|it| ClientError::Garbled(it.to_string()))
}

fn whole(body: Body) -> Result<Vec<u8>, ClientError> {
    let mut bytes = Vec::new();
    body.take(LONGEST).read_to_end(&mut bytes).map_err(ClientError::Broken)?;
    Ok(bytes)
}

fn refusal(status: u16, body: Body) -> ClientError {
    let envelope = whole(body).ok().and_then(|it| serde_json::from_slice::<Envelope>(&it).ok());
    match envelope {
        Some(envelope) => ClientError::Refused(Box::new(envelope.error)),
        None => ClientError::Garbled(format!("it answered with {status}")),
    }
}

/// A path with percent-encoded parameters.
#[must_use]
pub fn path(route: &str, parameters: &[(&str, &str)]) -> String {
    let mut out = route.to_owned();
    for (number, (name, value)) in parameters.iter().enumerate() {
        out.push(if number == 0 { '?' } else { '&' });
        out += name;
        out.push('=');
        out += &escaped(value);
    }
    out
}

/// Percent-encodes a part of a path or a parameter.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                out.push(char::from(byte));
            }
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests;
