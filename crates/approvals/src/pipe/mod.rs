//! The pipe between an editor and an agent: what it reports goes into the journal, and its requests
//! to the broker.

mod desk;
mod observer;

pub use observer::{PipeObserver, PipedAgent};
