//! The settings of what to publish to other devices.

use super::at_home;
use serde::{Deserialize, Serialize};
use std::path::Path;
use taffrail_context::SyncSettings;

/// The settings as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyncConfig {
    /// Publish sessions to other devices; unset means if a hub is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Include texts, not only what happened when.
    pub bodies: bool,
    /// Publish only these projects.
    pub include: Vec<String>,
    /// Do not publish these projects.
    pub exclude: Vec<String>,
    /// In these projects your other devices may answer requests and send prompts.
    pub remote: Vec<String>,
}

impl SyncConfig {
    /// The parsed settings; `~` means the user's home.
    pub fn settings(&self, user_home: &Path, has_hub: bool) -> SyncSettings {
        let at_home = |it: &String| at_home(user_home, it).to_string_lossy().into_owned();
        SyncSettings {
            enabled: self.enabled.unwrap_or(has_hub),
            bodies: self.bodies,
            include: self.include.iter().map(at_home).collect(),
            exclude: self.exclude.iter().map(at_home).collect(),
            remote: self.remote.iter().map(at_home).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, with_value};

    #[test]
    fn nothing_leaves_until_it_is_said_and_home_may_be_short() {
        let set = |keys: &[(&str, &str)]| {
            let set =
                |text: String, (key, value): &(&str, &str)| with_value(&text, key, value).unwrap();
            let text = keys.iter().fold(String::new(), set);
            Config::parse(&text, Path::new("x")).unwrap().sync.settings(Path::new("/h"), false)
        };
        assert_eq!(set(&[]), SyncSettings::default());
        let all = [
            ("sync.enabled", "true"),
            ("sync.bodies", "true"),
            ("sync.exclude", r#"["~/x/*"]"#),
            ("sync.remote", r#"["~/y"]"#),
        ];
        let expected = SyncSettings {
            enabled: true,
            bodies: true,
            include: Vec::new(),
            exclude: vec!["/h/x/*".to_owned()],
            remote: vec!["/h/y".to_owned()],
        };
        assert_eq!(set(&all), expected);
    }
}
