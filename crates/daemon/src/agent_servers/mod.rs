//! Agents' own servers: their reports about sessions, and requests that are answered through them.
//!
//! Joining a server may change what its agent reports about itself, so only servers that the user
//! named are joined. The connection lasts as long as the server. Its reports go into the journal,
//! like all evidence. A request goes to the approval broker, and the answer back the same way.

mod connection;
mod events;
mod frames;
mod http;

use crate::live::Handle;
use connection::Connection;
use http::Server;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;
use taffrail_adapters::{ServerPlan, Transport};
use taffrail_capture::{Listener, ServerAddress, server_addresses, start_of};
use taffrail_context::Part;
use taffrail_model::Process;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::Instant;

/// How often an absent server is looked for.
const LOOK: Duration = Duration::from_secs(1);
/// The longest pause before a server that refused is asked again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The longest accepted message. A longer one ends the connection, and a new one begins.
const MESSAGE: usize = 32 * 1024 * 1024;

/// A server that runs.
#[derive(Debug, Clone)]
struct RunningServer {
    agent: &'static str,
    plan: &'static ServerPlan,
    address: ServerAddress,
}

/// Stays connected to the server of every home that has one, until the daemon ends.
pub async fn talk(handle: Handle, mut stops: watch::Receiver<bool>) {
    if handle.settings().servers.is_empty() {
        return;
    }
    let mut talks = HashMap::new();
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
async fn look(handle: &Handle, talks: &mut HashMap<ServerAddress, JoinHandle<()>>) {
    talks.retain(|_, it| !it.is_finished());
    let asked = handle.clone();
    // The task fails only when the daemon ends.
    let found = spawn_blocking(move || servers(&asked)).await.unwrap_or_default();
    for it in found {
        let talk = || tokio::spawn(converse(handle.clone(), it.clone()));
        talks.entry(it.address.clone()).or_insert_with(talk);
    }
}

fn servers(handle: &Handle) -> Vec<RunningServer> {
    let mut all = Vec::new();
    for home in handle.settings().homes() {
        let agent = home.adapter.descriptor().id;
        let wanted = handle.settings().servers.iter().any(|it| it == agent);
        let Some(plan) = home.adapter.server_plan().filter(|_| wanted) else { continue };
        match server_addresses(&home) {
            Ok(found) => {
                all.extend(found.into_iter().map(|address| RunningServer { agent, plan, address }));
            }
            Err(error) => {
                handle.live().note_problem(Part::AgentServers, format!("{agent}: {error}"));
            }
        }
    }
    all
}

/// Serves one server until it goes away. A refusal is not final: a server that only starts may
/// reply to its first client with something else.
async fn converse(handle: Handle, found: RunningServer) {
    let RunningServer { agent, address, .. } = &found;
    let mut pause = LOOK;
    while let Err(error) = joined(&handle, &found).await {
        // A process may listen for other purposes, too.
        if error.kind() != io::ErrorKind::Unsupported {
            tracing::warn!(%error, agent, "the connection to an agent's server failed");
            let problem = format!("{agent} at {address}: {error}");
            handle.live().note_problem(Part::AgentServers, problem);
        }
        let ServerAddress::Port { listener, .. } = address else { return };
        if !is_refusal(&error) || !listens_after(*listener, pause).await {
            return;
        }
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
    }
}

/// Whether the same question would probably get the same reply.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported)
}

/// Waits, and returns early with `false` when nobody listens at the port any more.
async fn listens_after(listener: Listener, pause: Duration) -> bool {
    let end = Instant::now() + pause;
    loop {
        tokio::time::sleep(LOOK).await;
        // The task fails only when the daemon ends.
        if !spawn_blocking(move || listener.is_still_there()).await.unwrap_or_default() {
            return false;
        }
        if Instant::now() >= end {
            return true;
        }
    }
}

async fn joined(handle: &Handle, found: &RunningServer) -> io::Result<()> {
    let RunningServer { agent, plan, address } = found;
    let join = |process| Connection::new(handle, agent, plan, process);
    let welcome = || {
        tracing::info!(agent, "an agent's server is connected");
        handle.live().resolve_problems(Part::AgentServers);
    };
    match (address, plan.transport) {
        (ServerAddress::Socket(path), _) => {
            let (stream, process) = match connect(path).await {
                // A socket without a listener is a leftover.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Ok(()),
                connected => connected?,
            };
            let stream = frames::begin(stream, frames::request("ws://localhost/", None)?).await?;
            welcome();
            frames::listen(join(process), stream).await
        }
        (ServerAddress::Port { listener, token, .. }, Transport::Http { feed, .. }) => {
            let server = Server { listener: *listener, token: token.clone() };
            http::listen(join(Some(listener.process)), &server, (feed, welcome)).await
        }
        (ServerAddress::Port { listener, path, token }, Transport::WebSocket { protocol, .. }) => {
            let url = format!("ws://{}{path}", listener.address);
            let request = frames::request(&url, token.as_ref().map(|it| (protocol, it)))?;
            let stream = frames::begin(connect_to(*listener).await?, request).await?;
            welcome();
            frames::listen(join(Some(listener.process)), stream).await
        }
        (ServerAddress::Port { .. }, Transport::Socket { .. }) => Ok(()),
    }
}

/// Connects to a port, and checks afterwards that its process still has it: before, the port could
/// change hands.
async fn connect_to(listener: Listener) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(listener.address).await?;
    match spawn_blocking(move || listener.is_still_there()).await? {
        true => Ok(stream),
        false => Err(io::Error::other("another process took the server's port")),
    }
}

/// Connects to a server of this user, and returns its process.
async fn connect(socket: &Path) -> io::Result<(UnixStream, Option<Process>)> {
    let stream = UnixStream::connect(socket).await?;
    let peer = stream.peer_cred()?;
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user's server"));
    }
    let pid = peer.pid().and_then(|it| u32::try_from(it).ok());
    let process = pid.and_then(|pid| Some(Process { pid, start: start_of(pid)? }));
    Ok((stream, process))
}
