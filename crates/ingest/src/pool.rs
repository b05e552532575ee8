//! The threads that read sources.

use crate::scope::Budget;
use crate::source_reader::SourceReader;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use taffrail_capture::{Flow, Job};
use taffrail_model::observed::Observed;
use taffrail_store::archive::Packer;

/// A message of a reader.
pub(crate) enum Message {
    /// A piece of a source.
    Piece(Box<Observed>),
    /// A source that could not be read.
    Problem(String),
}

/// The state that the reading threads and the writer share.
pub(crate) struct Pool<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    budget: Budget<'a>,
    stopped: AtomicBool,
    reader: SourceReader<'a>,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(jobs: &'a [Job], budget: Budget<'a>, reader: SourceReader<'a>) -> Self {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { jobs, next, budget, stopped, reader }
    }

    /// Asks every reader to stop at its next piece.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether something was left unread.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Reads jobs until there are none.
    pub(crate) fn read_all(&self, send: &SyncSender<Message>) {
        let mut packer = match Packer::new() {
            Ok(packer) => packer,
            Err(error) => {
                // Without memory for compression there is none for reading either.
                send.send(Message::Problem(error.to_string())).ok();
                return;
            }
        };
        while !self.is_over() {
            let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let give = |piece| self.give(send, Message::Piece(piece));
            for problem in self.reader.read(job, &mut packer, give) {
                self.give(send, Message::Problem(problem));
            }
        }
    }

    fn give(&self, send: &SyncSender<Message>, message: Message) -> Flow {
        // The writer hangs up when it fails; then nothing receives the message.
        let gone = send.send(message).is_err();
        if gone || self.is_over() { Flow::Stop } else { Flow::Continue }
    }

    fn is_over(&self) -> bool {
        if self.budget.is_over() {
            self.stop();
        }
        self.is_stopped()
    }
}
