//! The program of one target, in the profile `dist`. Two builds of one commit in different folders are equal: no path of
//! this machine and no time of today gets into the program.

use super::{Origin, finish, printed};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Zig compiles C and links for other targets than this machine's, and links musl statically. It comes from PyPI.
const ZIG: &str = "0.15.2";
const ZIGBUILD: &str = "0.24.0";
/// Writes the list of dependencies into the program, where `cargo audit bin` and scanners read it.
const AUDITABLE: &str = "0.7.7";
/// The section of the program with that list.
const LIST: &[u8] = b".dep-v0";
/// The largest program that we ship, in bytes. `docs/install.md` names the real size.
const LARGEST: usize = 35_000_000;

/// Separates flags in the variable by which cargo takes them, so that paths may have spaces.
const FLAG_END: &str = "\u{1f}";

/// Builds the program and gives its path.
pub(super) fn run(root: &Path, origin: &Origin, target: &str) -> Result<PathBuf, String> {
    let folder = target_folder(root)?;
    add_target(root, target)?;
    let mut tools = vec![auditable(&folder)?];
    if !is_native(target) {
        tools.push(zig(&folder)?);
    }
    let mut cargo = Command::new("cargo");
    cargo.env("PATH", path_with(&tools)?);
    write_dependencies_into(&mut cargo);
    cargo.arg(if is_native(target) { "build" } else { "zigbuild" });
    cargo.args(["--profile", "dist", "--locked", "--package", "taffrail", "--target", target]);
    let names = names(root, &folder)?;
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rust_flags(&names));
    // For C of the target only: what runs during the build stays as it is.
    cargo.env("TARGET_CFLAGS", c_flags(&names)).env("CC_SHELL_ESCAPED_FLAGS", "1");
    cargo.env("SOURCE_DATE_EPOCH", &origin.epoch).env("TAFFRAIL_COMMIT", &origin.commit);
    cargo.env_remove("RUSTFLAGS").current_dir(root);
    finish(&mut cargo)?;
    let program = folder.join(target).join("dist/taffrail");
    let bytes = std::fs::read(&program).map_err(|it| format!("{}: {it}", program.display()))?;
    check(&bytes).map_err(|why| format!("{} {why}", program.display()))?;
    Ok(program)
}

/// Runs cargo-auditable as the wrapper of rustc, as `cargo auditable` does, but by its name alone: cargo hashes the
/// wrapper's path into the names of our crates, and two builds in different folders would differ.
fn write_dependencies_into(cargo: &mut Command) {
    cargo.env("RUSTC_WORKSPACE_WRAPPER", "cargo-auditable");
    let arguments = json!({"offline": false, "locked": true, "frozen": false, "config": []});
    cargo.env("CARGO_AUDITABLE_ORIG_ARGS", arguments.to_string());
}

/// What a program that we ship has to be.
fn check(program: &[u8]) -> Result<(), String> {
    if !program.windows(LIST.len()).any(|it| it == LIST) {
        return Err("does not hold the list of its dependencies".to_owned());
    }
    match program.len() {
        size if size > LARGEST => Err(format!("has {size} bytes, and {LARGEST} is the limit")),
        _ => Ok(()),
    }
}

/// Apple's own tools build for both of its processors.
fn is_native(target: &str) -> bool {
    cfg!(target_os = "macos") && target.ends_with("-apple-darwin")
}

/// The folder that cargo builds in.
fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let words = ["metadata", "--no-deps", "--format-version", "1"];
    let text = printed(Command::new("cargo").args(words).current_dir(root))?;
    let metadata: Value =
        serde_json::from_str(&text).map_err(|it| format!("cargo metadata: {it}"))?;
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    folder.map(PathBuf::from).ok_or_else(|| "cargo metadata names no target folder".to_owned())
}

/// The standard library of the target. Where rustup is missing, the system's package manager has to bring it.
fn add_target(root: &Path, target: &str) -> Result<(), String> {
    let mut rustup = Command::new("rustup");
    match rustup.args(["target", "add", target]).current_dir(root).status() {
        Ok(status) if !status.success() => Err(format!("rustup target add {target} failed")),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("rustup could not be started: {error}"))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The folder with cargo-auditable.
fn auditable(folder: &Path) -> Result<PathBuf, String> {
    let root = folder.join("dist-tools").join(format!("auditable-{AUDITABLE}"));
    if !root.join("bin/cargo-auditable").exists() {
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "--quiet", "--locked", "cargo-auditable", "--version", AUDITABLE]);
        finish(cargo.arg("--root").arg(&root))?;
    }
    Ok(root.join("bin"))
}

