//! A new git worktree for an agent. The repository may be hostile: git runs without its hooks and
//! without the filters that the repository itself names. Those of the user's own settings run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use taffrail_capture::{checkout, with_users_mask};

/// The longest name.
const LONGEST: usize = 100;
/// Settings under which git runs no program of the repository.
const PLAIN: [&str; 6] =
    ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];
/// The settings of a filter that runs when files are written.
const FILTERS: &str = r"^filter\..*\.(clean|smudge|process|required)$";
/// Variables under which git fetches nothing, whatever the repository's configuration allows.
const LOCAL: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];
/// Variables that would lead git elsewhere.
const FOREIGN: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CONFIG_PARAMETERS",
];

/// A worktree that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its folder, beside the repository.
    pub folder: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The command that makes it.
    pub command: Vec<String>,
}

/// Why there can be no such worktree.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The name could be read as an option, or leads to another folder.
    #[error(
        "`{0}` cannot name a worktree: letters, digits, `.`, `_`, `-` and `/` only, and a letter or a digit first"
    )]
    Name(String),
    /// The folder is in no repository.
    #[error("{0} is not in a git repository")]
    NoRepository(String),
    /// There is something at its place.
    #[error("{0} exists already")]
    Exists(String),
    /// git refused.
    #[error("git: {0}")]
    Git(String),
}

impl Worktree {
    /// The worktree of this name for the repository around a folder. Its branch is made if the
    /// repository has none of this name.
    ///
    /// # Errors
    /// When the name cannot be used, or there is no repository.
    pub fn plan(folder: &Path, name: &str) -> Result<Self, WorktreeError> {
        if !is_name(name) {
            return Err(WorktreeError::Name(name.to_owned()));
        }
        let none = || WorktreeError::NoRepository(folder.display().to_string());
        let root = checkout(folder).ok_or_else(none)?.root;
        let own = root.file_name().map(|it| it.to_string_lossy()).ok_or_else(none)?;
        let place = root.with_file_name(format!("{own}-{}", name.replace('/', "-")));
        if place.symlink_metadata().is_ok() {
            return Err(WorktreeError::Exists(place.display().to_string()));
        }
        let command = command(&root, &place, name)?;
        Ok(Self { folder: place, branch: name.to_owned(), command })
    }

