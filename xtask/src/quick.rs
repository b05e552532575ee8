//! The edit loop: formatting, tidy, lints and tests of the crates that changed since the last
//! commit, in the `dev` profile.

use crate::check;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Runs every part for the packages that changed, and stops at the first that fails.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let packages = changed_packages(root)?;
    check::timed("formatting", || check::formatting(root))?;
    check::timed("tidy", || crate::tidy::run(root))?;
    if packages.is_empty() {
        println!("\nNo crate changed since the last commit: no lints and no tests to run.");
        return Ok(());
    }
    let only: Vec<&str> = packages.iter().flat_map(|it| ["--package", it]).collect();
    let lints = [&["clippy", "--quiet", "--all-targets"], &only[..], &["--", "-D", "warnings"]];
    check::timed("lints", || check::cargo(root, &lints.concat()))?;
    check::cargo(root, &[&["nextest", "run", "--no-tests", "pass"], &only[..]].concat())
}

/// The packages with files that differ from the last commit or are missing in it.
fn changed_packages(root: &Path) -> Result<BTreeSet<String>, String> {
    let mut files = git(root, &["diff", "--name-only", "HEAD"])?;
    files.push_str(&git(root, &["ls-files", "--others", "--exclude-standard"])?);
    let folders: BTreeSet<String> = files.lines().filter_map(folder_of).collect();
    folders.iter().filter(|it| root.join(it).exists()).map(|it| package_in(root, it)).collect()
}

/// The folder of the package that a file belongs to.
fn folder_of(path: &str) -> Option<String> {
    let mut parts = path.split('/');
    match (parts.next()?, parts.next()) {
        ("crates", Some(name)) => Some(format!("crates/{name}")),
        ("xtask", Some(_)) => Some("xtask".to_owned()),
        _ => None,
    }
}

fn package_in(root: &Path, folder: &str) -> Result<String, String> {
    let path = root.join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let manifest: toml::Table = text.parse().map_err(|it| format!("{}: {it}", path.display()))?;
    let name = manifest.get("package").and_then(|it| it.get("name")).and_then(|it| it.as_str());
    name.map(str::to_owned).ok_or_else(|| format!("{} names no package", path.display()))
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("git could not be started: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_package_of_its_folder() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(folder_of(path).as_deref(), expected, "{path}");
        };
        check("crates/model/src/ids.rs", Some("crates/model"));
        check("crates/model/Cargo.toml", Some("crates/model"));
        check("xtask/src/main.rs", Some("xtask"));
        check("docs/cli.md", None);
        check("README.md", None);
    }
}
