//! Bindings: what ties a session to its agent's own, to who runs it and to where its history is.
//!
//! The ledger keeps what was known last. Whoever asks has it looked at: whether its sources are
//! there, and whether a process lives that runs it. Nothing looks on its own.

mod binding;
mod executors;
mod features;
mod peers;
mod repair;

pub use binding::{Followed, Tied, followed, tied};
pub use features::{FeatureLink, feature_of, sessions_of_feature};
pub use repair::Repair;

pub use binding::{binding_with, tie};
pub use peers::{peer, peers};
pub use repair::repair_with;
