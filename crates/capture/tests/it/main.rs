//! The tests of `capture` from outside, as one program: linking is what takes time.

mod capture;
mod confine;
