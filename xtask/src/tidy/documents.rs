//! Documents stay short, and their links resolve.

use super::Finding;
use super::files::{File, Tree};

/// First pages, and the maximum number of their lines.
const LIMITS: [(&str, usize); 3] =
    [("README.md", 150), ("AGENTS.md", 100), ("ARCHITECTURE.md", 250)];

/// Every document that is missing, too long, or has a broken link.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let too_long = LIMITS.iter().filter_map(|(path, limit)| {
        let Some(file) = tree.file(path) else {
            return Some(Finding::new(*path, 0, "is missing"));
        };
        let lines = file.text.lines().count();
        let message = format!("{lines} lines, it stays under {limit}");
        (lines >= *limit).then(|| Finding::new(*path, 0, message))
    });
    let ours = |file: &&File| file.path.ends_with(".md") && !file.path.contains("/fixtures/");
    let dead = tree.files.iter().filter(ours);
    too_long.chain(dead.flat_map(|file| dead_links(tree, file))).collect()
}

fn dead_links(tree: &Tree, file: &File) -> Vec<Finding> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let dead = links(&file.text).into_iter().filter(|(_, target)| {
        let path = resolved(folder, target);
        !path.is_some_and(|path| tree.has(&path))
    });
    dead.map(|(line, target)| Finding::new(&file.path, line, format!("dead link: {target}")))
        .collect()
}

/// The targets of relative links outside code, with their lines.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut in_code = false;
    for (line, number) in text.lines().zip(1..) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            // Every second piece between backticks is code.
            let prose = line.split('`').step_by(2);
            out.extend(prose.flat_map(targets).map(|target| (number, target)));
        }
    }
    out
}

fn targets(prose: &str) -> impl Iterator<Item = &str> {
    // A link's own text may be code, so its opening bracket may be in another piece.
    let after = prose.split("](").skip(1);
    let targets = after.filter_map(|text| text.split([')', ' ']).next());
    let targets = targets.map(|target| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

/// The path below the root, or `None` if it leads out of it.
fn resolved(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = vec![("AGENTS.md", ""), ("ARCHITECTURE.md", "")];
        all.extend_from_slice(files);
        let found = check(&Tree::of(&all));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_lead_somewhere() {
        let check = |text: &str, expected: &[&str]| {
            let files = [("README.md", ""), ("docs/a.md", text), ("docs/b/c.md", "")];
            assert_eq!(messages(&files), expected, "{text}");
        };
        check("[b](b/c.md) [up](../README.md#top) [b](b/) [root](..)", &[]);
        check("[web](https://example.org) [here](#x) [mail](mailto:a@b)", &[]);
        check("[x](c.md)", &["docs/a.md:1: dead link: c.md"]);
        check("[out](../../x)", &["docs/a.md:1: dead link: ../../x"]);
        check("\n[`x`](gone \"title\")", &["docs/a.md:2: dead link: gone"]);
        check("`[x](gone)` and\n```\n[x](gone)\n```\n", &[]);
    }

    #[test]
    fn first_pages_are_short_and_there() {
        let check = |lines: usize, expected: &[&str]| {
            assert_eq!(messages(&[("README.md", &"\n".repeat(lines))]), expected);
        };
        check(149, &[]);
        check(150, &["README.md: 150 lines, it stays under 150"]);
        assert_eq!(messages(&[]), ["README.md: is missing"]);
    }
}
