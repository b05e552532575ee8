//! The daemon as a process: one for each user, found by a small file that says where it listens.

use crate::live::{Handle, live};
use crate::server::{self, Server};
use crate::{DaemonError, Settings};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_api::{DAEMON_FILE, DaemonPlace, GLANCE_FILE};
use taffrail_store::StoreError;

/// The name of the socket in its folder.
const SOCKET: &str = "taffrail.sock";
/// The name of the token's file in our state.
pub const TOKEN_FILE: &str = "token";
/// The name of the file of the token that telemetry is sent with.
pub const OTEL_TOKEN_FILE: &str = "otel-token";

/// Where a daemon keeps its small files and listens.
#[derive(Debug, Clone)]
pub struct Listening {
    /// Our own state.
    pub state: PathBuf,
    /// The folder of the socket.
    pub runtime: PathBuf,
    /// The loopback address for browsers, where one is wanted.
    pub http: Option<SocketAddr>,
    /// The loopback address telemetry is received at, where that is wanted, and chance for its token.
    pub otel: Option<(SocketAddr, [u8; 32])>,
    /// Our own program, for hooks to call.
    pub program: PathBuf,
    /// This program's version.
    pub version: String,
    /// Thirty-two bytes of chance, for a token that has to be made.
    pub chance: [u8; 32],
}

/// Runs the daemon in this process until it is told to stop. `ready` is given a way to it.
///
/// # Errors
/// When one runs already, nobody can be answered, or our own files fail.
pub fn serve(
    settings: &Settings,
    listening: &Listening,
    ready: impl FnOnce(Handle),
) -> Result<(), DaemonError> {
    let _lock = lock(&listening.state)?;
    let mut serving = None;
    let ended = live(settings, Some(&listening.state), |handle| {
        let server = server::serve(handle.clone(), &doors(listening))?;
        write_place(listening, &server)?;
        serving = Some(server);
        ready(handle.clone());
        Ok(())
    });
    if let Some(server) = serving {
        server.stop();
    }
    // A file left behind names a socket where nobody answers.
    for file in [DAEMON_FILE, GLANCE_FILE] {
        fs::remove_file(listening.state.join(file)).ok();
    }
    ended
}

fn doors(listening: &Listening) -> server::Listening {
    server::Listening {
        socket: listening.runtime.join(SOCKET),
        http: listening.http,
        otel: listening.otel.map(|(address, chance)| server::Receiving {
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

/// Writes down an address that is opened later.
fn opened(state: PathBuf) -> server::Opened {
    Arc::new(move |address| {
        let place = fs::read(state.join(DAEMON_FILE)).ok();
        let place = place.and_then(|it| serde_json::from_slice::<DaemonPlace>(&it).ok());
        if let Some(place) = place {
            let http = Some(format!("http://{address}"));
            // Without it only `daemon status` does not know; whoever asked is told the address.
            write_down(&state, &DaemonPlace { http, ..place }).ok();
        }
    })
}

/// The lock of the one daemon; given up when the process ends in any way.
fn lock(state: &Path) -> Result<File, DaemonError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
    made.map_err(StoreError::from)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    let file = options.open(state.join("daemon.lock")).map_err(StoreError::from)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DaemonError::Running),
        Err(TryLockError::Error(error)) => Err(StoreError::from(error).into()),
    }
}

/// Says where it listens, whole or not at all.
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
