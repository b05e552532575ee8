//! The checkout of a folder, read from git's own files. No program is started, and nothing that a
//! repository's configuration names is run.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes that are read of one of git's files.
const LIMIT: u64 = 4 * 1024 * 1024;
/// The longest chain of symbolic references that is followed.
const STEPS: usize = 5;

/// The state of a git working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The root of the working tree.
    pub root: PathBuf,
    /// The branch; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// The commit in hex; `None` before the first commit.
    pub commit: Option<String>,
}

/// The checkout of the nearest working tree at or above this folder.
#[must_use]
pub fn checkout(folder: &Path) -> Option<Checkout> {
    let root = folder.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok())?;
    let own = git_folder(root)?;
    // A linked working tree keeps its own HEAD and shares the references.
    let shared = text(&own.join("commondir")).map(|it| own.join(it.trim_end()));
    let shared = shared.unwrap_or_else(|| own.clone());
    let head = text(&own.join("HEAD"))?;
    let name = head.trim().strip_prefix("ref: ").map(str::to_owned);
    let branch = name.as_deref().and_then(|it| it.strip_prefix("refs/heads/")).map(str::to_owned);
    let commit = match &name {
        None => is_hash(head.trim()).then(|| head.trim().to_owned()),
        Some(name) => resolved(&shared, name, STEPS),
    };
    Some(Checkout { root: root.to_owned(), branch, commit })
}

/// The root of the repository that a folder's working tree is linked to; `None` if it is not a linked
/// one.
#[must_use]
pub fn linked_root(folder: &Path) -> Option<PathBuf> {
    let root = folder.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok())?;
    let own = git_folder(root)?;
    let shared = own.join(text(&own.join("commondir"))?.trim_end()).canonicalize().ok()?;
    shared.parent().map(Path::to_owned)
}

/// The commit that was checked out in a folder's working tree at a moment, in seconds since 1970, by
/// the log that git keeps of HEAD; `None` if the log does not reach back that far.
#[must_use]
pub fn commit_at(folder: &Path, second: i64) -> Option<String> {
    let root = folder.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok())?;
    let log = text(&git_folder(root)?.join("logs/HEAD"))?;
    let mut entries = log.lines().filter_map(log_entry);
    entries.rfind(|(at, _)| *at <= second).map(|(_, commit)| commit.to_owned())
}

/// The time and the new commit of a line such as `old new Name <mail> 1700000000 +0100\tcommit: x`.
fn log_entry(line: &str) -> Option<(i64, &str)> {
    let (head, _) = line.split_once('\t').unwrap_or((line, ""));
    let commit = head.split(' ').nth(1).filter(|it| is_hash(it))?;
    let second = head.rsplit(' ').nth(1)?.parse().ok()?;
    Some((second, commit))
}

fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot = root.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    let elsewhere = text(&dot)?;
    Some(root.join(elsewhere.trim_end().strip_prefix("gitdir: ")?))
}

/// The commit that a reference names, from a loose file or from `packed-refs`.
fn resolved(folder: &Path, name: &str, steps: usize) -> Option<String> {
    let is_inside = name.starts_with("refs/") && !name.split('/').any(|part| part == "..");
    if steps == 0 || !is_inside {
        return None;
    }
    if let Some(loose) = text(&folder.join(name)) {
        let loose = loose.trim();
        return match loose.strip_prefix("ref: ") {
            Some(next) => resolved(folder, next, steps - 1),
            None => is_hash(loose).then(|| loose.to_owned()),
        };
    }
    let packed = text(&folder.join("packed-refs"))?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(hash, it)| *it == name && is_hash(hash)).map(|(hash, _)| hash.to_owned())
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn text(path: &Path) -> Option<String> {
    let mut out = String::new();
    // Opening a pipe in place of a file would block.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    File::open(path).ok()?.take(LIMIT).read_to_string(&mut out).ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn it_says_what_git_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("app");
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        assert_eq!(checkout(&root.join("src")), None);
        git(&root, &["init", "-q", "-b", "main"]);
        let found = checkout(&root.join("src/deep")).unwrap();
        let expected = Checkout { root: root.clone(), branch: Some("main".into()), commit: None };
        assert_eq!(found, expected);
        git(&root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let other = folder.path().join("other");
        git(&root, &["worktree", "add", "-q", "-b", "feature/a", other.to_str().unwrap()]);
        let check = |folder: &Path, branch: Option<&str>| {
            let found = checkout(folder).unwrap();
            let branch = branch.map(str::to_owned);
            let commit = Some(git(folder, &["rev-parse", "HEAD"]));
            assert_eq!(found, Checkout { root: folder.to_owned(), branch, commit });
        };
        check(&root, Some("main"));
        check(&other, Some("feature/a"));
        assert_eq!(linked_root(&root), None);
        assert_eq!(linked_root(&other), root.canonicalize().ok());
        git(&root, &["pack-refs", "--all"]);
        check(&root, Some("main"));
        check(&other, Some("feature/a"));
        git(&other, &["checkout", "-q", "--detach"]);
        check(&other, None);
    }

    #[test]
    fn the_commit_of_a_moment_is_that_of_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "-b", "main"]);
        let commit = |second: i64, name: &str| {
            let mut command = Command::new("git");
            command.arg("-C").arg(root).args(["-c", "user.name=A B", "-c", "user.email=a@b"]);
            command.env("GIT_COMMITTER_DATE", format!("{second} +0100"));
            command.args(["commit", "-q", "--allow-empty", "-m", name]);
            assert!(command.status().unwrap().success());
            git(root, &["rev-parse", "HEAD"])
        };
        let (one, two) = (commit(1_700_000_000, "one"), commit(1_700_000_100, "two"));
        let check = |second, expected: Option<&String>| {
            assert_eq!(commit_at(root, second).as_ref(), expected, "{second}");
        };
        check(1_699_999_999, None);
        check(1_700_000_000, Some(&one));
        check(1_700_000_099, Some(&one));
        check(1_800_000_000, Some(&two));
    }

    #[test]
    fn a_repository_cannot_lead_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        let check = |head: &str| {
            std::fs::write(git.join("HEAD"), head).unwrap();
            assert_eq!(checkout(folder.path()).unwrap().commit, None, "{head}");
        };
        std::fs::write(folder.path().join("secret"), "ab".repeat(20)).unwrap();
        check("ref: refs/../../secret");
        check("ref: ../secret");
        check("nonsense");
        std::fs::create_dir_all(git.join("refs/heads")).unwrap();
        std::fs::write(git.join("refs/heads/a"), "ref: refs/heads/a").unwrap();
        check("ref: refs/heads/a");
    }
}
