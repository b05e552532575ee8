//! What cargo knows about our crates and their dependencies.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A crate, ours or another's.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// It belongs to this workspace.
    pub(super) ours: bool,
    /// Its dependencies for building and running, not those of its tests.
    pub(super) needs: Vec<String>,
}

/// Asks cargo for all packages, including those of tests and other platforms.
pub(super) fn load(root: &Path) -> Result<Vec<Package>, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    let output = cargo
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata failed: {said}"));
    }
    let metadata = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata is not understood: {error}"))?;
    Ok(packages(&metadata))
}

fn packages(metadata: &Value) -> Vec<Package> {
    list(metadata, "packages").map(package).collect()
}

fn package(value: &Value) -> Package {
    let needs = list(value, "dependencies").filter(|need| word(need, "kind") != Some("dev"));
    Package {
        name: word(value, "name").unwrap_or_default().to_owned(),
        version: word(value, "version").unwrap_or_default().to_owned(),
        licence: word(value, "license").map(str::to_owned),
        ours: word(value, "source").is_none(),
        needs: needs.filter_map(|need| word(need, "name")).map(str::to_owned).collect(),
    }
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn word<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn needs_of_tests_are_left_out() {
        let all = packages(&json!({"packages": [{
            "name": "a", "version": "1.0.0", "license": "MIT", "source": null, "dependencies": [
                {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build"},
            ],
        }]}));
        assert_eq!(all[0].needs, ["b", "d"]);
        assert_eq!(all[0].licence.as_deref(), Some("MIT"));
        assert!(all[0].ours);
    }
}