/// The folder with the programs of a Python environment that holds zig and cargo-zigbuild.
fn zig(folder: &Path) -> Result<PathBuf, String> {
    let venv = folder.join("dist-tools").join(format!("{ZIG}-{ZIGBUILD}"));
    let complete = venv.join("complete");
    if !complete.exists() {
        finish(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let (zig, zigbuild) = (format!("ziglang=={ZIG}"), format!("cargo-zigbuild=={ZIGBUILD}"));
        let words = ["install", "--quiet", "--disable-pip-version-check", &zig, &zigbuild];
        finish(Command::new(venv.join("bin/pip")).args(words))?;
        std::fs::write(&complete, "").map_err(|it| format!("{}: {it}", complete.display()))?;
    }
    Ok(venv.join("bin"))
}

/// Folders of this machine, and what the program calls them. rustc takes the last that fits, so inner ones come last.
fn names(root: &Path, target_folder: &Path) -> Result<Vec<(PathBuf, &'static str)>, String> {
    let home = |variable: &str, folder: &str| {
        let given = environment(variable).map(PathBuf::from);
        let below_home = || Some(PathBuf::from(environment("HOME")?).join(folder));
        given.or_else(below_home).ok_or_else(|| format!("neither {variable} nor HOME is set"))
    };
    Ok(vec![
        (home("RUSTUP_HOME", ".rustup")?, "/rustup"),
        (home("CARGO_HOME", ".cargo")?, "/cargo"),
        (root.to_path_buf(), "/taffrail"),
        (target_folder.to_path_buf(), "/taffrail/target"),
    ])
}

fn rust_flags(names: &[(PathBuf, &str)]) -> String {
    let flag = |(folder, name): &(PathBuf, &str)| {
        format!("--remap-path-prefix={}={name}", folder.display())
    };
    names.iter().map(flag).collect::<Vec<_>>().join(FLAG_END)
}

/// In quotes, as a shell reads them.
fn c_flags(names: &[(PathBuf, &str)]) -> String {
    let flag = |(folder, name): &(PathBuf, &str)| {
        format!("'-ffile-prefix-map={}={name}'", folder.display())
    };
    names.iter().map(flag).collect::<Vec<_>>().join(" ")
}

/// The search path with our tools in front: cargo finds `auditable` and `zigbuild` there, and `zigbuild` the Python that has zig.
fn path_with(tools: &[PathBuf]) -> Result<OsString, String> {
    let path = environment("PATH").unwrap_or_default();
    let folders = tools.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))
}

#[expect(clippy::disallowed_methods, reason = "cargo and rustup are found by the environment")]
fn environment(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_folders_by_what_they_hold() {
        let names = [(PathBuf::from("/a b"), "/cargo"), (PathBuf::from("/c"), "/taffrail")];
        let expected = "--remap-path-prefix=/a b=/cargo\u{1f}--remap-path-prefix=/c=/taffrail";
        assert_eq!(rust_flags(&names), expected);
        let expected = "'-ffile-prefix-map=/a b=/cargo' '-ffile-prefix-map=/c=/taffrail'";
        assert_eq!(c_flags(&names), expected);
    }

    #[test]
    fn a_program_is_small_and_names_its_dependencies() {
        let of = |size: usize| [LIST, &vec![0; size - LIST.len()]].concat();
        assert_eq!(check(&of(LARGEST)), Ok(()));
        assert!(check(&of(LARGEST + 1)).unwrap_err().contains("is the limit"));
        assert!(check(b"a program").unwrap_err().contains("the list of its dependencies"));
    }

    #[test]
    fn a_folder_inside_another_comes_last() {
        let names = names(Path::new("/src"), Path::new("/src/target")).unwrap();
        let last: Vec<_> = names.iter().map(|(_, name)| *name).skip(2).collect();
        assert_eq!(last, ["/taffrail", "/taffrail/target"]);
    }
}
