//! Removes secrets from text before it leaves: keywords show where to look, a pattern finds
//! candidates, and a measure of randomness separates secrets from words and placeholders.
//!
//! Pure. The work is linear in the length of the text, whatever the text.

mod block;
mod cut;
mod entropy;
mod password;
mod placeholder;
mod replace;
mod rule;
mod rules;
mod scan;
mod value;

pub use replace::{find, kinds, redact};
pub use scan::work_of;
pub use value::{redact_field, redact_value};
