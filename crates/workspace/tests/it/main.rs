//! The integration tests of `workspace` as one program, because linking is slow.

mod conformance;
mod directory;
