//! Finds the project of a chat, which the chat itself does not name.

use serde::Deserialize;
use std::collections::BTreeMap;
use taffrail_kit::Speaker;

/// Contains the project's path, in the project's own folder.
const MARKER: &str = ".project_root";
/// Maps the paths of all projects to the names of their folders.
const REGISTRY: &str = "projects.json";

/// The files that name the project of a folder.
pub(super) const BESIDE: &[&str] = &["tmp/{project}/.project_root", REGISTRY];

#[derive(Deserialize)]
struct Registry {
    projects: BTreeMap<String, String>,
}

/// The path of the project of a chat.
pub(super) fn path(speaker: &Speaker<'_, '_>) -> Option<String> {
    let folder = speaker.name("project")?;
    marked(speaker.beside(MARKER)).or_else(|| registered(speaker.beside(REGISTRY)?, folder))
}

fn marked(marker: Option<&str>) -> Option<String> {
    let text = marker?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn registered(registry: &str, folder: &str) -> Option<String> {
    let registry: Registry = serde_json::from_str(registry).ok()?;
    registry.projects.into_iter().find_map(|(path, name)| (name == folder).then_some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_by_its_marker_or_the_registry() {
        assert_eq!(marked(Some("/c\n")).as_deref(), Some("/c"));
        assert_eq!(marked(Some("\n")), None);
        let registry = r#"{"projects":{"/a":"x","/b":"y"}}"#;
        assert_eq!(registered(registry, "y").as_deref(), Some("/b"));
        assert_eq!(registered(registry, "z"), None);
        assert_eq!(registered("{", "y"), None);
    }
}
