//! Packages: builds the program for its targets, and has `packaging/dist` pack it into `target/dist`.

mod arguments;
mod build;

use arguments::{Arguments, Changes, Compression, Source};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a package says about its origin.
struct Origin {
    version: String,
    /// The commit and its day, as `taffrail --version` prints them.
    commit: String,
    /// The date of the commit in seconds; every file in a package has it.
    epoch: String,
}

/// Builds what has to be built, and packs everything.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    let arguments = Arguments::parse(words)?;
    let origin = origin(root, arguments.changes)?;
    let mut programs = Vec::new();
    for (target, source) in &arguments.targets {
        programs.push((target.as_str(), program(root, &origin, target, source)?));
    }
    pack(root, &origin, &arguments, &programs)
}

fn program(root: &Path, at: &Origin, target: &str, source: &Source) -> Result<PathBuf, String> {
    match source {
        Source::Build => build::run(root, at, target),
        Source::File(path) => Ok(path.clone()),
    }
}

/// The commit that packages are made from. Changes that are not in a commit would be in no history.
fn origin(root: &Path, changes: Changes) -> Result<Origin, String> {
    let is_dirty = !git(root, &["status", "--porcelain"])?.is_empty();
    if is_dirty && changes == Changes::Refused {
        let hint = "Commit the changes, or pass --dirty for packages that nobody should publish.";
        return Err(format!("the working tree differs from the last commit. {hint}"));
    }
    let mark = if is_dirty { "-dirty" } else { "" };
    let (hash, day) =
        (git(root, &["log", "-1", "--format=%H"])?, git(root, &["log", "-1", "--format=%cs"])?);
    let short: String = hash.chars().take(10).collect();
    Ok(Origin {
        version: version(root)?,
        commit: format!("{short}{mark} {day}"),
        epoch: git(root, &["log", "-1", "--format=%ct"])?,
    })
}

/// The version that all our crates have.
fn version(root: &Path) -> Result<String, String> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let manifest: toml::Table = text.parse().map_err(|it| format!("{}: {it}", path.display()))?;
    let package = manifest.get("workspace").and_then(|it| it.get("package"));
    let version = package.and_then(|it| it.get("version")).and_then(|it| it.as_str());
    version.map(str::to_owned).ok_or_else(|| format!("{} names no version", path.display()))
}

fn pack(
    root: &Path,
    origin: &Origin,
    arguments: &Arguments,
    programs: &[(&str, PathBuf)],
) -> Result<(), String> {
    let mut python = Command::new("python3");
    // Compiled modules would be files in the working tree.
    python.arg("-B").arg(root.join("packaging/dist/make.py"));
    python.arg("--out").arg(root.join(&arguments.out));
    python.args(["--version", &origin.version, "--epoch", &origin.epoch]);
    for (target, path) in programs {
        python.arg("--program").arg(format!("{target}={}", path.display()));
    }
    if arguments.compression == Compression::Fast {
        python.arg("--fast");
    }
    finish(&mut python)
}

/// Runs a program to its end; its output goes to the terminal.
fn finish(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status =
        command.status().map_err(|error| format!("{name} could not be started: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let words: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
    Err(format!("this failed: {name} {}", words.join(" ")))
}

/// What a program prints, without the line break at its end.
fn printed(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|it| format!("{name} could not be started: {it}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// A build machine may run as another user than the one who owns the checkout.
fn git(root: &Path, words: &[&str]) -> Result<String, String> {
    let mut git = Command::new("git");
    printed(git.args(["-c", "safe.directory=*"]).args(words).current_dir(root))
}
