//! The daemon's API: JSON over a socket for our own programs, and over loopback with a token.
//!
//! Queries are answered from read-only views of the index and from the state that the loop shares.
//! Every write goes through the loop. The loop's updates are serialized once and shared by all
//! subscribers.

mod about;
mod activity;
mod api_error;
mod app;
mod approvals;
mod auth;
mod bindings;
mod blame;
mod compression;
mod controls;
mod documents;
mod extract;
mod fanout;
mod findings;
mod follower;
mod hints;
mod history;
mod images;
mod lists;
mod local;
mod loopback;
mod marks;
mod mcp;
mod metrics;
mod openapi;
mod pairs;
mod phone;
mod projects;
mod push;
mod queue;
mod request_log;
mod rights;
mod routes;
mod sessions;
mod socket;
mod streams;
mod subscribe;
mod telemetry;
mod token;
mod trace;
mod wait;
mod web;
mod web_codes;
mod web_enter;
mod web_settings;
mod websocket;
mod window;
mod writes;

#[cfg(test)]
pub(crate) mod tests;

pub use api_error::error_body;
use app::App;
use auth::Door;
pub use local::{local, up_to_date};
use socket::Socket;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use taffrail_daemon::live::Handle;
use taffrail_daemon::{DaemonError, ServeError};
pub use telemetry::Receiving;
pub use token::{renew_token, token};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use web_enter::Web;

/// Threads that serve requests.
const WORKERS: usize = 2;
/// Threads that read the index.
const READERS: usize = 8;
/// How long open requests may take once the daemon ends.
const DRAIN: Duration = Duration::from_secs(2);

/// Called with an address that was opened while the daemon runs.
pub type Opened = Arc<dyn Fn(SocketAddr) + Send + Sync>;

/// Where to listen.
#[derive(Clone)]
pub struct Listening {
    /// The socket, in a folder of its own.
    pub socket: PathBuf,
    /// The loopback address, if any; port 0 takes a free one.
    pub http: Option<SocketAddr>,
    /// Where to receive telemetry, if anywhere.
    pub otel: Option<Receiving>,
    /// The file of the token, created if missing.
    pub token: PathBuf,
    /// Thirty-two random bytes, for a new token.
    pub chance: [u8; 32],
    /// Called when the loopback address is opened later.
    pub opened: Opened,
    /// Our state folder, with the notes on changed files.
    pub state: PathBuf,
    /// Our own program, for hooks to call.
    pub program: PathBuf,
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Listening").field("socket", &self.socket).finish_non_exhaustive()
    }
}

/// A server that runs until it is stopped.
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    socket: Socket,
    http: Option<SocketAddr>,
    otel: Option<SocketAddr>,
    stopping: watch::Sender<bool>,
    serving: Vec<JoinHandle<()>>,
}

/// Listens and serves on its own threads.
///
/// # Errors
/// When an address is in use or reachable by other machines, or a file is not safe.
pub fn serve(handle: Handle, listening: &Listening) -> Result<Server, DaemonError> {
    let socket = Socket::bind(&listening.socket)?;
    let http = listening.http.map(loopback::bind).transpose()?;
    let otel = listening.otel.as_ref().map(|it| loopback::bind(it.address)).transpose()?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(READERS)
        .thread_name("taffrail-api")
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| ServeError::Io("threads".to_owned(), error))?;
    socket::allow_many_files();
    let guard = runtime.enter();
    let (stopping, stops) = watch::channel(false);
    taffrail_devices::exchange::begin(handle.exchange(), &stops);
    let servers = taffrail_daemon::agent_servers::talk(handle.clone(), stops.clone());
    let (app, pump) =
        App::new(handle, web_of(listening, http.as_ref().map(|it| it.1), &stops), stops.clone());
    let mut serving = vec![runtime.spawn(pump), runtime.spawn(servers)];
    serving.push(runtime.spawn(socket.serve(routes::on_socket(&app), stops.clone())?));
    let mut address = None;
    if let Some((listener, at)) = http {
        let token = token::Token::open(&listening.token, listening.chance)?;
        let public = app.handle().settings().public_url.clone();
        let router = routes::on_loopback(&app, Arc::new(Door::new(at, token).reached_by(public)));
        serving.push(runtime.spawn(loopback::serve(listener, router, stops.clone())?));
        address = Some(at);
    }
    let mut received = None;
    if let (Some((listener, at)), Some(it)) = (otel, &listening.otel) {
        let token = token::Token::open(&it.token, it.chance)?;
        let router = telemetry::routes(&app, Arc::new(Door::new(at, token)));
        serving.push(runtime.spawn(loopback::serve(listener, router, stops)?));
        received = Some(at);
    }
    drop(guard);
    Ok(Server { runtime, socket, http: address, otel: received, stopping, serving })
}

fn web_of(listening: &Listening, at: Option<SocketAddr>, stops: &watch::Receiver<bool>) -> Web {
    Web {
        token: listening.token.clone(),
        chance: listening.chance,
        at: Mutex::new(at),
        codes: web_codes::Codes::default(),
        acting: Mutex::default(),
        opened: listening.opened.clone(),
        ours: (listening.state.clone(), listening.program.clone()),
        stops: stops.clone(),
    }
}

impl Server {
    /// The socket it listens on.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.socket.path()
    }

    /// The loopback address it listens on.
    #[must_use]
    pub fn http(&self) -> Option<SocketAddr> {
        self.http
    }

    /// The same address as a URL.
    #[must_use]
    pub fn http_url(&self) -> Option<String> {
        self.http.map(|address| format!("http://{address}"))
    }

    /// The address that receives telemetry.
    #[must_use]
    pub fn otel(&self) -> Option<SocketAddr> {
        self.otel
    }

    /// The same address as a URL.
    #[must_use]
    pub fn otel_url(&self) -> Option<String> {
        self.otel.map(|address| format!("http://{address}"))
    }

    /// Stops accepting, ends streams, lets open requests finish, and shuts down.
    pub fn stop(self) {
        let Self { runtime, socket, stopping, serving, .. } = self;
        stopping.send_replace(true);
        let all = async {
            for task in serving {
                // A failed task is over as well.
                task.await.ok();
            }
        };
        // A client that does not read its response in time does not get it.
        runtime.block_on(async { tokio::time::timeout(DRAIN, all).await }).ok();
        runtime.shutdown_background();
        socket.remove();
    }
}
