//! The integration tests of `sync` as one program, because linking is slow.

mod exchange;
mod hub;
mod promises;
