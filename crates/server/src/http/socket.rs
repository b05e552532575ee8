//! The socket of our own programs: in a folder that nobody else can enter, and for this user only.

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};
use std::fs::{DirBuilder, Permissions, symlink_metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_capture::start_of;
use taffrail_daemon::ServeError;
use taffrail_model::Process;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// The pause after a failed accept: file descriptors are probably exhausted.
const PAUSE: Duration = Duration::from_millis(100);

/// The most open files that macOS grants a process without a limit.
const OPEN_MAX: u64 = 10_240;

/// A bound socket.
#[derive(Debug)]
pub(super) struct Socket {
    path: PathBuf,
    /// The inode of the file we created, to recognize a later one.
    inode: u64,
    listener: StdListener,
}

impl Socket {
    /// Binds the socket. Replaces one that nobody listens on.
    pub(super) fn bind(path: &Path) -> Result<Self, ServeError> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        own_folder(folder)?;
        clear(path)?;
        let listener = StdListener::bind(path).map_err(ServeError::at(path))?;
        let private = Permissions::from_mode(0o600);
        std::fs::set_permissions(path, private).map_err(ServeError::at(path))?;
        listener.set_nonblocking(true).map_err(ServeError::at(path))?;
        let inode = symlink_metadata(path).map_err(ServeError::at(path))?.ino();
        Ok(Self { path: path.to_owned(), inode, listener })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Serves until stopped. Call this inside the runtime.
    pub(super) fn serve(
        &self,
        router: Router,
        mut stops: watch::Receiver<bool>,
    ) -> Result<impl Future<Output = ()> + Send + 'static, ServeError> {
        let listener = self.listener.try_clone().and_then(UnixListener::from_std);
        let listener = Ours(listener.map_err(ServeError::at(&self.path))?);
        Ok(async move {
            let stop = async move {
                // A dropped sender means the same.
                stops.wait_for(|it| *it).await.ok();
            };
            // Serving itself never fails.
            let service = router.into_make_service_with_connect_info::<Peer>();
            axum::serve(listener, service).with_graceful_shutdown(stop).await.ok();
        })
    }

    /// Removes the file, if it is still ours.
    pub(super) fn remove(self) {
        if symlink_metadata(&self.path).is_ok_and(|it| it.ino() == self.inode) {
            // The next daemon replaces a file that stays.
            if let Err(error) = std::fs::remove_file(&self.path) {
                tracing::info!(%error, "cannot remove the socket");
            }
        }
    }
}

/// Ensures a folder that only we can enter.
fn own_folder(folder: &Path) -> Result<(), ServeError> {
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(ServeError::at(folder)(error));
        }
        _ => {}
    }
    let metadata = symlink_metadata(folder).map_err(ServeError::at(folder))?;
    let told = |why| Err(ServeError::Unsafe(folder.display().to_string(), why));
    if !metadata.is_dir() {
        return told("is not a folder of its own");
    }
    if metadata.uid() != geteuid().as_raw() {
        return told("belongs to another user");
    }
    if metadata.mode() & 0o077 != 0 {
        let private = Permissions::from_mode(0o700);
        std::fs::set_permissions(folder, private).map_err(ServeError::at(folder))?;
    }
    Ok(())
}

/// Removes a socket that nobody listens on.
fn clear(path: &Path) -> Result<(), ServeError> {
    let metadata = match symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        metadata => metadata.map_err(ServeError::at(path))?,
    };
    if !metadata.file_type().is_socket() {
        return Err(ServeError::Unsafe(path.display().to_string(), "is there and no socket"));
    }
    match StdStream::connect(path) {
        Ok(_) => Err(ServeError::Taken(path.display().to_string())),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(ServeError::at(path))
        }
        Err(error) => Err(ServeError::at(path)(error)),
    }
}

/// Accepts connections of this user only.
struct Ours(UnixListener);

impl Listener for Ours {
    type Io = UnixStream;
    type Addr = Peer;

    async fn accept(&mut self) -> (UnixStream, Peer) {
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => {
                    // A connection of another user is dropped silently.
                    if let Some(peer) = ours(&stream) {
                        return (stream, peer);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Peer> {
        Ok(Peer { process: None })
    }
}

/// The process at the other end, as the kernel names it on connect. Its start time distinguishes it
/// from a later process with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) process: Option<Process>,
}

impl Connected<IncomingStream<'_, Ours>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Ours>) -> Self {
        *stream.remote_addr()
    }
}

/// The peer of a connection, if it runs as this user.
pub(super) fn ours(stream: &UnixStream) -> Option<Peer> {
    let credentials = stream.peer_cred().ok()?;
    if credentials.uid() != geteuid().as_raw() {
        return None;
    }
    let pid = credentials.pid().and_then(|it| u32::try_from(it).ok());
    let process = pid.and_then(|pid| Some(Process { pid, start: start_of(pid)? }));
    Some(Peer { process })
}

/// Raises the limit of open files to the maximum, because every stream is an open file.
pub(super) fn allow_many_files() {
    let found = getrlimit(Resource::Nofile);
    let to = |current| setrlimit(Resource::Nofile, Rlimit { current, ..found });
    // macOS names no maximum, and refuses a limit above this one.
    let raised = to(found.maximum).or_else(|_| to(Some(OPEN_MAX)));
    // Without that, fewer streams can be open.
    if let Err(error) = raised {
        tracing::info!(%error, "cannot raise the limit of open files");
    }
}
