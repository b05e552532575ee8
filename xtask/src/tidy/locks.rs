//! Everything in the lock files comes from a registry and has a checksum: no repository, no URL, no
//! folder.

use super::Finding;
use super::files::Tree;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use toml::{Table, Value};

const CRATES: &str = "Cargo.lock";
/// The locks of npm, and what each has to lock.
const PACKAGES: [(&str, &str); 2] = [
    ("web/package-lock.json", "web/package.json"),
    ("packaging/vscode/package-lock.json", "packaging/vscode/package.json"),
];

/// npm's names for the dependencies of a package.
const NEEDS: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Everything in a lock file that could change by tomorrow.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let text = |path: &str| tree.file(path).map(|file| file.text.as_str());
    let crates = text(CRATES).and_then(crates);
    let of = |path: &'static str, found: Option<Vec<String>>| {
        let found = found.unwrap_or_else(|| vec!["is missing or is not understood".to_owned()]);
        found.into_iter().map(move |it| Finding::new(path, 0, it))
    };
    let locks = PACKAGES.into_iter().flat_map(|(lock, asked)| {
        let both = text(lock).zip(text(asked));
        of(lock, both.and_then(|(locked, needs)| packages(locked, needs, asked)))
    });
    of(CRATES, crates).chain(locks).collect()
}

fn crates(text: &str) -> Option<Vec<String>> {
    let table: Table = text.parse().ok()?;
    let all = table.get("package")?.as_array()?;
    let registry = usual_registry(all);
    let complaints = all.iter().filter_map(|it| {
        let why = crate_complaint(it, registry)?;
        Some(format!("{} {why}", word(it, "name").unwrap_or("?")))
    });
    Some(complaints.collect())
}

/// The registry of most crates: cargo's own.
fn usual_registry(all: &[Value]) -> Option<&str> {
    let mut counts = BTreeMap::new();
    let sources = all.iter().filter_map(|it| word(it, "source"));
    for source in sources.filter(|it| it.starts_with("registry+")) {
        *counts.entry(source).or_insert(0) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(source, _)| source)
}

fn crate_complaint(package: &Value, registry: Option<&str>) -> Option<&'static str> {
    // A crate of ours has no source.
    let source = word(package, "source")?;
    if !source.starts_with("registry+") {
        return Some("does not come from a registry");
    }
    if Some(source) != registry {
        return Some("comes from another registry than the rest");
    }
    word(package, "checksum").is_none().then_some("has no checksum")
}

fn word<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn packages(lock: &str, asked: &str, name: &str) -> Option<Vec<String>> {
    let lock: Json = serde_json::from_str(lock).ok()?;
    let asked: Json = serde_json::from_str(asked).ok()?;
    let all = lock.get("packages")?.as_object()?;
    let is_same =
        NEEDS.iter().all(|kind| all.get("").and_then(|it| it.get(kind)) == asked.get(kind));
    let complaints = all.iter().filter_map(|(path, it)| {
        let why = if path.is_empty() { needs_complaint(it) } else { package_complaint(it) };
        Some(format!("{} {}", if path.is_empty() { name } else { path }, why?))
    });
    // A dependency that is requested and not locked would be chosen again with every build.
    let other = (!is_same).then(|| format!("does not lock what {name} asks for"));
    Some(complaints.chain(other).collect())
}

/// Checks a package of the lock. Without `resolved` npm asks its registry for name and version.
fn package_complaint(package: &Json) -> Option<&'static str> {
    let text = |name: &str| package.get(name).and_then(Json::as_str);
    if text("resolved").is_some() || package.get("link").is_some() {
        return Some("names where it comes from: npm install --omit-lockfile-registry-resolved");
    }
    if !text("version").is_some_and(is_version) {
        return Some("has no version that a registry knows");
    }
    if !text("integrity").is_some_and(|it| it.starts_with("sha512-")) {
        return Some("has no checksum");
    }
    needs_complaint(package)
}

