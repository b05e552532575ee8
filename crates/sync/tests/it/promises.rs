//! The pages about sealing and hubs name only existing tests.
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

/// The last cells of tables whose last column has the heading `test`.
fn claims(page: &str) -> Vec<&str> {
    let mut in_table = false;
    let mut out = Vec::new();
    for row in page.lines() {
        let is_head = row.starts_with('|') && row.ends_with("| test |");
        in_table = is_head || (in_table && row.starts_with('|'));
        if in_table && !is_head && !row.starts_with("|-") {
            out.push(row);
        }
    }
    out
}

#[test]
fn every_claim_names_a_test_that_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = String::new();
    code_below(&here.join(".."), &mut code);
    for (page, least) in [("sealing.md", 45), ("hub.md", 9)] {
        let page = fs::read_to_string(here.join("../../docs").join(page)).unwrap();
        let claims = claims(&page);
        assert!(claims.len() > least, "{} claims", claims.len());
        for row in claims {
            let cell = row.trim_end_matches('|').rsplit('|').next().unwrap();
            let names: Vec<_> = cell.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "no test holds {row}");
            for name in names {
                assert!(code.contains(&format!("fn {name}(")), "{name}");
            }
        }
    }
}
