//! Agents' own servers: their reports about sessions, and requests that are answered through them.
//!
//! Joining a server may change what its agent reports about itself, so only servers that the user
//! named are joined. The connection lasts as long as the server. Its reports go into the journal,
//! like all evidence. A request goes to the approval broker, and the answer back the same way.

mod connection;

use crate::live::Handle;
use connection::Connection;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_adapters::ServerPlan;
use taffrail_capture::{server_socket, start_of};
use taffrail_context::Part;
use taffrail_model::Process;
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// How often an absent server is looked for.
const LOOK: Duration = Duration::from_secs(1);
/// The longest accepted message. A longer one ends the connection, and a new one begins.
const MESSAGE: usize = 32 * 1024 * 1024;

/// Stays connected to the server of every home that has one, until the daemon ends.
pub async fn talk(handle: Handle, mut stops: watch::Receiver<bool>) {
    if handle.settings().servers.is_empty() {
        return;
    }
    let mut talks = BTreeMap::new();
    loop {
        look(&handle, &mut talks).await;
        tokio::select! {
            _ = stops.wait_for(|it| *it) => break,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
    talks.values().for_each(JoinHandle::abort);
}

/// Connects to every server that is running and not connected.
async fn look(handle: &Handle, talks: &mut BTreeMap<PathBuf, JoinHandle<()>>) {
    talks.retain(|_, it| !it.is_finished());
    let asked = handle.clone();
    // The task fails only when the daemon ends.
    let found = tokio::task::spawn_blocking(move || servers(&asked)).await.unwrap_or_default();
    for (agent, plan, socket) in found {
        let talk = || tokio::spawn(converse(handle.clone(), agent, plan, socket.clone()));
        talks.entry(socket.clone()).or_insert_with(talk);
    }
}

fn servers(handle: &Handle) -> Vec<(&'static str, &'static ServerPlan, PathBuf)> {
    let homes = handle.settings().homes().into_iter();
    let found = homes.filter_map(|home| {
        let agent = home.adapter.descriptor().id;
        let wanted = handle.settings().servers.iter().any(|it| it == agent);
        let plan = home.adapter.server_plan().filter(|_| wanted)?;
        let socket = server_socket(&home)?;
        Some((agent, plan, socket))
    });
    found.collect()
}

/// Serves one connection until its server goes away.
async fn converse(handle: Handle, agent: &'static str, plan: &'static ServerPlan, socket: PathBuf) {
    let ended = match connect(&socket).await {
        Ok((stream, process)) => {
            tracing::info!(agent, "an agent's server is connected");
            handle.live().resolve_problems(Part::AgentServers);
            Connection::new(&handle, agent, plan, process).listen(stream).await
        }
        // A socket without a listener is a leftover.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::warn!(%error, agent, "the connection to an agent's server failed");
        let problem = format!("{}: {error}", socket.display());
        handle.live().note_problem(Part::AgentServers, problem);
    }
}

/// Connects to a server of this user, and returns its process.
async fn connect(socket: &Path) -> io::Result<(WebSocketStream<UnixStream>, Option<Process>)> {
    let stream = UnixStream::connect(socket).await?;
    let peer = stream.peer_cred()?;
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user's server"));
    }
    let pid = peer.pid().and_then(|it| u32::try_from(it).ok());
    let process = pid.and_then(|pid| Some(Process { pid, start: start_of(pid)? }));
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
    let begun =
        tokio_tungstenite::client_async_with_config("ws://localhost/", stream, Some(config)).await;
    let (stream, _) = begun.map_err(io::Error::other)?;
    Ok((stream, process))
}
