//! Examples in comments are text: an example that runs is a test, which is built with the others
//! instead of as a separate program.

use super::Finding;
use super::files::{File, Tree};

const FENCE: &str = "```";

/// Every block of code in a comment that would be built and run.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|it| it.path.ends_with(".rs")).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut is_inside = false;
    let mut out = Vec::new();
    for (line, number) in file.text.lines().zip(1..) {
        let Some(fence) = fence(line) else { continue };
        if !is_inside && fence != "text" {
            out.push(Finding::new(&file.path, number, "an example in a comment: write a test"));
        }
        is_inside = !is_inside;
    }
    out
}

/// The text after the fence in a comment.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    comment.trim_start().strip_prefix(FENCE).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_a_comment_is_found() {
        let check = |text: &str, expected: &[usize]| {
            let found = check(&Tree::of(&[("crates/a/src/lib.rs", text)]));
            let lines: Vec<_> = found.iter().map(|it| it.line).collect();
            assert_eq!(lines, expected, "{text}");
        };
        check("/// ```\n/// run()\n/// ```", &[1]);
        check("x\n    //! ```rust,no_run\n    //! ```\n    //! ```text\n    //! ```", &[2]);
        check("/// ```text\n/// a\n/// ```", &[]);
        check("let a = \"```\"; // ```", &[]);
    }
}
