//! The tests of `workspace` from outside, as one program: linking is what takes time.

mod conformance;
mod directory;
