//! The integration tests of `daemon` as one program, because linking takes most of the time.

mod awake;
mod listing;
mod recordings;
mod replication;
mod statuses;
mod timeouts;
