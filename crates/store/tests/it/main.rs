//! The tests of `store` from outside, as one program: linking is what takes time.

mod archive;
mod store;
