//! Requests as written on the wire, valid or not.

use super::{Machine, PATIENCE};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A response as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    /// The body as JSON.
    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends bytes and reads until the response is complete, the other side closes, or a websocket is
/// open.
pub(super) fn send(address: SocketAddr, request: &str) -> Answer {
    send_bytes(address, request.as_bytes())
}

/// The same for a body that is not text. A server that refuses a body may hang up before it is
/// complete.
pub(super) fn send_bytes(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request).ok();
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).unwrap_or(0);
        bytes.extend_from_slice(&piece[..count]);
        if count == 0 || bytes.starts_with(b"HTTP/1.1 101") || is_whole(&bytes) {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// True if it is as long as its head says.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    let length = fields.find(|(name, _)| *name == "content-length");
    length.is_some_and(|(_, length)| length.parse() == Ok(body.len()))
}

impl Machine {
    pub(super) fn address(&self) -> SocketAddr {
        self.server().http().unwrap()
    }

    /// A request over loopback with the token and these extra headers.
    pub(super) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let (address, token) = (self.address(), self.token());
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        send(address, &request)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "")
    }

    pub(super) fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, "Content-Type: application/json\r\n", body)
    }
}
