//! The socket of a run: the user's other programs can paste a text through it.

use crate::paste::{LONGEST, Pasted};
use crate::waker::{ProxyEvent, Waker};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;
use taffrail_capture::{Pane, ancestors};

/// How long a client may take to send its request.
const ASKING: Duration = Duration::from_secs(2);
/// How long a paste may take; it is refused or delivered before.
const ANSWERING: Duration = Duration::from_secs(10);
/// The most ancestors that are followed.
const DEPTH: usize = 64;

/// The request: one line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    paste: String,
}

/// The reply: one line.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Reply {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    delivered: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// Why a paste request failed.
#[derive(Debug, thiserror::Error)]
pub enum PasteError {
    /// The run does not exist or does not answer.
    #[error("the run cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// The reply is not valid.
    #[error("the run answered nothing that is known")]
    Garbled,
}

/// The socket of the run with this pid.
#[must_use]
pub fn socket_of(runtime: &Path, pid: u32) -> PathBuf {
    runtime.join(format!("run-{pid}.sock"))
}

/// Asks a run to paste a text and press Enter, and waits for the result.
///
/// # Errors
/// When the run does not answer.
pub fn paste(socket: &Path, text: &str) -> Result<Pasted, PasteError> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(ANSWERING + ASKING))?;
    stream.set_write_timeout(Some(ASKING))?;
    let ask = serde_json::to_string(&Ask { paste: text.to_owned() }).map_err(io::Error::from)?;
    stream.write_all(format!("{ask}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    match serde_json::from_str(&line) {
        Ok(Reply { refused: Some(why), .. }) => Ok(Pasted::Refused(why)),
        Ok(Reply { delivered: true, .. }) => Ok(Pasted::Delivered),
        Ok(Reply { delivered: false, .. }) | Err(_) => Err(PasteError::Garbled),
    }
}

/// The executor of a process: the nearest run or tmux pane above it.
pub(crate) fn executor_of(runtime: &Path, pid: u32, panes: &[Pane]) -> Option<String> {
    let above = ancestors(pid, DEPTH);
    let line = std::iter::once(pid).chain(above.iter().map(|it| it.pid));
    for pid in line {
        // A run may be the process that its pane was opened with.
        if is_socket(&socket_of(runtime, pid)) {
            return Some(format!("pty:{pid}"));
        }
        if panes.iter().any(|it| it.pid == pid) {
            break;
        }
    }
    taffrail_capture::executor_of(pid, panes)
}

fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket())
}

/// The socket, for the duration of the run.
#[derive(Debug)]
pub(crate) struct PasteSocket {
    path: PathBuf,
}

impl PasteSocket {
    /// Opens the socket for this user only.
    pub(crate) fn open(runtime: &Path, pid: u32, waker: Waker) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(runtime)?;
        let path = socket_of(runtime, pid);
        // A socket of this name is a leftover: no other live process has our pid.
        fs::remove_file(&path).ok();
        let listener = UnixListener::bind(&path)?;
        let door = Self { path };
        fs::set_permissions(&door.path, Permissions::from_mode(0o600))?;
        let thread = std::thread::Builder::new().name("executor".to_owned());
        thread.spawn(move || answer_all(&listener, &waker))?;
        Ok(door)
    }
}

impl Drop for PasteSocket {
    fn drop(&mut self) {
        // The next process with this pid removes a socket that stays.
        fs::remove_file(&self.path).ok();
    }
}

/// Serves one client after another; the thread ends with the process.
fn answer_all(listener: &UnixListener, waker: &Waker) {
    for stream in listener.incoming().flatten() {
        // A client that went away, or another user, gets no reply.
        if is_ours(&stream).unwrap_or(false) {
            answer(stream, waker).ok();
        }
    }
}

fn answer(mut stream: UnixStream, waker: &Waker) -> io::Result<()> {
    stream.set_read_timeout(Some(ASKING))?;
    stream.set_write_timeout(Some(ASKING))?;
    let mut line = Vec::new();
    // JSON may encode a byte as six.
    let most = LONGEST as u64 * 6 + 1024;
    BufReader::new((&stream).take(most)).read_until(b'\n', &mut line)?;
    let refused = |why: &str| Reply { refused: Some(why.to_owned()), ..Reply::default() };
    let reply = match serde_json::from_slice::<Ask>(&line) {
        Err(_) => refused("this is not what can be asked here"),
        Ok(ask) => {
            let (reply, told) = channel();
            waker.ring(ProxyEvent::Paste(ask.paste, reply));
            match told.recv_timeout(ANSWERING) {
                Ok(Pasted::Delivered) => Reply { delivered: true, ..Reply::default() },
                Ok(Pasted::Refused(why)) => refused(&why),
                Err(_) => refused("the run is over"),
            }
        }
    };
    let reply = serde_json::to_string(&reply)?;
    stream.write_all(format!("{reply}\n").as_bytes())
}

/// Whether the client is this user. Only tokio's API can ask for that on every system.
fn is_ours(stream: &UnixStream) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let inside = runtime.enter();
    stream.set_nonblocking(true)?;
    let who = tokio::net::UnixStream::from_std(stream.try_clone()?)?.peer_cred();
    stream.set_nonblocking(false)?;
    drop(inside);
    Ok(who?.uid() == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waker::waker;

    /// Answers every text with `how`.
    fn door(folder: &Path, pid: u32, how: fn(String) -> Pasted) -> PasteSocket {
        let (waker, mut heard) = waker().unwrap();
        std::thread::spawn(move || {
            while let Ok(all) = heard.all() {
                for it in all {
                    let ProxyEvent::Paste(text, reply) = it else { continue };
                    reply.send(how(text)).unwrap();
                }
            }
        });
        PasteSocket::open(folder, pid, waker).unwrap()
    }

    #[test]
    fn a_text_is_handed_over_and_answered() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = folder.path().join("taffrail");
        let socket = socket_of(&runtime, 1);
        let held = door(&runtime, 1, |text| match text.as_str() {
            "go \"on\"\n" => Pasted::Delivered,
            other => Pasted::Refused(format!("no {other}")),
        });
        let mode = fs::metadata(&socket).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert_eq!(paste(&socket, "go \"on\"\n").unwrap(), Pasted::Delivered);
        assert_eq!(paste(&socket, "x").unwrap(), Pasted::Refused("no x".to_owned()));
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(b"{\"run\": \"rm\"}\n").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert_eq!(said, "{\"refused\":\"this is not what can be asked here\"}\n");
        drop(held);
        assert!(!socket.exists());
        assert!(matches!(paste(&socket, "x"), Err(PasteError::Unreachable(_))));
    }

    #[test]
    fn a_process_below_a_run_is_reached_through_it() {
        let folder = tempfile::tempdir().unwrap();
        let (me, runtime) = (std::process::id(), folder.path());
        assert_eq!(executor_of(runtime, me, &[]), Some(format!("process:{me}")));
        let above = ancestors(me, 1)[0].pid;
        let _held = door(runtime, above, Pasted::Refused);
        assert_eq!(executor_of(runtime, me, &[]), Some(format!("pty:{above}")));
        let tty = String::new();
        let pane = Pane { socket: "/x".into(), id: "%1".into(), tty, pid: me };
        assert_eq!(executor_of(runtime, me, &[pane]), Some("tmux:/x:%1".to_owned()));
    }
}
