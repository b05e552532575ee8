//! The settings of the MCP server.

use crate::at_home;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The settings of the MCP server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Projects whose sessions agents do not see through MCP.
    pub exclude: Vec<String>,
}

impl McpConfig {
    /// The excluded folders; `~` means the user's home.
    #[must_use]
    pub fn folders(&self, user_home: &Path) -> Vec<String> {
        let folder = |it: &String| at_home(user_home, it).to_string_lossy().into_owned();
        self.exclude.iter().map(folder).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_users_home() {
        let config = McpConfig { exclude: vec!["~/a".into(), "/b".into()] };
        assert_eq!(config.folders(Path::new("/h")), ["/h/a", "/b"]);
    }
}
