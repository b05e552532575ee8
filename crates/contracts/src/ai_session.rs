//! The `.ai-session` directory, version 1.0: the types of its files, their validation, and the replay of
//! their history.
//!
//! A project keeps the plan and the state of its features in this directory, and several agents
//! write there. The documents are YAML and lines of JSON; here they are values, read by the caller.

mod acknowledgment;
mod change;
mod check;
mod documents;
mod id;
mod link;
mod moves;
mod replay;
mod shapes;
mod time;

pub use acknowledgment::{Acknowledgment, acknowledge, acknowledgments, checksum, known_checksums};
pub use change::{Change, Current, What};
pub use check::{rules, validate, validate_any};
pub use documents::{
    ActiveFeature, ErrorContext, HistoryLine, Model, Operation, Outcome, Phase, Plan, PlanFeature,
    Task,
};
pub use id::{feature_id, slug};
pub use link::{Linkable, feature_of};
pub use moves::{FeatureMove, FeatureStatus, TaskMove, TaskStatus};
pub use replay::{Replayed, replay};
pub use shapes::{Kind, kind_of, schema};
pub use time::{after, instant, is_feature_id};

/// The supported version of the contract.
pub const VERSION: &str = "1.0";
/// The directory's name.
pub const FOLDER: &str = ".ai-session";
/// The list of features, in the directory itself.
pub const ACTIVE_FEATURES: &str = "active-features.yaml";
/// The agents that have read the contract, in the directory itself.
pub const ACKNOWLEDGMENT: &str = "contract-acknowledgment.md";
/// An explanation of the directory for people, in the directory itself.
pub const README: &str = "README.md";
/// The plan, in a feature's directory.
pub const PLAN: &str = "implementation-plan.yaml";
/// The history, in a feature's directory.
pub const HISTORY: &str = "history.jsonl";
/// The state, in a feature's directory.
pub const STATE: &str = "state.yaml";
/// The artifacts, in a feature's directory.
pub const ARTIFACTS: &str = "artifacts";
/// The contract as printed and acknowledged, byte for byte.
pub const CONTRACT: &str = include_str!("ai_session/contract.md");
/// The text of the directory's `README.md`.
pub const README_TEXT: &str = include_str!("ai_session/readme.md");
