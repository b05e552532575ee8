//! The integration tests of `capture` as one program, because linking takes most of the time.

mod capture;
mod confine;
