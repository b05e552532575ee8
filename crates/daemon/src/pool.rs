//! The threads that read sources.

use crate::indexing::Budget;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use taffrail_capture::{Flow, Job, Reading, Taker, Texts, read};
use taffrail_model::observed::Observed;

/// What a reader has to say.
pub(crate) enum Message {
    /// A piece of a source.
    Piece(Box<Observed>),
    /// A source that could not be read.
    Problem(String),
}

/// What the reading threads and the writer share.
pub(crate) struct Pool<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    budget: Budget,
    stopped: AtomicBool,
    texts: Texts,
    device: &'a str,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(jobs: &'a [Job], budget: Budget, texts: Texts, device: &'a str) -> Self {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { jobs, next, budget, stopped, texts, device }
    }

    /// Asks every reader to stop at its next piece.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Something was left unread.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Reads jobs until there are none.
    pub(crate) fn read_all(&self, send: &SyncSender<Message>) {
        while !self.is_over() {
            let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let scope = self.scope_of(job);
            let how = Reading { scope: &scope, texts: self.texts };
            let mut hands = Hands { pool: self, send };
            if let Err(error) = read(job, how, &mut hands) {
                hands.give(Message::Problem(error.to_string()));
            }
        }
    }

    fn scope_of(&self, job: &Job) -> String {
        if job.found.adapter.descriptor().scoped_ids {
            format!("{}:{}/{}", self.device, job.found.home, job.found.path)
        } else {
            String::new()
        }
    }

    fn is_over(&self) -> bool {
        let late = match self.budget {
            Budget::Whole => false,
            Budget::Until(end) => Instant::now() >= end,
        };
        if late {
            self.stop();
        }
        self.is_stopped()
    }
}

/// Takes what is read from one source to the writer.
struct Hands<'a> {
    pool: &'a Pool<'a>,
    send: &'a SyncSender<Message>,
}

impl Hands<'_> {
    fn give(&self, message: Message) -> Flow {
        // The writer hangs up when it fails; there is no one to tell.
        let gone = self.send.send(message).is_err();
        if gone || self.pool.is_over() { Flow::Stop } else { Flow::Continue }
    }
}

impl Taker for Hands<'_> {
    fn piece(&mut self, piece: Observed) -> Flow {
        self.give(Message::Piece(Box::new(piece)))
    }
}
