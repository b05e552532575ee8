//! The top modules of a crate have no dependency cycle.

use super::Finding;
use super::files::Tree;
use super::tokens::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Every cycle of top modules, one for each crate.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let crates = crates(tree);
    crates
        .iter()
        .filter_map(|(folder, files)| Some(complaint(folder, &circle(&arrows(files))?)))
        .collect()
}

fn complaint(folder: &str, circle: &[String]) -> Finding {
    let words = format!("has a circle of modules: {}", circle.join(" -> "));
    Finding::new(format!("{folder}/src"), 0, words)
}

/// A file of a crate: its path below `src`, and its text up to its tests.
type File<'a> = (&'a str, &'a str);

/// The shipped files of every crate, by its folder.
fn crates(tree: &Tree) -> BTreeMap<String, Vec<File<'_>>> {
    let mut out: BTreeMap<String, Vec<File<'_>>> = BTreeMap::new();
    for (path, text) in tree.shipped() {
        if let Some((folder, below)) = path.split_once("/src/") {
            out.entry(folder.to_owned()).or_default().push((below, text));
        }
    }
    out
}

/// The top module of a file; `None` for the root itself.
fn module_of(path: &str) -> Option<&str> {
    let first = path.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(name, "lib" | "main" | "bin")).then_some(name)
}

/// The dependencies between top modules.
fn arrows(files: &[File<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = files.iter().filter_map(|(path, _)| module_of(path)).collect();
    let roots = files.iter().filter(|(path, _)| matches!(*path, "lib.rs" | "main.rs"));
    let exports: BTreeMap<String, String> =
        roots.flat_map(|(_, text)| exports(text, &modules)).collect();
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files {
        let Some(own) = module_of(path) else { continue };
        let needed = after_crate(text).into_iter().filter_map(|name| {
            let found = modules.get(name.as_str()).map(|it| (*it).to_owned());
            found.or_else(|| exports.get(&name).cloned())
        });
        let needed = needed.filter(|it| it != own);
        out.entry(own.to_owned()).or_default().extend(needed);
    }
    out
}

/// The items that the root re-exports from its modules, by their name there.
fn exports(text: &str, modules: &BTreeSet<&str>) -> Vec<(String, String)> {
    let tokens = code(text);
    let mut out = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, it)| it.is("use")) {
        let path = tokens.get(at + 1..).unwrap_or_default();
        let path = path.split(|it| it.is(";")).next().unwrap_or_default();
        let module = path.iter().find(|it| !it.is("self") && !it.is("crate") && !it.is(":"));
        let Some(module) = module.filter(|it| modules.contains(it.text)) else { continue };
        let names = path.iter().filter(|it| it.text != module.text);
        out.extend(names.map(|it| (it.text.to_owned(), module.text.to_owned())));
    }
    out
}

/// The names right after `crate::`, including those in braces.
fn after_crate(text: &str) -> Vec<String> {
    let tokens = code(text);
    let mut out = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, it)| it.is("crate")) {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let [one, two, rest @ ..] = rest else { continue };
        if one.is(":") && two.is(":") {
            out.extend(first_names(rest));
        }
    }
    out
}

/// The first name of each path: of one path, or of all within the outermost braces.
fn first_names(tokens: &[Token<'_>]) -> Vec<String> {
    let Some((first, rest)) = tokens.split_first() else { return Vec::new() };
    if !first.is("{") {
        return vec![first.text.to_owned()];
    }
    let (mut depth, mut is_begin, mut out) = (1_usize, true, Vec::new());
    for token in rest {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => {}
            name if is_begin && depth == 1 => out.push(name.to_owned()),
            _ => {}
        }
        is_begin = token.is(",") && depth == 1;
        if depth == 0 {
            break;
        }
    }
    out
}

fn code(text: &str) -> Vec<Token<'_>> {
    let all = tokens(text).into_iter();
    all.filter(|it| it.kind == super::tokens::Kind::Code).collect()
}

/// One cycle, starting and ending with the same module.
fn circle(arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    arrows.keys().find_map(|start| way(arrows, start))
}

/// The shortest path from a module back to itself.
fn way(arrows: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut reached = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let end = way.last().and_then(|it| arrows.get(it));
            for next in end.into_iter().flatten() {
                let mut way = way.clone();
                way.push(next.clone());
                if next == start {
                    return Some(way);
                }
                if reached.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_of_modules_is_found() {
        let check = |lib: &str, a: &str, b: &str, expected: Option<&str>| {
            let tree = Tree::of(&[
                ("crates/x/src/lib.rs", lib),
                ("crates/x/src/a.rs", a),
                ("crates/x/src/b/mod.rs", b),
            ]);
            let found: Vec<_> = super::check(&tree).iter().map(ToString::to_string).collect();
            assert_eq!(found.join("\n"), expected.unwrap_or_default(), "{lib} {a} {b}");
        };
        let circle = Some("crates/x/src: has a circle of modules: a -> b -> a");
        check("mod a;", "use crate::b::B;", "use crate::a::A;", circle);
        check("mod a;", "use crate::b::B;", "", None);
        check("mod a;", "fn f() { crate::b::f() }", "use crate::{a::A, c};", circle);
        check("pub use a::A;", "use crate::b::B;", "use crate::A;", circle);
        check("pub use a::{self, A};", "use crate::b::B;", "// crate::a\nuse crate::D;", None);
        check("", "use crate::a::A;", "use super::b::B;", None);
        check("", "use crate::b::B;", "#[cfg(test)]\nmod tests {\n use crate::a::A;\n}", None);
    }

    #[test]
    fn the_way_of_a_circle_is_named() {
        let tree = Tree::of(&[
            ("crates/x/src/a.rs", "use crate::b::B;"),
            ("crates/x/src/b.rs", "use crate::{c::C, a_b};"),
            ("crates/x/src/c.rs", "use crate::a;"),
        ]);
        let found: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["crates/x/src: has a circle of modules: a -> b -> c -> a"]);
    }
}
