//! Passes what is read from one source to the writer, and archives it.

use crate::copier::Copier;
use taffrail_capture::{Flow, Taker};
use taffrail_model::observed::Observed;

/// Archives everything and forwards the pieces.
pub(crate) struct PieceSink<'a, G> {
    pub(crate) keeping: Copier<'a>,
    pub(crate) give: G,
}

impl<G: FnMut(Box<Observed>) -> Flow> Taker for PieceSink<'_, G> {
    fn piece(&mut self, mut piece: Observed) -> Flow {
        self.keeping.piece(&mut piece);
        (self.give)(Box::new(piece))
    }

    fn lines_from(&mut self, offset: u64) -> u64 {
        self.keeping.lines_from(offset)
    }

    fn lines(&mut self, offset: u64, bytes: &[u8]) {
        self.keeping.lines(offset, bytes);
    }

    fn document(&mut self, bytes: &[u8]) {
        self.keeping.document(bytes);
    }

    fn row(&mut self, table: &str, number: i64, bytes: &[u8]) {
        self.keeping.row(table, number, bytes);
    }
}
