//! How others reach who carries bytes to and fro: something happens, and the waker rings.

use crate::paste::Pasted;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Something that happens beside what is typed and printed.
#[derive(Debug)]
pub enum ProxyEvent {
    /// The person's terminal has another size.
    Resized,
    /// The program ended, or was stopped.
    Child,
    /// A signal for us that is meant for the program.
    Signal(i32),
    /// Somebody wants a text pasted, and is told what came of it.
    Paste(String, Sender<Pasted>),
}

/// Rings.
#[derive(Debug, Clone)]
pub struct Waker {
    tell: Sender<ProxyEvent>,
    line: Arc<PipeWriter>,
}

/// Hears.
#[derive(Debug)]
pub struct ProxyEvents {
    told: Receiver<ProxyEvent>,
    line: PipeReader,
}

/// A waker and who hears it.
///
/// # Errors
/// When the system has no pipe for us.
pub fn waker() -> io::Result<(Waker, ProxyEvents)> {
    let (line, rings) = io::pipe()?;
    let (tell, told) = channel();
    Ok((Waker { tell, line: Arc::new(rings) }, ProxyEvents { told, line }))
}

impl Waker {
    /// Something happened; who does not listen any more is done.
    pub fn ring(&self, it: ProxyEvent) {
        if self.tell.send(it).is_ok() {
            (&*self.line).write_all(b"!").ok();
        }
    }
}

impl ProxyEvents {
    /// Everything that happened since.
    pub(crate) fn all(&mut self) -> io::Result<Vec<ProxyEvent>> {
        let mut rings = [0; 64];
        // It rang, so there is something to read.
        let _count = self.line.read(&mut rings)?;
        Ok(self.told.try_iter().collect())
    }
}

impl AsFd for ProxyEvents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}
