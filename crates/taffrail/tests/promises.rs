//! The page of promises names no test that is not there.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]

use std::fs;
use std::path::Path;

/// All source text below a folder.
fn code_below(folder: &Path, out: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code_below(&path, out);
        } else if path.extension().is_some_and(|it| it == "rs") {
            *out += &fs::read_to_string(&path).unwrap();
        }
    }
}

#[test]
fn every_promise_of_security_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut code = String::new();
    code_below(&root.join("crates"), &mut code);
    for row in page.lines().filter(|it| it.starts_with("| ") && !it.starts_with("| #")) {
        let cell = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test holds {row}");
        for name in names {
            assert!(code.contains(&format!("fn {name}(")), "{name}");
        }
    }
}
