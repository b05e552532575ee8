//! The daemon as a process: one for each user, found by a small file that says where it listens.

use crate::live::{Handle, live};
use crate::{DaemonError, Settings};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_store::StoreError;

/// Where a daemon keeps its small files and listens.
#[derive(Debug, Clone)]
pub struct Listening {
    /// Our own state.
    pub state: PathBuf,
    /// The folder of the socket.
    pub runtime: PathBuf,
    /// The loopback address for browsers, where one is wanted.
    pub http: Option<SocketAddr>,
}

/// Runs the daemon in this process until it is told to stop. `ready` is given a way to it.
///
/// # Errors
/// When one runs already, or our own files fail.
pub fn serve(
    settings: &Settings,
    listening: &Listening,
    ready: impl FnOnce(Handle) + Send,
) -> Result<(), DaemonError> {
    let _lock = lock(&listening.state)?;
    live(settings, |handle| {
        ready(handle.clone());
        Ok(())
    })
}

/// The lock of the one daemon; given up when the process ends in any way.
fn lock(state: &Path) -> Result<File, DaemonError> {
    private_folder(state)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    let file = options.open(state.join("daemon.lock")).map_err(StoreError::from)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DaemonError::Running),
        Err(TryLockError::Error(error)) => Err(StoreError::from(error).into()),
    }
}

fn private_folder(folder: &Path) -> Result<(), DaemonError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    Ok(made.map_err(StoreError::from)?)
}
