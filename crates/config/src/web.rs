//! How browsers reach the pages.

use serde::{Deserialize, Serialize};
use taffrail_context::PublicUrl;

/// The settings of the pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebConfig {
    /// The address of the user's own tunnel; unset for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<PublicUrl>,
}
