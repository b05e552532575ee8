//! Python environments with packages from PyPI, in the user's cache.

use crate::cache;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a Python environment with these packages; creates it if needed.
///
/// Its own Python runs its programs, because scripts contain the path of the folder they were
/// created in.
pub(crate) fn environment_with(cache: &str, packages: &[&str]) -> PathBuf {
    let name = packages.join("+").replace(['[', ']', ','], "_");
    cache::folder(cache, &name, |folder| install(packages, folder))
}

fn install(packages: &[&str], folder: &Path) {
    let run = |command: &mut Command| {
        let output = command.output().unwrap_or_else(|error| {
            panic!(
                "{packages:?} are needed and Python could not be started: {error}. Install \
                 Python 3."
            )
        });
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{packages:?} are needed and could not be had: {said}");
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(folder));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(folder.join("bin/python")).args(pip).args(packages));
}
