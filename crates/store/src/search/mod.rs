//! Search over everything: a projection of the index, made with tantivy.
//!
//! A document holds the words of one event and nothing else; its text is read back from the source.
//! Every commit records which index it was made from and up to which batch, so that search can
//! catch up after a crash. Deleting the folder costs only the time to rebuild it.

mod fields;
mod meaning;
mod plan;
mod query;
mod ranking;
mod reader;
mod snippet;
mod tokenizer;
mod within;
mod writer;

pub use fields::{Document, codes as kinds_meant};
pub use meaning::Meaning;
pub use plan::Want;
pub use query::{Clause, FILTERS, Query};
pub use reader::{EXACT_TOTAL, Fit, Hit, Hits, SearchReader};
pub use snippet::{Snippet, snippet};
pub use within::Match;
pub use writer::{Load, SearchWriter, Stand};
