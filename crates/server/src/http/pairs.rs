//! Connections of this process to its own routes, over socket pairs.

use super::app::App;
use super::routes;
use super::socket::{Peer, ours};
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::os::unix::net::UnixStream as StdStream;
use taffrail_api::client::Client;
use tokio::net::UnixStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A client of the routes of our own programs. Call this inside the runtime, which must outlive it.
pub(super) fn client_of(app: &App) -> Client {
    let connections = serve(app);
    Client::local(move || connect(&connections))
}

/// Serves the routes of our own programs to whoever gets the other end. Call this inside the runtime.
pub(super) fn serve(app: &App) -> UnboundedSender<StdStream> {
    let (to_server, connections) = unbounded_channel();
    let service = routes::on_socket(app).into_make_service_with_connect_info::<Peer>();
    tokio::spawn(async move { axum::serve(Pairs(connections), service).await });
    to_server
}

/// Opens a connection.
pub(super) fn connect(to_server: &UnboundedSender<StdStream>) -> io::Result<StdStream> {
    let (theirs, own) = StdStream::pair()?;
    own.set_nonblocking(true)?;
    to_server.send(own).map_err(io::Error::other)?;
    Ok(theirs)
}

/// Connections of this process to itself.
struct Pairs(UnboundedReceiver<StdStream>);

impl Listener for Pairs {
    type Io = UnixStream;
    type Addr = Peer;

    async fn accept(&mut self) -> (UnixStream, Peer) {
        loop {
            match self.0.recv().await.map(UnixStream::from_std) {
                Some(Ok(stream)) => {
                    if let Some(peer) = ours(&stream) {
                        return (stream, peer);
                    }
                }
                // The client gets no answer, and reports that.
                Some(Err(_)) => {}
                // The client is gone, and the runtime goes with it.
                None => std::future::pending().await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Peer> {
        Ok(Peer { process: None })
    }
}

impl Connected<IncomingStream<'_, Pairs>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Pairs>) -> Self {
        *stream.remote_addr()
    }
}
