//! Search over everything: a projection of the index, made with tantivy.
//!
//! A document holds the words of one event and nothing else; its text is read back from the source.
//! Every commit says which index it was made from and how far it goes, so that it can catch up
//! after a crash. Throwing the folder away costs time and nothing else.

mod fields;
mod forms;
mod plan;
mod query;
mod ranking;
mod reader;
mod snippet;
mod tokenizer;
mod words;
mod writer;

pub use fields::{Document, codes as kinds_meant};
pub use plan::Want;
pub use query::{Clause, FILTERS, Query};
pub use reader::{EXACT_TOTAL, Hit, Hits, SearchReader};
pub use snippet::{Snippet, snippet};
pub use writer::{Load, SearchWriter, Stand};
