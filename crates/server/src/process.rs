//! The daemon as a process: one per user, found by a small file that contains its addresses.

use crate::http::{self, Server};
use crate::logs::{self, DEFAULT_LEVEL, LogFilter};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_api::{DAEMON_FILE, DaemonPlace, STATUS_FILE};
pub use taffrail_capture::{lives, start_of};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::{Handle, live};
use taffrail_store::StoreError;

/// How long a daemon that no longer answers may take to release the lock.
const ENDING: Duration = Duration::from_secs(10);
/// How often the lock is tried.
const LOOK: Duration = Duration::from_millis(20);
/// The name of the socket in its folder.
const SOCKET: &str = "taffrail.sock";
/// The name of the token's file in our state.
pub const TOKEN_FILE: &str = "token";
/// The name of the telemetry token's file.
pub const OTEL_TOKEN_FILE: &str = "otel-token";

/// Where a daemon keeps its small files and listens.
#[derive(Debug, Clone)]
pub struct Listening {
    /// Our state folder.
    pub state: PathBuf,
    /// The folder of the socket.
    pub runtime: PathBuf,
    /// The loopback address for browsers, if wanted.
    pub http: Option<SocketAddr>,
    /// The loopback address for telemetry, if wanted, and random bytes for its token.
    pub otel: Option<(SocketAddr, [u8; 32])>,
    /// Our own program, for hooks to call.
    pub program: PathBuf,
    /// This program's version.
    pub version: String,
    /// Thirty-two random bytes, for a new token.
    pub chance: [u8; 32],
    /// The log filter, in the syntax of `TAFFRAIL_LOG`.
    pub log: Option<String>,
}

/// Runs the daemon in this process until it is stopped. Calls `ready` with a handle.
///
/// # Errors
/// When a daemon is already running, the server cannot listen, or our own files fail.
pub fn serve(
    settings: &Settings,
    listening: &Listening,
    ready: impl FnOnce(Handle),
) -> Result<(), DaemonError> {
    let _lock = lock(&listening.state)?;
    close(&listening.state).map_err(StoreError::from)?;
    begin_log(settings, listening);
    // A daemon that was killed left it, and `daemon status` would name the wrong process until ours is written.
    remove(&listening.state.join(DAEMON_FILE));
    let mut serving = None;
    let ended = live(settings, Some(&listening.state), |handle| {
        let server = http::serve(handle.clone(), &doors(listening))?;
        write_place(listening, &server)?;
        log_start(listening, &server);
        serving = Some(server);
        ready(handle.clone());
        Ok(())
    });
    if let Some(server) = serving {
        server.stop();
    }
    // A leftover file names a socket without a listener.
    for file in [DAEMON_FILE, STATUS_FILE] {
        remove(&listening.state.join(file));
    }
    log_end(&ended);
    ended
}

/// Opens the log. An invalid filter is reported there, and the default is used.
fn begin_log(settings: &Settings, listening: &Listening) {
    let read = listening.log.as_deref().unwrap_or_default().parse::<LogFilter>();
    let (filter, wrong) = match read {
        Ok(filter) => (filter, None),
        Err(error) => (LogFilter::default(), Some(error)),
    };
    logs::begin(&listening.state, filter, settings.now);
    if let Some(error) = wrong {
        tracing::warn!(%error, "cannot read TAFFRAIL_LOG; the level is {DEFAULT_LEVEL}");
    }
}

fn log_start(listening: &Listening, server: &Server) {
    let (version, pid) = (&listening.version, std::process::id());
    tracing::info!(
        version,
        pid,
        socket = %server.socket().display(),
        http = server.http_url(),
        otel = server.otel_url(),
        "the daemon starts"
    );
}

fn log_end(ended: &Result<(), DaemonError>) {
    match ended {
        Ok(()) => tracing::info!("the daemon ended"),
        Err(error) => tracing::error!(%error, "the daemon failed and ended"),
    }
}

/// Removes a file that may be gone already.
fn remove(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(%error, path = %path.display(), "cannot remove a file of the daemon");
        }
        Ok(()) | Err(_) => {}
    }
}

fn doors(listening: &Listening) -> http::Listening {
    http::Listening {
        socket: listening.runtime.join(SOCKET),
        http: listening.http,
        otel: listening.otel.map(|(address, chance)| http::Receiving {
            address,
            token: listening.state.join(OTEL_TOKEN_FILE),
            chance,
        }),
        token: listening.state.join(TOKEN_FILE),
        chance: listening.chance,
        opened: opened(listening.state.clone()),
        state: listening.state.clone(),
        program: listening.program.clone(),
    }
}

/// Saves an address that is opened later.
fn opened(state: PathBuf) -> http::Opened {
    Arc::new(move |address| {
        // If the file is gone, the daemon is ending.
        let place = fs::read(state.join(DAEMON_FILE)).ok();
        let place = place.and_then(|it| serde_json::from_slice::<DaemonPlace>(&it).ok());
        if let Some(place) = place {
            let http = Some(format!("http://{address}"));
            // If this fails, only `daemon status` lacks the address; the requester still receives
            // it.
            if let Err(error) = write_down(&state, &DaemonPlace { http, ..place }) {
                tracing::warn!(%error, "cannot write down the address that was opened");
            }
        }
    })
}

/// The lock of the one daemon; released when the process ends in any way.
fn lock(state: &Path) -> Result<File, DaemonError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
    made.map_err(StoreError::from)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    let file = options.open(state.join("daemon.lock")).map_err(StoreError::from)?;
    let end = Instant::now() + ENDING;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(StoreError::from(error).into()),
            Err(TryLockError::WouldBlock) => {}
        }
        // A daemon that holds the lock and does not answer is about to end, or to start.
        if Client::connect(state).is_ok() || Instant::now() >= end {
            return Err(Error::Running.into());
        }
        std::thread::sleep(LOOK);
    }
}

/// Removes other users' access to a folder, whoever created it.
fn close(folder: &Path) -> std::io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(folder, fs::Permissions::from_mode(0o700)),
    }
}

/// Writes the addresses atomically.
fn write_place(listening: &Listening, server: &Server) -> Result<(), DaemonError> {
    let place = DaemonPlace {
        pid: std::process::id(),
        version: listening.version.clone(),
        socket: server.socket().to_owned(),
        http: server.http_url(),
        otel: server.otel_url(),
    };
    Ok(write_down(&listening.state, &place).map_err(StoreError::from)?)
}

fn write_down(state: &Path, place: &DaemonPlace) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(state)?;
    serde_json::to_writer(&mut file, place)?;
    file.write_all(b"\n")?;
    file.persist(state.join(DAEMON_FILE))?;
    Ok(())
}
