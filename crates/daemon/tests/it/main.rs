//! The tests of `daemon` from outside, as one program: linking is what takes time.

mod awake;
mod listing;
mod recordings;
mod replication;
