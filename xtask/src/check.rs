//! Runs all checks with one command: the same on a laptop and on a build machine.

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

/// Tests come last, so that their totals are the last thing on the screen.
const AFTER_TIDY: [Part; 3] = [
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
    Part {
        name: TESTS,
        arguments: &["nextest", "run", "--workspace", "--release"],
        environment: &[],
    },
];

const TESTS: &str = "tests";

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

/// Runs every part and stops at the first that fails.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    timed(FORMATTING.name, || formatting(root))?;
    timed("tidy", || crate::tidy::run(root))?;
    for part in &AFTER_TIDY {
        timed(part.name, || part.run(root))?;
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
    let mut cargo = fresh_cargo();
    cargo.args(arguments);
    finish(root, cargo, arguments.first().unwrap_or(&"cargo"))
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
