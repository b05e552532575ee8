//! Carrying a session to another device: packed into one sealed file here, unpacked there, where its
//! own agent goes on with it.

mod error;
mod forking;
mod freight;
mod git;
mod opening;
mod pack;
mod papers;
mod placing;
mod reduced;
mod remarks;
mod sources;
mod unpack;

pub use error::TeleportError;
pub use pack::{PackWish, pack};
pub(crate) use reduced::Reduce;
pub use unpack::{Arrived, Extras, UnpackWish, events_here, unpack};

/// The folder of a project's plans.
const PLAN: &str = ".ai-session";
