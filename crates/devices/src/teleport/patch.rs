//! Applies uncommitted changes from another device: every path is known before any of it is
//! applied.
//!
//! Git itself lists what a patch would do, in an index of its own, so nothing is written to the
//! folder. Links, submodules, executables and files that could control agents, editors, git or
//! shells are left out unless the user names them one by one.

use super::git::{EMPTY_TREE, git, said, succeeds};
use crate::error::TeleportError;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_adapters::instruction_files;
use taffrail_api::PatchFile;
use taffrail_capture::Checkout;

/// Files that control something although their name does not begin with a dot.
const FILES: &[&str] = &["lefthook.yml", "lefthook.toml", "mise.toml", "justfile.local"];

/// A patch and its target repository.
pub(super) struct Patching<'a> {
    pub(super) here: &'a Checkout,
    pub(super) patch: &'a Path,
    /// Paths that are applied although they would be left out.
    pub(super) named: &'a [String],
}

impl Patching<'_> {
    /// Every path of the patch, with what happens to it.
    pub(super) fn files(&self) -> Result<Vec<PatchFile>, TeleportError> {
        let index = self.index("all");
        self.with_index(&index, self.patch)?;
        let words = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"];
        let mut command = self.git(&index);
        command.args(words).arg(self.base()).arg("--");
        let raw = said(command, "diff-index")?;
        let all = raw_files(&raw);
        Ok(all.into_iter().map(|it| judged(it, self.named)).collect())
    }

    /// Commits the accepted part to a new branch, based on the current checkout; the folder does
    /// not change. Returns the branch's name.
    pub(super) fn to_branch(
        &self,
        files: &[PatchFile],
        name: &str,
    ) -> Result<String, TeleportError> {
        let taken = self.taken(files)?;
        let index = self.index("taken");
        self.with_index(&index, &taken)?;
        let mut write = self.git(&index);
        write.arg("write-tree");
        let tree = line(&said(write, "write-tree")?);
        let mut commit = self.git(&index);
        commit.args(["-c", "user.name=Taffrail", "-c", "user.email=taffrail@localhost"]);
        commit.args(["-c", "commit.gpgSign=false", "commit-tree", &tree]);
        if let Some(parent) = self.here.commit.as_deref() {
            commit.args(["-p", parent]);
        }
        commit.args(["-m", "What was not committed on another device"]);
        let commit = line(&said(commit, "commit-tree")?);
        self.branch(name, &commit)
    }

    /// Creates a branch with this name, or this name and a number.
    fn branch(&self, name: &str, commit: &str) -> Result<String, TeleportError> {
        for number in 1..100 {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let mut git = git(&self.here.root);
            // The empty old value makes git fail if the branch exists.
            git.args(["update-ref", &format!("refs/heads/{name}"), commit, ""]);
            if git.output().is_ok_and(|it| it.status.success()) {
                return Ok(name);
            }
        }
        Err(TeleportError::Patch(format!("no branch {name} could be made")))
    }

    /// The accepted part of the patch, as a patch of its own.
    pub(super) fn taken(&self, files: &[PatchFile]) -> Result<PathBuf, TeleportError> {
        let taken = self.patch.with_extension("taken");
        let all: Vec<&str> =
            files.iter().filter(|it| it.taken).map(|it| it.path.as_str()).collect();
        let mut command = self.git(&self.index("all"));
        command.args(["--literal-pathspecs", "diff-index", "--cached", "-p", "--binary"]);
        command.args(["--no-renames", "--no-ext-diff", "--no-textconv"]).arg(self.base()).arg("--");
        let is_empty = all.is_empty();
        command.args(all);
        let bytes = if is_empty { Vec::new() } else { said(command, "diff-index")? };
        let written = std::fs::write(&taken, bytes);
        written.map_err(|error| TeleportError::Patch(error.to_string()))?;
        Ok(taken)
    }

    /// Builds an index from the current checkout and a patch.
    fn with_index(&self, index: &Path, patch: &Path) -> Result<(), TeleportError> {
        let mut read = self.git(index);
        match self.here.commit.as_deref() {
            Some(commit) => read.args(["read-tree", commit]),
            None => read.args(["read-tree", "--empty"]),
        };
        succeeds(read)?;
        if std::fs::metadata(patch).is_ok_and(|it| it.len() == 0) {
            return Ok(());
        }
        let mut apply = self.git(index);
        apply.args(["apply", "--cached", "--"]).arg(patch);
        succeeds(apply)
    }

    fn base(&self) -> &str {
        self.here.commit.as_deref().unwrap_or(EMPTY_TREE)
    }

    /// A path beside the patch, in the folder of the opened bundle.
    fn index(&self, what: &str) -> PathBuf {
        self.patch.with_extension(format!("index-{what}"))
    }

    fn git(&self, index: &Path) -> Command {
        let mut git = git(&self.here.root);
        git.env("GIT_INDEX_FILE", index);
        git
    }
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// One path of a diff: its modes before and after, and how it changes.
#[derive(Debug, PartialEq, Eq)]
struct RawFile {
    before: String,
    after: String,
    change: char,
    path: String,
}

