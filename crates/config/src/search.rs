//! What search finds.

use serde::{Deserialize, Serialize};
use taffrail_context::Meaning;

/// What search finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Also what was said with other words.
    pub meaning: bool,
}

impl SearchConfig {
    /// Whether similar meanings are found.
    #[must_use]
    pub const fn settings(self) -> Meaning {
        if self.meaning { Meaning::Kept } else { Meaning::Dropped }
    }
}
