//! Bindings: the links from a session to its runtime session, its executor and its history.
//!
//! The ledger stores the last known values. Each query checks whether the sources exist and whether
//! a process runs the session. Nothing checks in the background.

mod binding;
mod capability;
mod executors;
mod features;
mod history;
mod peers;
mod repair;

pub use binding::{Followed, Tied, followed, histories, tied};
pub use features::{FeatureLink, feature_of, sessions_of_feature};
pub use repair::Repair;

pub use binding::{binding_with, tie};
pub use peers::{peer, peers};
pub use repair::repair_with;
