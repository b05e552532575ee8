//! The near end of a connection: every request of ours is a stream on it.

use super::frame::{self, StreamId};
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a reader of ours may leave an answer unread before it loses it; the others wait meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection; its clones are the same one.
#[derive(Clone)]
pub(super) struct Line {
    to: Arc<Mutex<Box<dyn Write + Send>>>,
    streams: Arc<Mutex<Streams>>,
}

/// The streams of a connection.
#[derive(Debug, Default)]
struct Streams {
    open: HashMap<StreamId, UnixStream>,
    last: u32,
    is_over: bool,
}

impl Line {
    /// Serves a connection whose far end has greeted.
    pub(super) fn new(from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> Self {
        let to: Box<dyn Write + Send> = Box::new(to);
        let line = Self { to: Arc::new(Mutex::new(to)), streams: Arc::default() };
        let streams = Arc::clone(&line.streams);
        thread::spawn(move || {
            deal_out(from, &streams);
            lock(&streams).close();
        });
        line
    }

    pub(super) fn is_over(&self) -> bool {
        lock(&self.streams).is_over
    }

    /// Opens a stream: what is written to it goes to the far end, whose answer is read from it.
    pub(super) fn open(&self) -> io::Result<UnixStream> {
        let (near, far) = UnixStream::pair()?;
        far.set_write_timeout(Some(PATIENCE))?;
        let of = lock(&self.streams).enter(far.try_clone()?)?;
        let line = self.clone();
        thread::spawn(move || line.pass_on(of, far));
        Ok(near)
    }

    /// Passes what is written to a stream, until nobody holds its near end.
    fn pass_on(&self, of: StreamId, mut far: UnixStream) {
        let mut bytes = vec![0; frame::LARGEST];
        while let Ok(count @ 1..) = far.read(&mut bytes) {
            let piece = bytes.get(..count).unwrap_or_default();
            if frame::write(&mut *lock(&self.to), of, piece).is_err() {
                break;
            }
        }
        // The far end is told only of a stream that it has not ended itself.
        if lock(&self.streams).open.remove(&of).is_some() {
            // Without the far end nobody needs it.
            frame::end(&mut *lock(&self.to), of).ok();
        }
    }
}

impl Streams {
    fn enter(&mut self, far: UnixStream) -> io::Result<StreamId> {
        if self.is_over {
            return Err(ErrorKind::NotConnected.into());
        }
        self.last = self.last.wrapping_add(1);
        let of = StreamId(self.last);
        self.open.insert(of, far);
        Ok(of)
    }

    fn close(&mut self) {
        self.is_over = true;
        self.open.drain().for_each(|(_, far)| hang_up(&far));
    }
}

/// Writes what comes to the streams it is for. What is for none is dropped.
fn deal_out(mut from: impl Read, streams: &Mutex<Streams>) {
    while let Ok(Some(frame)) = frame::read(&mut from) {
        if frame.bytes.is_empty() {
            if let Some(far) = lock(streams).open.remove(&frame.of) {
                hang_up(&far);
            }
            continue;
        }
        let far = lock(streams).open.get(&frame.of).and_then(|it| it.try_clone().ok());
        if let Some(mut far) = far
            && far.write_all(&frame.bytes).is_err()
        {
            hang_up(&far);
        }
    }
}

fn hang_up(stream: &UnixStream) {
    // It may be over already.
    stream.shutdown(Shutdown::Both).ok();
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
