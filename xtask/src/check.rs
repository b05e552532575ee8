//! Runs all checks with one command: the same on a laptop and on a build machine.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// One part of the check that runs another program.
struct Part {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const FORMATTING: Part =
    Part { name: "formatting", arguments: &["fmt", "--all", "--check"], environment: &[] };

const AFTER_TIDY: [Part; 2] = [
    Part {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"],
        environment: &[],
    },
    Part {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items", "--release"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

const TESTS: &str = "tests";
const NEXTEST: [&str; 4] = ["nextest", "run", "--workspace", "--release"];
/// Plays with real agents.
const PLAYS: &str = "package(taffrail) & test(/^agents::/)";
/// A sliced run plays one of this many parts of them.
const SLICES: u64 = 3;

/// Every test, or all others and the slice of the plays that the seed chooses.
fn runs(slice: Option<u64>) -> Vec<Vec<String>> {
    let run = |more: &[&str]| NEXTEST.iter().chain(more).map(|it| (*it).to_owned()).collect();
    let Some(seed) = slice else { return vec![run(&[])] };
    let part = format!("hash:{}/{SLICES}", seed % SLICES + 1);
    vec![run(&["-E", PLAYS, "--partition", &part]), run(&["-E", &format!("not ({PLAYS})")])]
}

/// The seed of a sliced run, `None` if everything runs.
fn slice(variable: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let is_on = |name| variable(name).is_some_and(|it| it == "1");
    if is_on("TAFFRAIL_FULL") || !is_on("TAFFRAIL_SLICE") {
        return None;
    }
    Some(variable("TAFFRAIL_SEED").and_then(|it| it.parse().ok()).unwrap_or_default())
}

/// `cargo fmt` does not see modules that a macro declares, as the list of adapters does.
fn adapters_formatting(root: &Path) -> Result<(), String> {
    let mut modules = Vec::new();
    for place in ["crates/adapters/src", "crates/agents/src"] {
        let entries = std::fs::read_dir(root.join(place)).map_err(|error| error.to_string())?;
        let found = entries.flatten().map(|entry| entry.path().join("mod.rs"));
        modules.extend(found.filter(|path| path.exists()));
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--check"]).args(modules).current_dir(root);
    let status = rustfmt.status().map_err(|error| format!("rustfmt: {error}"))?;
    let hint =
        "formatting failed. Run: rustfmt --edition 2024 crates/{adapters,agents}/src/*/mod.rs";
    if status.success() { Ok(()) } else { Err(hint.to_owned()) }
}

/// Checks the formatting of every file.
pub(crate) fn formatting(root: &Path) -> Result<(), String> {
    FORMATTING.run(root)?;
    adapters_formatting(root)
}

#[expect(clippy::disallowed_methods, reason = "`.ci/run` asks for a slice by the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Runs every part and stops at the first that fails.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    timed(FORMATTING.name, || formatting(root))?;
    timed("tidy", || crate::tidy::run(root))?;
    for part in &AFTER_TIDY {
        timed(part.name, || part.run(root))?;
    }
    // Tests come last, so that their totals are the last thing on the screen.
    for arguments in runs(slice(variable)) {
        timed(TESTS, || cargo_with(root, &arguments, TESTS))?;
    }
    Ok(())
}

pub(crate) fn timed(name: &str, part: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("\n== {name}");
    let start = Instant::now();
    part()?;
    // The tests print their own time, in the totals that must come last.
    if name != TESTS {
        println!("== {name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

impl Part {
    fn run(&self, root: &Path) -> Result<(), String> {
        let mut cargo = fresh_cargo();
        cargo.args(self.arguments).envs(self.environment.iter().copied());
        finish(root, cargo, self.name)
    }
}

/// Runs cargo in the workspace.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    cargo_with(root, arguments, arguments.first().unwrap_or(&"cargo"))
}

fn cargo_with(root: &Path, arguments: &[impl AsRef<OsStr>], name: &str) -> Result<(), String> {
    let mut cargo = fresh_cargo();
    cargo.args(arguments);
    finish(root, cargo, name)
}

/// Returns cargo without the variables that `cargo run` sets for this program. Build scripts, such as that of `ring`,
/// watch them, and with other values half of the workspace is built twice.
fn fresh_cargo() -> Command {
    let mut cargo = Command::new("cargo");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_package) {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn is_of_package(name: &str) -> bool {
    ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
        .iter()
        .any(|it| name.starts_with(it))
}

fn finish(root: &Path, mut cargo: Command, name: &str) -> Result<(), String> {
    let status = cargo.current_dir(root).status();
    if status.map_err(|error| format!("cargo could not be started: {error}"))?.success() {
        return Ok(());
    }
    let words: Vec<_> = cargo.get_args().map(|it| it.to_string_lossy()).collect();
    Err(format!("{name} failed. Run it alone with: cargo {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sliced_run_leaves_plays_out_and_its_seed_says_which() {
        let set = |pairs: &'static [(&str, &str)]| {
            slice(move |name| pairs.iter().find(|it| it.0 == name).map(|it| it.1.to_owned()))
        };
        assert_eq!(set(&[]), None);
        assert_eq!(set(&[("TAFFRAIL_SEED", "4")]), None);
        assert_eq!(set(&[("TAFFRAIL_SLICE", "1"), ("TAFFRAIL_FULL", "1")]), None);
        assert_eq!(set(&[("TAFFRAIL_SLICE", "1"), ("TAFFRAIL_SEED", "4")]), Some(4));
        assert_eq!(runs(None), [NEXTEST.map(str::to_owned).to_vec()]);
        let plays = |seed| runs(Some(seed))[0].last().unwrap().clone();
        assert_eq!([3, 4, 5].map(plays), ["hash:1/3", "hash:2/3", "hash:3/3"]);
        let rest = runs(Some(3))[1].last().unwrap().clone();
        assert_eq!(rest, format!("not ({PLAYS})"));
    }
}
