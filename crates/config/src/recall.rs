//! Which text agents get unasked.

use serde::{Deserialize, Serialize};

/// Which text agents get unasked; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// A brief of the project at the start of a session.
    pub brief: bool,
    /// What followed the same error before, after a call that failed.
    pub errors: bool,
}
