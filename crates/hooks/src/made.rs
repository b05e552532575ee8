//! What of the surroundings of our calls was not there before.

/// What of the surroundings of our calls was not there before.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Made {
    /// The file.
    #[serde(default)]
    pub(crate) file: bool,
    /// All that the file says.
    #[serde(default)]
    pub(crate) root: bool,
    /// The place for hooks.
    #[serde(default)]
    pub(crate) hooks: bool,
    /// The places for the hooks of these events.
    #[serde(default)]
    pub(crate) events: Vec<String>,
}

impl Made {
    pub(crate) fn made_event(&self, event: &str) -> bool {
        self.hooks || self.events.iter().any(|it| it == event)
    }
}
