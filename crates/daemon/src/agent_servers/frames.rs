//! Servers that speak in text frames of a WebSocket.

use super::MESSAGE;
use super::connection::Connection;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::io;
use taffrail_adapters::Outgoing;
use taffrail_capture::Token;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Request, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Begins a WebSocket on a connected stream.
pub(super) async fn begin<S>(stream: S, request: Request<()>) -> io::Result<WebSocketStream<S>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
    let begun = tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await;
    Ok(begun.map_err(io::Error::other)?.0)
}

/// The request for a WebSocket; a sub-protocol carries the token.
pub(super) fn request(url: &str, secret: Option<(&str, &Token)>) -> io::Result<Request<()>> {
    let mut request = url.into_client_request().map_err(io::Error::other)?;
    if let Some((protocol, token)) = secret {
        let value = HeaderValue::from_str(&format!("{protocol}{}", token.secret()));
        // The error would not show the token, and neither do we.
        let mut value = value.map_err(|_| io::Error::other("the server's token is damaged"))?;
        value.set_sensitive(true);
        request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, value);
    }
    Ok(request)
}

/// Greets the server and listens until it is gone.
pub(super) async fn listen<S>(mut connection: Connection<'_>, mut stream: S) -> io::Result<()>
where
    S: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Unpin,
{
    let mut outgoing = connection.hello();
    loop {
        for it in outgoing {
            say(&mut stream, it).await?;
        }
        outgoing = tokio::select! {
            message = stream.next() => match message {
                Some(Ok(Message::Text(text))) => connection.received(&text).await?,
                Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed)) | None => return Ok(()),
                Some(Ok(_)) => Vec::new(),
                Some(Err(error)) => return ended(error),
            },
            answer = connection.next_answer() => answer.into_iter().collect(),
        };
    }
}

async fn say<S>(stream: &mut S, it: Outgoing) -> io::Result<()>
where
    S: Sink<Message, Error = Error> + Unpin,
{
    match it {
        Outgoing::Frame(text) => {
            stream.send(Message::Text(text.into())).await.map_err(io::Error::other)
        }
        Outgoing::Get { .. } | Outgoing::Post { .. } => {
            Err(io::Error::other("this server takes frames"))
        }
    }
}

/// A killed server closes without a goodbye, which is not an error.
fn ended(error: Error) -> io::Result<()> {
    match error {
        Error::Protocol(_) | Error::Io(_) | Error::AlreadyClosed => Ok(()),
        error => Err(io::Error::other(error)),
    }
}
