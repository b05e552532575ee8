//! The surroundings of our calls that we created.

/// The surroundings of our calls that we created.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Made {
    /// The file.
    #[serde(default)]
    pub(crate) file: bool,
    /// How many of the folders above it.
    #[serde(default)]
    pub(crate) folders: usize,
    /// The whole content of the file.
    #[serde(default)]
    pub(crate) root: bool,
    /// The container of all hooks.
    #[serde(default)]
    pub(crate) hooks: bool,
    /// The containers of the hooks of these events.
    #[serde(default)]
    pub(crate) events: Vec<String>,
}

impl Made {
    pub(crate) fn made_event(&self, event: &str) -> bool {
        self.hooks || self.events.iter().any(|it| it == event)
    }
}
