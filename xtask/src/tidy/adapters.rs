//! Every adapter's folder has the files that a reader and the conformance suite need.

use super::Finding;
use super::agents::folders;
use super::files::Tree;
use std::collections::BTreeSet;

/// Everything that an adapter's folder lacks.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    folders(tree).iter().flat_map(|folder| check_folder(tree, folder)).collect()
}

fn check_folder(tree: &Tree, folder: &str) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut lacks = |what: String| out.push(Finding::new(folder, 0, format!("lacks {what}")));
    for file in ["mod.rs", "README.md"] {
        if !tree.has(&format!("{folder}/{file}")) {
            lacks(file.to_owned());
        }
    }
    let fixtures = format!("{folder}/fixtures");
    let cases: BTreeSet<_> =
        tree.below(&fixtures).filter_map(|path| path.split('/').next()).collect();
    if cases.is_empty() {
        lacks("fixtures/<case>/".to_owned());
    }
    for case in cases {
        for part in ["expected.jsonl", "home"] {
            if !tree.has(&format!("{fixtures}/{case}/{part}")) {
                lacks(format!("fixtures/{case}/{part}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_whole() {
        let check = |paths: &[&str], expected: &[&str]| {
            let paths: Vec<_> =
                paths.iter().map(|path| format!("crates/adapters/src/toy/{path}")).collect();
            let mut files = vec![("crates/adapters/src/lib.rs", "\nadapters! { toy }")];
            files.extend(paths.iter().map(|path| (path.as_str(), "")));
            let got: Vec<_> =
                check(&Tree::of(&files)).into_iter().map(|finding| finding.message).collect();
            assert_eq!(got, expected);
        };
        let whole = ["mod.rs", "README.md", "fixtures/a/expected.jsonl", "fixtures/a/home/x"];
        check(&whole, &[]);
        check(&whole[..2], &["lacks fixtures/<case>/"]);
        check(&whole[..3], &["lacks fixtures/a/home"]);
        check(
            &["fixtures/a/home/x"],
            &["lacks mod.rs", "lacks README.md", "lacks fixtures/a/expected.jsonl"],
        );
    }
}
