//! The integration tests of `rules` as one program, because linking is slow.

mod rules;
mod shells;