    /// Makes it.
    ///
    /// # Errors
    /// When git cannot be started, or refuses.
    pub fn make(&self) -> Result<(), WorktreeError> {
        let words: Vec<&str> = self.command.iter().skip(1).map(String::as_str).collect();
        match run(&words) {
            Ok(_) => Ok(()),
            Err(why) => Err(WorktreeError::Git(why)),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-/".contains(it);
    let first = name.chars().next().is_some_and(|it| it.is_ascii_alphanumeric());
    first && name.len() <= LONGEST && name.chars().all(is_plain) && !name.contains("..")
}

fn command(root: &Path, place: &Path, name: &str) -> Result<Vec<String>, WorktreeError> {
    let (root, place) = (root.to_string_lossy(), place.to_string_lossy());
    let at_root = ["-C", root.as_ref()];
    let is_there = [&at_root[..], &["rev-parse", "--verify", "--quiet"]].concat();
    let branch = format!("refs/heads/{name}");
    let is_there = run(&[&is_there[..], &[branch.as_str()]].concat()).is_ok();
    let mut out: Vec<String> = ["git"].iter().chain(&PLAIN).map(|it| (*it).to_owned()).collect();
    out.extend(without_filters(&at_root)?);
    out.extend(at_root.map(str::to_owned));
    let add: &[&str] = match is_there {
        true => &["worktree", "add", &place, name],
        false => &["worktree", "add", "-b", name, &place],
    };
    out.extend(add.iter().map(|it| (*it).to_owned()));
    Ok(out)
}

/// Settings that turn off the filters which the repository's own configuration names.
fn without_filters(at_root: &[&str]) -> Result<Vec<String>, WorktreeError> {
    let asked = ["--includes", "--name-only", "-z", "--get-regexp", FILTERS];
    let names = |scope: &str| {
        let words = [at_root, &["config", scope], &asked[..]].concat();
        // git fails if there are none.
        run(&words).unwrap_or_default()
    };
    let names = ["--local", "--worktree"].map(names).concat();
    let off = |name: &str| {
        let value = if name.ends_with(".required") { "false" } else { "" };
        ["-c".to_owned(), format!("{name}={value}")]
    };
    let names: Vec<&str> = names.split('\0').filter(|it| !it.is_empty()).collect();
    // On git's command line, such a name would turn off something else.
    match names.iter().find(|it| it.contains(['=', char::REPLACEMENT_CHARACTER])) {
        Some(name) => Err(WorktreeError::Git(format!("the setting `{name}` cannot be turned off"))),
        None => Ok(names.into_iter().flat_map(off).collect()),
    }
}

/// The output of git; otherwise its last words.
fn run(words: &[&str]) -> Result<String, String> {
    let mut git = Command::new("git");
    git.args(PLAIN).args(words).env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    git.envs(LOCAL);
    for name in FOREIGN {
        git.env_remove(name);
    }
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let made = with_users_mask(|| git.spawn()).and_then(std::process::Child::wait_with_output);
    let made = made.map_err(|error| format!("it cannot be started: {error}"))?;
    match made.status.success() {
        true => Ok(String::from_utf8_lossy(&made.stdout).into_owned()),
        false => {
            let said = String::from_utf8_lossy(&made.stderr);
            let last = said.lines().rfind(|it| !it.trim().is_empty()).unwrap_or("it failed");
            Err(last.trim_start_matches("fatal: ").to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn repository(root: &Path) {
        fs::create_dir_all(root).unwrap();
        let at = root.to_str().unwrap();
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        run(&["-C", at, "init", "-q", "-b", "main"]).unwrap();
        fs::write(root.join("a.txt"), "one\n").unwrap();
        fs::write(root.join(".gitattributes"), "* filter=evil\n").unwrap();
        run(&["-C", at, "add", "."]).unwrap();
        run(&[&who[..], &["-C", at, "commit", "-q", "-m", "one"]].concat()).unwrap();
    }

    #[test]
    fn a_worktree_is_made_beside_its_repository_and_runs_nothing_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let root = base.join("api");
        repository(&root);
        let touches = format!("touch {}", base.join("ran").display());
        let at = root.to_str().unwrap();
        for name in ["filter.evil.smudge", "filter.evil.process", "core.fsmonitor"] {
            run(&["-C", at, "config", name, &touches]).unwrap();
        }
        run(&["-C", at, "config", "filter.evil.required", "true"]).unwrap();
        let hook = root.join(".git/hooks/post-checkout");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{touches}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&hook, mode).unwrap();

        let made = Worktree::plan(&root, "fix/login").unwrap();
        assert_eq!(made.folder, base.join("api-fix-login"));
        assert!(made.command.join(" ").contains("worktree add -b fix/login"), "{made:?}");
        made.make().unwrap();
        assert_eq!(fs::read_to_string(made.folder.join("a.txt")).unwrap(), "one\n");
        assert!(!base.join("ran").exists());
        assert!(matches!(Worktree::plan(&root, "fix/login"), Err(WorktreeError::Exists(_))));
        let here = root.to_str().unwrap();
        run(&["-C", here, "branch", "old"]).unwrap();
        let known = Worktree::plan(&root, "old").unwrap();
        assert!(!known.command.contains(&"-b".to_owned()), "{known:?}");
        assert!(matches!(Worktree::plan(&base, "x"), Err(WorktreeError::NoRepository(_))));
        run(&["-C", here, "config", "filter.a=b.smudge", &touches]).unwrap();
        assert!(matches!(Worktree::plan(&root, "old"), Err(WorktreeError::Git(_))));
    }

    #[test]
    fn a_name_is_neither_an_option_nor_a_way_out() {
        let check = |name: &str, expected: bool| assert_eq!(is_name(name), expected, "{name}");
        check("fix-login", true);
        check("a/b.c_d", true);
        check("-b", false);
        check("../x", false);
        check("a/../../x", false);
        check("a b", false);
        check("/etc", false);
        check("", false);
    }
}
