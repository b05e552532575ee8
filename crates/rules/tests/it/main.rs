//! The tests of `rules` from outside, as one program: linking is what takes time.

mod rules;
mod shells;
