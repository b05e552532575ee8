//! Who takes what a pass reads.

use taffrail_model::observed::Observed;

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Read the next piece.
    Continue,
    /// The writer is wanted elsewhere, or time is up.
    Stop,
}

/// Takes the pieces of a pass, and the bytes they were made from if it wants to keep them. Bytes
/// come before the piece that is made from them.
pub trait Taker {
    /// What was said.
    fn piece(&mut self, piece: Observed) -> Flow;

    /// A pass over lines goes on at `offset`; answers with the first byte that is wanted, which may
    /// lie before it.
    fn lines_from(&mut self, offset: u64) -> u64 {
        offset
    }

    /// Bytes of lines, one slice after the other. A line that is too long is left out.
    fn lines(&mut self, _offset: u64, _bytes: &[u8]) {}

    /// A whole document.
    fn document(&mut self, _bytes: &[u8]) {}

    /// A row of a database, by its table, its number and its bytes.
    fn row(&mut self, _table: &str, _number: i64, _bytes: &[u8]) {}
}

impl<F: FnMut(Observed) -> Flow> Taker for F {
    fn piece(&mut self, piece: Observed) -> Flow {
        self(piece)
    }
}