/// Parses `:100644 100755 SHA SHA M`, a NUL, the path, a NUL, and so on.
fn raw_files(raw: &[u8]) -> Vec<RawFile> {
    let mut parts = raw.split(|it| *it == 0).map(|it| String::from_utf8_lossy(it).into_owned());
    let mut out = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        if let [before, after, _, _, change] = words.as_slice() {
            let change = change.chars().next().unwrap_or('M');
            let (before, after) = ((*before).to_owned(), (*after).to_owned());
            out.push(RawFile { before, after, change, path });
        }
    }
    out
}

fn judged(it: RawFile, named: &[String]) -> PatchFile {
    let change = match it.change {
        'A' => "new",
        'D' => "deleted",
        _ => "changed",
    };
    let because = why_left(&it);
    let taken = because.is_none() || named.contains(&it.path);
    PatchFile {
        path: it.path,
        change: change.to_owned(),
        taken,
        because: because.map(str::to_owned),
    }
}

/// Why a path is left out unless named.
fn why_left(it: &RawFile) -> Option<&'static str> {
    match it.after.as_str() {
        "120000" => return Some("a link"),
        "160000" => return Some("a submodule"),
        "100755" if it.before != "100755" => return Some("a program"),
        _ => {}
    }
    is_control(&it.path).then_some("it controls an agent, an editor or git")
}

/// Any name that begins with a dot may control an agent, an editor, git or a shell, and so may
/// files whose text agents take as instructions. Case is ignored, as some file systems do.
fn is_control(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_one = |it: &&str| it.eq_ignore_ascii_case(name);
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    is_hidden || FILES.iter().any(is_one) || instruction_files().iter().any(is_one)
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use taffrail_capture::checkout;

    fn run(root: &Path, words: &[&str]) {
        let mut git = git(root);
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
        succeeds(git).unwrap();
    }

    /// A repository, a copy of it, and a patch of the first one's uncommitted changes.
    fn apart(folder: &Path) -> (PathBuf, PathBuf) {
        let (here, there) = (folder.join("here"), folder.join("there"));
        fs::create_dir_all(&here).unwrap();
        run(&here, &["init", "-q", "-b", "main"]);
        fs::write(here.join("a.txt"), "one\n").unwrap();
        run(&here, &["add", "."]);
        run(&here, &["commit", "-q", "-m", "one"]);
        let mut clone = Command::new("git");
        clone.current_dir(folder).args(["clone", "-q", "here", "there"]);
        succeeds(clone).unwrap();
        fs::write(here.join("a.txt"), "two\n").unwrap();
        fs::create_dir_all(here.join(".agent")).unwrap();
        fs::create_dir_all(here.join("deep/.vscode")).unwrap();
        for path in [".agent/settings.json", ".mcp.json", ".envrc", "deep/.vscode/tasks.json"] {
            fs::write(here.join(path), "{}\n").unwrap();
        }
        fs::write(here.join("run.sh"), "true\n").unwrap();
        fs::set_permissions(here.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../.ssh/authorized_keys", here.join("notes.md")).unwrap();
        run(&here, &["add", "-A"]);
        let patch = folder.join("p.patch");
        let bytes = super::super::git::patch(&checkout(&here).unwrap()).unwrap().bytes;
        fs::write(&patch, bytes).unwrap();
        (there, patch)
    }

    #[test]
    fn every_path_of_a_patch_is_known_and_what_could_run_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (there, patch) = apart(folder.path());
        let here = checkout(&there).unwrap();
        let named = ["run.sh".to_owned()];
        let patching = Patching { here: &here, patch: &patch, named: &named };
        let files = patching.files().unwrap();
        let told: Vec<_> = files.iter().map(|it| (it.path.as_str(), it.taken)).collect();
        let expected = [
            (".agent/settings.json", false),
            (".envrc", false),
            (".mcp.json", false),
            ("a.txt", true),
            ("deep/.vscode/tasks.json", false),
            ("notes.md", false),
            ("run.sh", true),
        ];
        assert_eq!(told, expected);
        let branch = patching.to_branch(&files, "taffrail/x").unwrap();
        assert_eq!(branch, "taffrail/x");
        assert_eq!(patching.to_branch(&files, "taffrail/x").unwrap(), "taffrail/x-2");
        // The folder is unchanged, and the branch has what was accepted and nothing else.
        assert_eq!(fs::read_to_string(there.join("a.txt")).unwrap(), "one\n");
        let mut list = git(&there);
        list.args(["ls-tree", "-r", "--name-only", "taffrail/x"]);
        assert_eq!(line(&said(list, "ls-tree").unwrap()), "a.txt\nrun.sh");
        let mut show = git(&there);
        show.args(["show", "taffrail/x:a.txt"]);
        assert_eq!(line(&said(show, "show").unwrap()), "two");
    }

    #[test]
    fn what_controls_something_is_known_whatever_its_letters() {
        let check = |path: &str, expected: bool| assert_eq!(is_control(path), expected, "{path}");
        check(".vscode/tasks.json", true);
        check("a/.Idea/x", true);
        check("Agents.md", true);
        check("sub/AGENTS.md", true);
        check(".github/workflows/ci.yml", true);
        check(".env.local", true);
        check("Mise.toml", true);
        check("src/main.rs", false);
        check("agents/list.md", false);
    }
}
