//! Queries a project's repository through git itself: arguments, never a shell, and limited output.
//! Diff programs that the repository configures are never run.

use crate::error::TeleportError;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use taffrail_capture::with_users_mask;
use taffrail_capture::{Checkout, checkout};
use taffrail_sync::bundle::GitFacts;

/// The most bytes of a patch.
const PATCH_LIMIT: u64 = 64 * 1024 * 1024;
/// The most bytes of a list or a line.
const LIST_LIMIT: u64 = 4 * 1024 * 1024;
/// The most bytes of a file that is not tracked.
const FILE_LIMIT: u64 = 1024 * 1024;
/// The most files that are not tracked.
const MOST_FILES: usize = 1000;
/// The tree to compare with if the repository has no commit.
pub(super) const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// Settings under which git runs nothing but itself; the function `git` also turns off the filters
/// that a repository names.
const PLAIN: [&str; 10] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "color.ui=never",
    "-c",
    "protocol.allow=never",
    "-c",
    "diff.ignoreSubmodules=all",
];
/// A diff that can be applied, made by git alone.
const DIFF: [&str; 4] = ["diff", "--binary", "--no-ext-diff", "--no-textconv"];

/// Uncommitted changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) bytes: Vec<u8>,
    /// Untracked files that are left behind because they are not text, or too many.
    pub(super) left_behind: Vec<String>,
}

/// The checkout that a session works in, and its origin.
pub(super) fn facts(project: &Path) -> Option<(Checkout, GitFacts)> {
    let found = checkout(project)?;
    // A repository may have no remote.
    let remote = asked(&found.root, &["config", "--get", "remote.origin.url"], LIST_LIMIT).ok();
    let remote = remote.filter(|it| !it.is_empty()).map(|it| without_password(it.trim_ascii()));
    let status = ["status", "--porcelain", "--ignore-submodules"];
    let dirty = asked(&found.root, &status, LIST_LIMIT).is_ok_and(|it| !it.is_empty());
    let (branch, commit) = (found.branch.clone(), found.commit.clone());
    Some((found, GitFacts { remote, branch, commit, dirty }))
}

/// A URL without its credentials.
fn without_password(address: &[u8]) -> String {
    let address = String::from_utf8_lossy(address);
    let Some((scheme, rest)) = address.split_once("://") else { return address.into_owned() };
    let host = rest.split('/').next().unwrap_or_default();
    let Some((who, _)) = host.rsplit_once('@') else { return address.into_owned() };
    let after = rest.strip_prefix(who).unwrap_or(rest).trim_start_matches('@');
    format!("{scheme}://{after}")
}

/// Everything that differs from the last commit, including untracked files.
pub(super) fn patch(found: &Checkout) -> Result<Patch, TeleportError> {
    let base = if found.commit.is_some() { "HEAD" } else { EMPTY_TREE };
    let words = [&DIFF[..], &[base, "--"]].concat();
    let mut out = Patch { bytes: told(&found.root, &words, (PATCH_LIMIT, 0))?, ..Patch::default() };
    let words = ["ls-files", "--others", "--exclude-standard", "-z"];
    let listed = told(&found.root, &words, (LIST_LIMIT, 0))?;
    for (number, path) in listed.split(|it| *it == 0).filter(|it| !it.is_empty()).enumerate() {
        let path = String::from_utf8_lossy(path).into_owned();
        if path.starts_with(super::PLAN) {
            continue;
        }
        match new_file(&found.root, &path, number)? {
            Some(bytes) => out.bytes.extend_from_slice(&bytes),
            None => out.left_behind.push(path),
        }
    }
    Ok(out)
}

/// An untracked file as a patch that creates it; `None` if it is left behind.
fn new_file(root: &Path, path: &str, number: usize) -> Result<Option<Vec<u8>>, TeleportError> {
    if number >= MOST_FILES || !is_text(&root.join(path)) {
        return Ok(None);
    }
    let words = [&DIFF[..], &["--no-index", "--", "/dev/null", path]].concat();
    // The file differs from nothing, which git reports by its exit code.
    told(root, &words, (PATCH_LIMIT, 1)).map(Some)
}

