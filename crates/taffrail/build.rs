//! Names the commit and the target the program is built from, for `taffrail --version`.
#![expect(clippy::disallowed_methods, reason = "cargo speaks to a build script by its environment")]

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=TAFFRAIL_COMMIT");
    // The log of HEAD grows with every commit and checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let given = std::env::var("TAFFRAIL_COMMIT").ok();
    let commit = given.or_else(|| git(&["log", "-1", "--abbrev=10", "--format=%h %cs"]));
    let commit = commit.unwrap_or_else(|| "commit unknown".to_owned());
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=TAFFRAIL_VERSION={version} ({commit} {target})");
}

/// What git answers; nothing where there is no repository of ours or no git.
fn git(words: &[&str]) -> Option<String> {
    let folder = std::env::var("CARGO_MANIFEST_DIR").ok()?;
    let done = Command::new("git")
        .args(["-c", "safe.directory=*", "-C", &folder])
        .args(words)
        .output()
        .ok()?;
    let said = String::from_utf8(done.stdout).ok()?;
    (done.status.success() && !said.trim().is_empty()).then(|| said.trim().to_owned())
}
