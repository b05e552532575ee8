//! Only licences that let us ship, and none of the crates we banned, as `deny.toml` lists them.

use super::files::Tree;
use super::metadata::Package;
use super::{Finding, spdx};
use toml::{Table, Value};

const LISTS: &str = "deny.toml";

/// What `deny.toml` allows and bans.
#[derive(Debug, PartialEq, Eq)]
struct Lists {
    allowed: Vec<String>,
    banned: Vec<String>,
}

/// Every package that we may not use, not even in tests.
pub(super) fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let text = tree.file(LISTS).map(|file| file.text.as_str());
    let Some(lists) = text.and_then(lists) else {
        return vec![Finding::new(LISTS, 0, "has no lists of licences and bans")];
    };
    packages.iter().filter_map(|package| check_package(package, &lists)).collect()
}

/// The lists of a file; `None` if it has none, so that nothing is allowed by accident.
fn lists(text: &str) -> Option<Lists> {
    let table: Table = text.parse().ok()?;
    let list = |part: &str, name: &str| table.get(part)?.get(name)?.as_array().cloned();
    let words = |all: Vec<Value>| -> Option<Vec<String>> { all.iter().map(word).collect() };
    Some(Lists {
        allowed: words(list("licenses", "allow")?)?,
        banned: words(list("bans", "deny")?)?,
    })
}

/// A name, written alone or with a reason.
fn word(value: &Value) -> Option<String> {
    let name = value.get("crate").unwrap_or(value);
    name.as_str().map(str::to_owned)
}

fn check_package(package: &Package, lists: &Lists) -> Option<Finding> {
    let complaint = complaint(package, lists)?;
    let name = format!("{} {}", package.name, package.version);
    Some(Finding::new(name, 0, complaint))
}

fn complaint(package: &Package, lists: &Lists) -> Option<String> {
    if lists.banned.contains(&package.name) {
        return Some("this crate is banned".to_owned());
    }
    let Some(licence) = &package.licence else {
        return Some("names no licence".to_owned());
    };
    let allowed = |licence: &str| lists.allowed.iter().any(|it| it == licence);
    (!spdx::satisfied(licence, &allowed)).then(|| format!("its licence is not allowed: {licence}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
        [bans]
        deny = [{ crate = "openssl-sys", reason = "x" }, "cass"]"#;

    #[test]
    fn licences_and_names_are_checked() {
        let check = |name: &str, licence: Option<&str>, expected: Option<&str>| {
            let package = Package {
                name: name.to_owned(),
                version: "1.2.3".to_owned(),
                licence: licence.map(str::to_owned),
                ..Package::default()
            };
            let got = check(&Tree::of(&[(LISTS, TEXT)]), &[package]);
            assert_eq!(got.first().map(|finding| finding.message.as_str()), expected);
        };
        check("serde", Some("MIT OR Apache-2.0"), None);
        check("old", Some("Unlicense/MIT"), None);
        check("rustix", Some("Apache-2.0 WITH LLVM-exception OR MIT"), None);
        check("ident", Some("(MIT OR Apache-2.0) AND Unicode-3.0"), None);
        check("gpl", Some("GPL-3.0-only"), Some("its licence is not allowed: GPL-3.0-only"));
        check("both", Some("MIT AND GPL-2.0"), Some("its licence is not allowed: MIT AND GPL-2.0"));
        check("none", None, Some("names no licence"));
        check("openssl-sys", Some("MIT"), Some("this crate is banned"));
        check("cass", Some("MIT"), Some("this crate is banned"));
    }

    #[test]
    fn without_lists_nothing_passes() {
        for text in ["", "[licenses]\nallow = [\"MIT\"]", "[bans]\ndeny = []", "not toml"] {
            let got = check(&Tree::of(&[(LISTS, text)]), &[]);
            assert_eq!(got, [Finding::new(LISTS, 0, "has no lists of licences and bans")]);
        }
        assert_eq!(check(&Tree::of(&[]), &[]).len(), 1);
    }
}
