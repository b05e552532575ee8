//! The threads that read sources.

use crate::copier::{CapturePolicy, Copier};
use crate::scope::Budget;
use crate::sink::PieceSink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use taffrail_adapters::Adapter;
use taffrail_capture::{Flow, Job, Reading, Texts, read};
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
    texts: Texts,
    device: &'a str,
    rules: &'a CapturePolicy,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(
        jobs: &'a [Job],
        budget: Budget<'a>,
        (texts, device): (Texts, &'a str),
        rules: &'a CapturePolicy,
    ) -> Self {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { jobs, next, budget, stopped, texts, device, rules }
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
            let found = &job.found;
            let scope = scope_of(self.device, found.adapter, (&found.home, &found.path));
            let how = Reading { scope: &scope, texts: self.texts };
            let keeping = Copier::new(self.rules, job, &mut packer);
            let give = |piece| self.give(send, Message::Piece(piece));
            let mut hands = PieceSink { keeping, give };
            let read = read(job, how, &mut hands).err().map(|error| error.to_string());
            let kept = hands.keeping.problem();
            let packed = self.rules.repack(job, &mut packer).err().map(|it| it.to_string());
            for problem in read.into_iter().chain(kept).chain(packed) {
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

/// The scope in which an agent's session ids are unique: global, or one file of one device.
pub(crate) fn scope_of(device: &str, adapter: &dyn Adapter, (home, path): (&str, &str)) -> String {
    if adapter.descriptor().scoped_ids { format!("{device}:{home}/{path}") } else { String::new() }
}