fn is_text(path: &Path) -> bool {
    let small = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= FILE_LIMIT);
    let bytes = small.then(|| std::fs::read(path).ok()).flatten();
    bytes.is_some_and(|it| !it.contains(&0) && std::str::from_utf8(&it).is_ok())
}

/// Checks whether a patch applies, without applying it.
pub(super) fn check(root: &Path, patch: &Path) -> Result<(), TeleportError> {
    apply(root, &["--check"], patch)
}

/// Applies a patch.
pub(super) fn apply_patch(root: &Path, patch: &Path) -> Result<(), TeleportError> {
    apply(root, &[], patch)
}

fn apply(root: &Path, words: &[&str], patch: &Path) -> Result<(), TeleportError> {
    // Git refuses an empty patch.
    if std::fs::metadata(patch).is_ok_and(|it| it.len() == 0) {
        return Ok(());
    }
    let mut git = git(root);
    git.arg("apply").args(words).arg("--").arg(patch);
    succeeds(git)
}

/// Runs git, and returns its first message if it fails.
pub(super) fn succeeds(mut git: Command) -> Result<(), TeleportError> {
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Files that git writes into the project are the user's, with the user's own umask.
    let output = with_users_mask(|| git.spawn()).and_then(Child::wait_with_output);
    let output = output.map_err(|error| TeleportError::Patch(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(TeleportError::Patch(said.lines().next().unwrap_or("git refuses it").to_owned()))
}

fn asked(root: &Path, words: &[&str], limit: u64) -> Result<Vec<u8>, TeleportError> {
    told(root, words, (limit, 0))
}

/// The output of git, if it exits with 0 or this code and stays below this size.
fn told(root: &Path, words: &[&str], bounds: (u64, i32)) -> Result<Vec<u8>, TeleportError> {
    let mut command = git(root);
    command.args(words);
    heard(command, &words.join(" "), bounds)
}

/// The output of a git command that was built elsewhere.
pub(super) fn said(command: Command, what: &str) -> Result<Vec<u8>, TeleportError> {
    heard(command, what, (PATCH_LIMIT, 0))
}

fn heard(
    mut command: Command,
    what: &str,
    (limit, code): (u64, i32),
) -> Result<Vec<u8>, TeleportError> {
    let failed = |why: String| TeleportError::Git(format!("git {what}: {why}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut out = Vec::new();
    let stdout = child.stdout.take().map(|it| it.take(limit.saturating_add(1)));
    let read = stdout.map_or(Ok(0), |mut it| it.read_to_end(&mut out));
    if out.len() as u64 > limit {
        // The process may have exited just now.
        child.kill().ok();
    }
    let ended = child.wait().map_err(|error| failed(error.to_string()))?;
    read.map_err(|error| failed(error.to_string()))?;
    match ended.code() {
        _ if out.len() as u64 > limit => Err(failed(format!("more than {limit} bytes"))),
        Some(0) => Ok(out),
        Some(it) if it == code => Ok(out),
        _ => Err(failed(format!("it ended with {ended}"))),
    }
}

/// Git in a repository, with every configured filter turned off. The settings are variables, because
/// with `-c` a filter called `a=b` would stay on.
pub(super) fn git(root: &Path) -> Command {
    let mut command = bare(root);
    let off = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
    let names = filters(root);
    let settings = names.iter().flat_map(|name| off.map(|(what, value)| (name, what, value)));
    command.env("GIT_CONFIG_COUNT", (names.len() * off.len()).to_string());
    for (number, (name, what, value)) in settings.enumerate() {
        let key = [b"filter.", name.as_slice(), b".", what.as_bytes()].concat();
        command.env(format!("GIT_CONFIG_KEY_{number}"), OsString::from_vec(key));
        command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    command
}

/// The names of the filters that have a program in any settings file, as git has them.
fn filters(root: &Path) -> Vec<Vec<u8>> {
    let words = ["config", "--null", "--name-only", "--get-regexp", r"^filter\."];
    let listed = bare(root).args(words).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let listed = listed.map(|it| it.stdout).unwrap_or_default();
    let names = listed.split(|it| *it == 0).filter_map(|it| it.strip_prefix(b"filter."));
    let names = names.filter_map(|it| it.get(..it.iter().rposition(|byte| *byte == b'.')?));
    let mut names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    names.sort();
    names.dedup();
    names
}

fn bare(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(PLAIN);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF"] {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run(root: &Path, words: &[&str]) {
        let mut git = git(root);
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Clones with a git that may access other repositories.
    fn cloned(folder: &Path) {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["clone", "-q", "here", "there"]);
        assert!(git.status().unwrap().success());
    }

    fn repository(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        run(folder, &["init", "-q", "-b", "main"]);
        fs::write(folder.join("a.txt"), "one\ntwo\n").unwrap();
        fs::write(folder.join("b.txt"), "kept\n").unwrap();
        run(folder, &["add", "."]);
        run(folder, &["commit", "-q", "-m", "one"]);
    }

    #[test]
    fn what_was_not_committed_goes_along_and_applies_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("here"), folder.path().join("there"));
        repository(&here);
        cloned(folder.path());
        fs::write(here.join("a.txt"), "one\nthree\n").unwrap();
        fs::write(here.join("b.txt"), "staged\n").unwrap();
        run(&here, &["add", "b.txt"]);
        fs::create_dir(here.join("new")).unwrap();
        fs::write(here.join("new/c d.txt"), "fresh").unwrap();
        fs::write(here.join("image"), [0, 1, 2]).unwrap();
        fs::create_dir_all(here.join(".ai-session")).unwrap();
        fs::write(here.join(".ai-session/x"), "plan").unwrap();
        let (found, said) = facts(&here).unwrap();
        assert_eq!((said.branch.as_deref(), said.dirty), (Some("main"), true));
        let carried = patch(&found).unwrap();
        assert_eq!(carried.left_behind, ["image"]);
        let file = folder.path().join("p");
        fs::write(&file, &carried.bytes).unwrap();
        check(&there, &file).unwrap();
        apply_patch(&there, &file).unwrap();
        let read = |path: &str| fs::read_to_string(there.join(path)).unwrap();
        assert_eq!(
            [read("a.txt"), read("b.txt"), read("new/c d.txt")],
            ["one\nthree\n", "staged\n", "fresh"]
        );
        assert!(check(&there, &file).is_err(), "it applies once");
    }

    #[test]
    fn no_program_of_a_repository_runs_when_it_is_packed_or_a_patch_applied() {
        let folder = tempfile::tempdir().unwrap();
        let (here, ran) = (folder.path().join("here"), folder.path().join("ran"));
        repository(&here);
        let touches = format!("touch {}; cat", ran.display());
        for what in ["pwn.clean", "pwn.smudge", "a=b.clean", "a=b.smudge"] {
            run(&here, &["config", &format!("filter.{what}"), &touches]);
        }
        run(&here, &["config", "core.fsmonitor", &touches]);
        fs::write(here.join(".gitattributes"), "*.txt filter=pwn\nb.txt filter=a=b\n").unwrap();
        fs::write(here.join("b.txt"), "changed\n").unwrap();
        fs::write(here.join("a.txt"), "one\nthree\n").unwrap();
        let (found, said) = facts(&here).unwrap();
        assert!(said.dirty);
        let file = folder.path().join("p");
        fs::write(&file, patch(&found).unwrap().bytes).unwrap();
        check(&here, &file).err();
        apply_patch(&here, &file).err();
        assert!(!ran.exists(), "a filter ran");
    }

    #[test]
    fn a_repository_without_a_commit_has_a_patch_too() {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &["init", "-q"]);
        fs::write(folder.path().join("a.txt"), "x\n").unwrap();
        let (found, said) = facts(folder.path()).unwrap();
        assert_eq!((said.commit, said.dirty), (None, true));
        let bytes = patch(&found).unwrap().bytes;
        assert!(String::from_utf8(bytes).unwrap().contains("+x"));
    }

    #[test]
    fn an_address_is_told_without_what_logs_in() {
        let check = |address: &str, expected: &str| {
            assert_eq!(without_password(address.as_bytes()), expected);
        };
        check("https://user:token@host.example/a.git", "https://host.example/a.git");
        check("https://host.example/a@b.git", "https://host.example/a@b.git");
        check("git@host.example:a.git", "git@host.example:a.git");
        check("/srv/a.git", "/srv/a.git");
    }
}
