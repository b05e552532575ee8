//! Every crate uses the workspace's lints, and every file states why it exists.

use super::Finding;
use super::files::Tree;

/// Every manifest without our lints, and every shipped file without a header.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files.iter().filter(|file| is_manifest(&file.path));
    let without = manifests.filter(|file| !obeys_lints(&file.text));
    let mut out: Vec<_> =
        without.map(|file| Finding::new(&file.path, 0, "lacks [lints] workspace = true")).collect();
    let silent = tree.shipped().filter(|(_, text)| !text.starts_with("//!"));
    out.extend(silent.map(|(path, _)| Finding::new(path, 1, "does not begin with //!")));
    out
}

fn is_manifest(path: &str) -> bool {
    path.ends_with("/Cargo.toml")
}

fn obeys_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_and_files_are_checked() {
        let check = |path: &str, text: &str, expected: Option<&str>| {
            let got = check(&Tree::of(&[(path, text)]));
            assert_eq!(got.first().map(|finding| finding.message.as_str()), expected);
        };
        let manifest = "crates/model/Cargo.toml";
        check(manifest, "[package]\n\n[lints]\nworkspace = true\n", None);
        check(manifest, "[package]\n", Some("lacks [lints] workspace = true"));
        check(manifest, "[lints]\n[a]\nworkspace = true", Some("lacks [lints] workspace = true"));
        check("Cargo.toml", "[workspace]\n", None);
        check("crates/model/src/a.rs", "//! Why.\n", None);
        check("crates/model/src/a.rs", "// Why.\n", Some("does not begin with //!"));
        check("crates/model/tests/a.rs", "", None);
    }
}
