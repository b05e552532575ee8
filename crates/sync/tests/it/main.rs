//! The tests of `sync` from outside, as one program: linking is what takes time.

mod exchange;
mod hub;
mod promises;
