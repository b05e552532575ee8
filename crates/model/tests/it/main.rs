//! The integration tests of `model` as one program, because linking is slow.

mod findings;
mod notices;
mod quota;
mod runway;
mod status;
mod status_properties;
