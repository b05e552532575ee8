//! The integration tests of `store` as one program, because linking takes most of the time.

mod archive;
mod store;
