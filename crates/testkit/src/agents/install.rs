//! Installs published agents, at one version each, in the user's cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An npm package with a program.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// Its name on npm.
    pub name: &'static str,
    /// Its version; formats change fast, so it is exact.
    pub version: &'static str,
    /// The path of its native program, by processor; the wrapper around it needs a newer Node.
    pub programs: &'static [(&'static str, &'static str)],
}

/// The program of a package; installs it if needed.
///
/// Tests run in parallel, so the first one installs and the others wait for a lock. The folder is
/// renamed to its final name only when it is complete.
#[must_use]
pub fn program_of(package: &Package) -> PathBuf {
    let folder = cache().join(format!("{}@{}", package.name, package.version));
    let program = folder.join(program_for(package));
    if program.exists() {
        return program;
    }
    let parent = folder.parent().unwrap();
    fs::create_dir_all(parent).unwrap();
    let lock = File::create(folder.with_added_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !program.exists() {
        install(package, parent, &folder);
    }
    assert!(program.exists(), "{} has no program at {}", package.name, program.display());
    program
}

fn install(package: &Package, parent: &Path, folder: &Path) {
    let wanted = format!("{}@{}", package.name, package.version);
    let making = tempfile::Builder::new().prefix(".making-").tempdir_in(parent).unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    npm.arg("--prefix").arg(making.path()).arg(&wanted).current_dir(making.path());
    let output = npm.output().unwrap_or_else(|error| {
        panic!("{wanted} is needed and npm could not be started: {error}. Install npm.")
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{wanted} is needed and npm could not install it: {said}");
    unpack(&making.path().join(program_for(package)));
    fs::rename(making.keep(), folder).unwrap();
}

/// Unpacks a program that its package ships compressed, for a launcher that is not installed.
fn unpack(program: &Path) {
    let packed = program.with_added_extension("br");
    if !packed.exists() {
        return;
    }
    let mut node = Command::new("node");
    node.args(["--eval", UNPACK]).arg(&packed).arg(program);
    assert!(node.status().expect("`node` is there").success(), "{} is damaged", packed.display());
}

const UNPACK: &str = "\
    const fs = require('node:fs');
    const [packed, program] = process.argv.slice(1);
    const bytes = require('node:zlib').brotliDecompressSync(fs.readFileSync(packed));
    fs.writeFileSync(program, bytes, { mode: 0o755 });";

fn program_for(package: &Package) -> &'static str {
    let processor = std::env::consts::ARCH;
    let found = package.programs.iter().find(|(name, _)| *name == processor);
    found.unwrap_or_else(|| panic!("{} is not known for {processor}", package.name)).1
}

fn cache() -> PathBuf {
    let named = std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache");
    named.unwrap_or_else(home).join("taffrail-agents")
}
