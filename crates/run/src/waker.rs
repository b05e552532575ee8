//! Wakes the proxy from other threads: an event is queued, and a byte wakes the poll.

use crate::paste::Pasted;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// An event besides input and output.
#[derive(Debug)]
pub enum ProxyEvent {
    /// The user's terminal was resized.
    Resized,
    /// The program ended or was stopped.
    Child,
    /// A signal to forward to the program.
    Signal(i32),
    /// A client wants a text pasted, and waits for the result.
    Paste(String, Sender<Pasted>),
}

/// Sends events.
#[derive(Debug, Clone)]
pub struct Waker {
    tell: Sender<ProxyEvent>,
    line: Arc<PipeWriter>,
}

/// Receives events.
#[derive(Debug)]
pub struct ProxyEvents {
    told: Receiver<ProxyEvent>,
    line: PipeReader,
}

/// A waker and its receiver.
///
/// # Errors
/// When the system cannot create a pipe.
pub fn waker() -> io::Result<(Waker, ProxyEvents)> {
    let (line, rings) = io::pipe()?;
    let (tell, told) = channel();
    Ok((Waker { tell, line: Arc::new(rings) }, ProxyEvents { told, line }))
}

impl Waker {
    /// Sends an event; a receiver that is gone needs none.
    pub fn ring(&self, it: ProxyEvent) {
        if self.tell.send(it).is_ok() {
            (&*self.line).write_all(b"!").ok();
        }
    }
}

impl ProxyEvents {
    /// All events since the last call.
    pub(crate) fn all(&mut self) -> io::Result<Vec<ProxyEvent>> {
        let mut rings = [0; 64];
        // The waker rang, so the read does not block.
        let _count = self.line.read(&mut rings)?;
        Ok(self.told.try_iter().collect())
    }
}

impl AsFd for ProxyEvents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}
