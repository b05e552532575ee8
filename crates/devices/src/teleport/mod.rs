//! Moves a session to another device: packed into one sealed file here, unpacked there, where its
//! own agent resumes it.

mod annotations;
mod entries;
mod fork;
mod git;
mod metadata;
mod open;
mod pack;
mod patch;
mod place_files;
mod redact;
mod sources;
mod unpack;

pub use pack::{PackWish, pack};
pub use redact::Reduce;
pub use unpack::{Arrived, Extras, UnpackWish, events_here, unpack};

/// The folder of a project's plans.
const PLAN: &str = ".ai-session";
