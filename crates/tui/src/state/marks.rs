//! What can be undone, and the draft of an answer to several requests.

use crate::state::input::Input;
use std::collections::BTreeSet;
use taffrail_api::Allowed;
use taffrail_model::SessionId;
use taffrail_model::approval::ApprovalId;

/// A step that can be undone; a decision cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undo {
    /// The marks before the step.
    Marks(BTreeSet<SessionId>),
    /// The filter before the step.
    Filter(Input),
}

/// The draft of an answer to several requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Many {
    pub(crate) decision: Allowed,
    pub(crate) requests: Vec<ApprovalId>,
    /// The reason sent to the agents with a refusal.
    pub(crate) input: Input,
}
