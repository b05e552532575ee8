//! Counts the bytes read from a file, to distinguish a truncated file from a changed one.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The read progress of a file that another reader owns.
#[derive(Debug)]
pub(super) struct Meter {
    read: AtomicU64,
    ended: AtomicBool,
}

impl Meter {
    /// Starts after this many bytes.
    pub(super) fn new(read: u64) -> Arc<Self> {
        Arc::new(Self { read: read.into(), ended: false.into() })
    }

    /// The number of bytes read.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// Whether the end of the file was reached.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed)
    }
}

/// A reader that updates its meter.
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
