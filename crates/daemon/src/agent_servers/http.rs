//! Servers that speak HTTP on loopback.

use super::connection::Connection;
use super::events::Events;
use super::{MESSAGE, connect_to};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use taffrail_adapters::{Feed, Outgoing};
use taffrail_capture::{Listener, Token};
use tokio::time::{Instant, sleep_until, timeout};

/// How long a server may take to reply.
const PATIENCE: Duration = Duration::from_secs(10);
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// A server, and the secret it asks for.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) listener: Listener,
    pub(super) token: Option<Token>,
}

/// Listens until the server is gone. `joined` is called once the server proved to be one.
pub(super) async fn listen(
    mut connection: Connection<'_>,
    server: &Server,
    (feed, joined): (Feed, impl FnOnce()),
) -> io::Result<()> {
    // The stream begins before the first query, so that nothing falls between them.
    let mut events = match feed {
        Feed::Events { path, silence } => Some((server.events(path).await?, silence)),
        Feed::Poll(_) => None,
    };
    let hello = connection.hello();
    server.deliver(&mut connection, hello).await?;
    joined();
    loop {
        let outgoing = tokio::select! {
            event = next(&mut events) => match event? {
                Some(text) => connection.received(&text).await?,
                None => return Ok(()),
            },
            answer = connection.next_answer() => answer.into_iter().collect(),
            () = poll(feed) => connection.hello(),
        };
        server.deliver(&mut connection, outgoing).await?;
    }
}

async fn next(events: &mut Option<(Events, Duration)>) -> io::Result<Option<String>> {
    match events {
        Some((events, silence)) => timeout(*silence, events.next()).await?,
        None => std::future::pending().await,
    }
}

/// Waits for the next poll; for ever where events come by themselves.
async fn poll(feed: Feed) {
    match feed {
        Feed::Events { .. } => std::future::pending().await,
        Feed::Poll(every) => sleep_until(Instant::now() + every).await,
    }
}

impl Server {
    /// Sends everything, also what the replies lead to.
    async fn deliver(&self, to: &mut Connection<'_>, outgoing: Vec<Outgoing>) -> io::Result<()> {
        let mut queue = VecDeque::from(outgoing);
        while let Some(it) = queue.pop_front() {
            match it {
                Outgoing::Get { path } => {
                    let reply = self.get(&path).await?;
                    queue.extend(to.received(&reply).await?);
                }
                Outgoing::Post { path, body } => self.post(&path, body).await?,
                Outgoing::Frame(_) => return Err(io::Error::other("this server takes requests")),
            }
        }
        Ok(())
    }

    /// A reply, as `read` gets it.
    async fn get(&self, path: &str) -> io::Result<String> {
        let reply = timeout(PATIENCE, self.send("GET", path, String::new())).await??;
        let body = Limited::new(checked(reply)?.into_body(), MESSAGE);
        let body = timeout(PATIENCE, body.collect()).await?.map_err(io::Error::other)?;
        let body: Box<RawValue> = serde_json::from_slice(&body.to_bytes())?;
        Ok(json!({ "path": path, "body": body }).to_string())
    }

    /// Posts an answer. A refused one is not an error: somebody else was first, and the server
    /// reports that, too.
    async fn post(&self, path: &str, body: String) -> io::Result<()> {
        let reply = timeout(PATIENCE, self.send("POST", path, body)).await??;
        let status = reply.status();
        if !status.is_success() {
            tracing::info!(status = status.as_u16(), "an agent's server refused an answer");
        }
        Ok(())
    }

    async fn events(&self, path: &str) -> io::Result<Events> {
        let reply = checked(timeout(PATIENCE, self.send("GET", path, String::new())).await??)?;
        let kind = reply.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if !kind.is_some_and(|it| it.starts_with(EVENTS.as_bytes())) {
            return Err(not_a_server());
        }
        Ok(Events::new(reply.into_body()))
    }

    async fn send(&self, method: &str, path: &str, body: String) -> io::Result<Response<Incoming>> {
        let request = self.request(method, path, body)?;
        let mut connection = self.connect().await?;
        connection.send_request(request).await.map_err(io::Error::other)
    }

    /// A connection for one request: a server may close a connection at any time.
    async fn connect(&self) -> io::Result<SendRequest<Full<Bytes>>> {
        let stream = TokioIo::new(connect_to(self.listener).await?);
        let (sender, connection) = handshake(stream).await.map_err(io::Error::other)?;
        // Ends with the reply; an error of the connection is an error of the reply.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn request(&self, method: &str, path: &str, body: String) -> io::Result<Request<Full<Bytes>>> {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header(HOST, self.listener.address.to_string());
        request = request.header(ACCEPT, "*/*").header(CONTENT_TYPE, JSON);
        if let Some(token) = &self.token {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.secret()));
            // The error would not show the token, and neither do we.
            let mut value = value.map_err(|_| io::Error::other("the server's token is damaged"))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        request.body(Full::new(Bytes::from(body))).map_err(io::Error::other)
    }
}

/// A reply that is a success.
fn checked(reply: Response<Incoming>) -> io::Result<Response<Incoming>> {
    match reply.status() {
        status if status.is_success() => Ok(reply),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the server asks for a password that Taffrail does not have",
        )),
        _ => Err(not_a_server()),
    }
}

/// A process may listen for other purposes, too.
fn not_a_server() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "the port is not that of the agent's server")
}

#[cfg(test)]
mod tests;
