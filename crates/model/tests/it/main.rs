//! The tests of `model` from outside, as one program: linking is what takes time.

mod findings;
mod notices;
mod status;
mod status_properties;
