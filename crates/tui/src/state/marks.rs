//! What can be undone, and the answer to several requests before it goes out.

use crate::state::input::Input;
use std::collections::BTreeSet;
use taffrail_api::Allowed;
use taffrail_model::SessionId;
use taffrail_model::approval::ApprovalId;

/// Something that can be undone; a decision cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undo {
    /// These were marked before.
    Marks(BTreeSet<SessionId>),
    /// The board was narrowed to this before.
    Filter(Input),
}

/// The answer to several requests, before it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Many {
    pub(crate) decision: Allowed,
    pub(crate) requests: Vec<ApprovalId>,
    /// The reason that goes to the agents with a refusal.
    pub(crate) input: Input,
}
