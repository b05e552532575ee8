//! The receiver of what a pass reads.

use taffrail_model::observed::Observed;

/// Whether to continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Read the next piece.
    Continue,
    /// Stop: the writer is needed elsewhere, or the time is up.
    Stop,
}

/// Receives the pieces of a pass, and optionally the bytes they were made from. Bytes come before
/// the piece that is made from them.
pub trait Taker {
    /// Receives one piece.
    fn piece(&mut self, piece: Observed) -> Flow;

    /// A pass over lines continues at `offset`; returns the first byte that the taker needs, which may be
    /// before it.
    fn lines_from(&mut self, offset: u64) -> u64 {
        offset
    }

    /// Receives bytes of lines, one slice after another. Lines that are too long are left out.
    fn lines(&mut self, _offset: u64, _bytes: &[u8]) {}

    /// Receives a whole document.
    fn document(&mut self, _bytes: &[u8]) {}

    /// Receives a database row: table, rowid and bytes.
    fn row(&mut self, _table: &str, _number: i64, _bytes: &[u8]) {}
}

impl<F: FnMut(Observed) -> Flow> Taker for F {
    fn piece(&mut self, piece: Observed) -> Flow {
        self(piece)
    }
}
