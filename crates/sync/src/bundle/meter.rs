//! How much of a file was read, so that a short one can be told from a changed one.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What is known of the file while something else reads it.
#[derive(Debug)]
pub(super) struct Meter {
    read: AtomicU64,
    ended: AtomicBool,
}

impl Meter {
    /// Begins after this many bytes.
    pub(super) fn new(read: u64) -> Arc<Self> {
        Arc::new(Self { read: read.into(), ended: false.into() })
    }

    /// How many bytes were read.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// The end of the file was seen.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed)
    }
}

/// A reader that keeps its meter.
#[derive(Debug)]
pub(super) struct Metered<R> {
    pub(super) inner: R,
    pub(super) meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let meter = &self.meter;
        let got = self.inner.read(buffer)?;
        meter.read.fetch_add(got as u64, Relaxed);
        meter.ended.fetch_or(got == 0 && !buffer.is_empty(), Relaxed);
        Ok(got)
    }
}
