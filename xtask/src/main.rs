//! Developer commands: `cargo xtask check` runs all checks, `cargo xtask quick` the checks of the
//! crates that changed, `cargo xtask tidy` the project's own rules that no other tool checks, and
//! `cargo xtask dist` makes packages.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to the terminal"
)]

mod check;
mod dist;
mod quick;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask <command>

  check   formatting, tidy, lints, documentation and tests, in this order
  quick   formatting, tidy, and lints and tests of the crates that changed
  tidy    the rules of the house only
  floors  draw the floors of the crates into ARCHITECTURE.md
  dist    build the program and make packages in target/dist; options:
            --target TARGET        build this one; repeat it for more (default: both Linux targets)
            --binary TARGET=FILE   pack this program instead of building one
            --out FOLDER           write the packages there
            --dirty                pack changes that are not in a commit, too
            --fast                 do not compress, for tests";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["check"] => check::run(&root()),
        ["quick"] => quick::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["floors"] => tidy::draw(&root()),
        ["dist", options @ ..] => dist::run(&root(), options),
        [] | ["help" | "-h" | "--help"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("xtask: no such command: {}\n\n{HELP}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace this program was built from.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
