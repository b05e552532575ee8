//! The meaning of a short text as a vector.
//!
//! A table gives every word piece a direction and a weight; the vector of a text is the direction of
//! their weighted sum. Two texts with other words for the same thing point in similar directions.
//! `table/README.md` says where the table comes from.

mod pieces;
mod split;
mod table;
mod vector;

pub use vector::{Vector, WORDS};

/// The dimensions of a vector.
pub const DIMENSIONS: usize = 192;

/// The direction of a short text, such as a question; `None` if the table knows none of its words.
#[must_use]
pub fn vector(text: &str) -> Option<Vector> {
    table::built_in().vector(text)
}

/// The directions of the pieces of a text.
pub fn vectors(text: &str) -> impl Iterator<Item = Vector> {
    pieces::pieces(text).filter_map(vector)
}
