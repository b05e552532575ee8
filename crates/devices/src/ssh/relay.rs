//! The far end: passes requests from stdin to its own daemon, and the answers back.

use super::frame::{self, Frame, StreamId};
use super::request::{Gathered, answer, gathered};
use super::{Access, HELLO, PROTOCOL};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use taffrail_api::ErrorKind;

/// The most requests at a time; the board has five.
const STREAMS: usize = 64;

/// Connects to the daemon of this host.
type Open<'a> = &'a (dyn Fn() -> io::Result<UnixStream> + Sync);

/// The first line of the far end.
#[must_use]
pub fn hello(version: &str, access: Access) -> String {
    format!("{HELLO} {PROTOCOL} {version} {}\n", access.as_str())
}

/// A request under way.
enum Stream {
    /// It has come in part.
    Gathering(Vec<u8>),
    /// The daemon answers it.
    Passed(UnixStream),
}

struct Relay<'a, W> {
    access: Access,
    open: Open<'a>,
    to: Mutex<W>,
    streams: Mutex<HashMap<StreamId, Stream>>,
}

/// Passes requests until the near end is gone.
///
/// # Errors
/// If what comes makes no sense, or the connection breaks.
pub fn relay(
    mut from: impl Read,
    to: impl Write + Send,
    access: Access,
    open: Open<'_>,
) -> io::Result<()> {
    let (to, streams) = (Mutex::new(to), Mutex::default());
    let relay = Relay { access, open, to, streams };
    thread::scope(|scope| {
        let ended = loop {
            match frame::read(&mut from) {
                Ok(Some(frame)) => {
                    let of = frame.of;
                    if let Some(daemon) = relay.take(frame) {
                        let relay = &relay;
                        scope.spawn(move || relay.pass_back(of, daemon));
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        relay.close();
        ended
    })
}

impl<W: Write> Relay<'_, W> {
    /// Takes a frame; returns the daemon's end of a request that was passed on with it.
    fn take(&self, Frame { of, bytes }: Frame) -> Option<UnixStream> {
        let mut streams = lock(&self.streams);
        let before = streams.remove(&of);
        let so_far = match (before, bytes.is_empty()) {
            // The near end no longer wants it.
            (Some(Stream::Passed(daemon)), true) => {
                daemon.shutdown(Shutdown::Both).ok();
                return None;
            }
            (_, true) => return None,
            // Nothing may follow a request.
            (Some(passed @ Stream::Passed(_)), false) => {
                streams.insert(of, passed);
                return None;
            }
            (Some(Stream::Gathering(so_far)), false) => [so_far, bytes].concat(),
            (None, false) if streams.len() >= STREAMS => {
                drop(streams);
                self.answer(of, &unavailable("too many requests at a time", "try again"));
                return None;
            }
            (None, false) => bytes,
        };
        match gathered(&so_far, self.access) {
            Gathered::Part => {
                streams.insert(of, Stream::Gathering(so_far));
                None
            }
            Gathered::Refused(told) => {
                drop(streams);
                self.answer(of, &told);
                None
            }
            Gathered::Whole(request) => {
                drop(streams);
                self.ask(of, &request)
            }
        }
    }

    /// Passes a request to the daemon.
    fn ask(&self, of: StreamId, request: &[u8]) -> Option<UnixStream> {
        let asked = (self.open)().and_then(|mut daemon| {
            daemon.write_all(request)?;
            Ok((daemon.try_clone()?, daemon))
        });
        match asked {
            Ok((kept, daemon)) => {
                lock(&self.streams).insert(of, Stream::Passed(kept));
                Some(daemon)
            }
            Err(_) => {
                let hint = "start it on that host: taffrail daemon start";
                self.answer(of, &unavailable("no daemon answers on that host", hint));
                None
            }
        }
    }

    /// Passes an answer back, as it comes.
    fn pass_back(&self, of: StreamId, mut daemon: UnixStream) {
        let mut bytes = vec![0; frame::LARGEST];
        // Where the daemon breaks off, the answer ends there: the near end finds it cut.
        while let Ok(count @ 1..) = daemon.read(&mut bytes) {
            let piece = bytes.get(..count).unwrap_or_default();
            if frame::write(&mut *lock(&self.to), of, piece).is_err() {
                break;
            }
        }
        lock(&self.streams).remove(&of);
        // Without the near end nobody needs it.
        frame::end(&mut *lock(&self.to), of).ok();
    }

    fn answer(&self, of: StreamId, bytes: &[u8]) {
        let to = &mut *lock(&self.to);
        // Without the near end nobody needs it; the next frame is not there either.
        frame::write(to, of, bytes).and_then(|()| frame::end(to, of)).ok();
    }

    /// Ends all requests: nobody waits for their answers.
    fn close(&self) {
        for (_, stream) in lock(&self.streams).drain() {
            if let Stream::Passed(daemon) = stream {
                // It may have ended by itself.
                daemon.shutdown(Shutdown::Both).ok();
            }
        }
    }
}

fn unavailable(message: &str, hint: &str) -> Vec<u8> {
    answer(503, ErrorKind::DaemonUnreachable, (message, hint))
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
