//! Bindings: what ties a session to its agent's own, to who runs it and to where its history is.
//!
//! The ledger keeps what was known last. Whoever asks has it looked at: whether its sources are
//! there, and whether a process lives that runs it. Nothing looks on its own.

mod executors;
mod features;
mod looking;
mod peers;
mod repairing;

pub use features::{FeatureLink, feature_of, sessions_of_feature};
pub use looking::{Followed, Tied, binding, followed, tied};
pub use repairing::{Repair, repair};

pub(crate) use looking::{binding_with, tie};
pub(crate) use peers::{peer, peers};
pub(crate) use repairing::repair_with;
