//! Speaking with the daemon: HTTP over its socket, one connection a question.
//!
//! Only what our own server says is understood; whatever else is garbled.

mod body;
mod stream;

use crate::{DAEMON_FILE, DaemonPlace, Envelope, ErrorBody};
use body::{Body, Head};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use stream::{Lines, Told, Tolds};

/// How long an answer may keep us waiting.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer that is read whole.
const LONGEST: u64 = 1 << 30;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens.
    #[error("no daemon answers")]
    Unreachable(#[source] std::io::Error),
    /// The daemon said no.
    #[error("{}", .0.message)]
    Told(Box<ErrorBody>),
    /// The connection broke off, or the answer took too long.
    #[error("the daemon broke off: {0}")]
    Broken(#[source] std::io::Error),
    /// The answer makes no sense.
    #[error("the daemon's answer makes no sense: {0}")]
    Garbled(String),
}

/// A way to the daemon.
#[derive(Debug, Clone)]
pub struct Client {
    socket: PathBuf,
    patience: Option<Duration>,
}

impl Client {
    /// Finds the daemon by our state folder, the file in it that says where it listens, or its
    /// socket, and makes sure that somebody answers.
    ///
    /// # Errors
    /// When nobody does.
    pub fn connect(place: &Path) -> Result<Self, ClientError> {
        let file = if place.is_dir() { place.join(DAEMON_FILE) } else { place.to_owned() };
        let socket = match file.extension().is_some_and(|it| it == "json") {
            true => read_place(&file)?.socket,
            false => file,
        };
        let client = Self { socket, patience: Some(PATIENCE) };
        client.open().map(|_| client)
    }

    /// The same with another patience; `None` waits for ever.
    #[must_use]
    pub fn with_patience(&self, patience: Option<Duration>) -> Self {
        Self { patience, ..self.clone() }
    }

    /// Asks.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        read_whole(self.send("GET", path, None, "application/json")?)
    }

    /// Asks for something to be done.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|it| ClientError::Garbled(it.to_string()))?;
        read_whole(self.send("POST", path, Some(&body), "application/json")?)
    }

    /// Asks for something to be taken away.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        read_whole(self.send("DELETE", path, Some(b"{}"), "application/json")?)
    }

    /// Follows a stream; each item is one message of it. Silence is no fault: the daemon says at
    /// least every 15 seconds that it is there, and a longer one breaks the stream off.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn follow(&self, path: &str) -> Result<Tolds, ClientError> {
        Ok(Tolds::new(self.send("GET", path, None, "text/event-stream")?))
    }

    /// Follows a stream and gives the data of its events alone, one JSON document each; of an
    /// answer in lines it gives the lines.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn lines(&self, path: &str) -> Result<Lines, ClientError> {
        Ok(Lines::new(self.send("GET", path, None, "text/event-stream, application/x-ndjson")?))
    }

    fn open(&self) -> Result<UnixStream, ClientError> {
        let stream = UnixStream::connect(&self.socket).map_err(ClientError::Unreachable)?;
        stream.set_read_timeout(self.patience).map_err(ClientError::Broken)?;
        stream.set_write_timeout(self.patience).map_err(ClientError::Broken)?;
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
            return Err(ClientError::Garbled(format!("`{path}` is no path")));
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
    let text = std::fs::read(file).map_err(ClientError::Unreachable)?;
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
    let told = whole(body).ok().and_then(|it| serde_json::from_slice::<Envelope>(&it).ok());
    match told {
        Some(envelope) => ClientError::Told(Box::new(envelope.error)),
        None => ClientError::Garbled(format!("it answered with {status}")),
    }
}

/// A path with parameters, each written so that it survives.
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

/// A text as a part of a path or a parameter.
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