/// Checks its dependencies: a version or a range, and no URL.
fn needs_complaint(package: &Json) -> Option<&'static str> {
    let needs = NEEDS.iter().filter_map(|kind| package.get(kind)?.as_object());
    let mut asked = needs.flat_map(|it| it.values()).filter_map(Json::as_str);
    asked.any(|it| it.contains([':', '/'])).then_some("asks for something that is no version")
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains([':', '/', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_crate_comes_from_the_registry_with_a_checksum() {
        let check = |lines: &str, expected: &[&str]| {
            let usual = "[[package]]\nname = \"a\"\nsource = \"registry+x\"\nchecksum = \"1\"\n";
            let text = format!("{usual}{usual}[[package]]\nname = \"b\"\n{lines}");
            assert_eq!(crates(&text).unwrap(), expected, "{lines}");
        };
        check("", &[]);
        check("source = \"registry+x\"\nchecksum = \"2\"", &[]);
        check("source = \"registry+x\"", &["b has no checksum"]);
        check("source = \"git+x\"", &["b does not come from a registry"]);
        let other = "source = \"registry+y\"\nchecksum = \"2\"";
        check(other, &["b comes from another registry than the rest"]);
    }

    #[test]
    fn a_package_comes_from_the_registry_with_a_checksum() {
        let check = |package: Json, expected: &[&str]| {
            let mut whole = json!({"version": "1.2.3-a.1+b", "integrity": "sha512-x"});
            for (name, value) in package.as_object().unwrap() {
                whole[name] = value.clone();
            }
            let lock = json!({"packages": {"": {}, "n": whole}}).to_string();
            assert_eq!(packages(&lock, "{}", "a.json").unwrap(), expected, "{package}");
        };
        check(json!({}), &[]);
        check(json!({"dependencies": {"a": "^1 || >=2.0.0", "b": "*"}}), &[]);
        check(json!({"integrity": null}), &["n has no checksum"]);
        check(json!({"integrity": "sha1-x"}), &["n has no checksum"]);
        let elsewhere =
            "n names where it comes from: npm install --omit-lockfile-registry-resolved";
        check(json!({"resolved": "git+ssh://x"}), &[elsewhere]);
        check(json!({"link": true}), &[elsewhere]);
        for version in ["git+ssh://x#1", "http://x/1.tgz", "file:../x"] {
            check(json!({"version": version}), &["n has no version that a registry knows"]);
            let asks = json!({"dependencies": {"a": version}});
            check(asks, &["n asks for something that is no version"]);
        }
        check(
            json!({"optionalDependencies": {"a": "who/what"}}),
            &["n asks for something that is no version"],
        );
    }

    #[test]
    fn a_lock_locks_what_is_asked_for() {
        let check = |locked: Json, asked: Json, expected: &[&str]| {
            let lock = json!({"packages": {"": locked}}).to_string();
            let found = packages(&lock, &asked.to_string(), "a.json").unwrap();
            assert_eq!(found, expected, "{asked}");
        };
        let one = json!({"devDependencies": {"a": "1.0.0"}});
        check(one.clone(), one.clone(), &[]);
        let other = "does not lock what a.json asks for";
        check(one.clone(), json!({"devDependencies": {"a": "1.0.1"}}), &[other]);
        check(json!({}), one, &[other]);
        let address = json!({"dependencies": {"a": "git+ssh://x"}});
        let asks = "a.json asks for something that is no version";
        check(address.clone(), address, &[asks]);
    }

    #[test]
    fn a_lock_that_is_not_there_is_found() {
        let [(pages, asked), (editor, _)] = PACKAGES;
        let found = check(&Tree::of(&[(CRATES, "package = []"), (pages, "{}"), (asked, "{}")]));
        let missing = |path| Finding::new(path, 0, "is missing or is not understood");
        assert_eq!(found, [missing(pages), missing(editor)]);
        assert_eq!(check(&Tree::of(&[])).len(), 3);
    }
}
