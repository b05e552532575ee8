//! Finds the project of a chat, which the chat itself does not name.

use crate::Source;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Contains the project's path, in the project's own folder.
const MARKER: &str = ".project_root";
/// Maps the paths of all projects to the names of their folders.
const REGISTRY: &str = "projects.json";

#[derive(Deserialize)]
struct Registry {
    projects: BTreeMap<String, String>,
}

/// The files that name the project of a folder.
pub(super) fn beside(slug: &str) -> Vec<String> {
    vec![format!("tmp/{slug}/{MARKER}"), REGISTRY.to_owned()]
}

/// The path of the project with this folder.
pub(super) fn path(source: &Source<'_>, slug: &str) -> Option<String> {
    marked(source).or_else(|| registered(source, slug))
}

fn marked(source: &Source<'_>) -> Option<String> {
    let text = std::str::from_utf8(source.beside(MARKER)?).ok()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn registered(source: &Source<'_>, slug: &str) -> Option<String> {
    let registry: Registry = serde_json::from_slice(source.beside(REGISTRY)?).ok()?;
    registry.projects.into_iter().find_map(|(path, name)| (name == slug).then_some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_goes_before_the_registry() {
        let registry = (REGISTRY.to_owned(), br#"{"projects":{"/a":"x","/b":"y"}}"#.to_vec());
        let marker = ("tmp/y/.project_root".to_owned(), b"/c\n".to_vec());
        let check = |beside: &[(String, Vec<u8>)], expected: Option<&str>| {
            let source = Source { path: "", key: "", scope: "", beside, written: None };
            assert_eq!(path(&source, "y").as_deref(), expected);
        };
        check(&[], None);
        check(&[(REGISTRY.to_owned(), b"{".to_vec())], None);
        check(std::slice::from_ref(&registry), Some("/b"));
        check(&[marker, registry], Some("/c"));
    }
}
