//! Takes secrets out of text before it leaves: keywords say where to look, a pattern says what
//! is meant, and a measure of chance tells a secret from a word or a placeholder.
//!
//! Pure. The work grows with the text and nothing else, whatever the text.

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
