//! The files of the workspace, and which part of them is shipped.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A text file, by its path below the root with `/` as the separator.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

/// Every file that is in the repository or would be added to it.
#[derive(Debug)]
pub(super) struct Tree {
    /// Files that hold text.
    pub(super) files: Vec<File>,
    /// All paths, including those of folders.
    paths: BTreeSet<String>,
    /// Modules that exist only in tests, by their path without `.rs`.
    test_modules: BTreeSet<String>,
}

impl Tree {
    /// Lists the files with git, and reads them.
    pub(super) fn load(root: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        let mut paths = Vec::new();
        for path in listed(root)? {
            // A file that was removed but not yet committed is still listed.
            let Ok(bytes) = std::fs::read(root.join(&path)) else {
                continue;
            };
            paths.push(path.clone());
            if let Ok(text) = String::from_utf8(bytes)
                && !text.contains('\0')
            {
                files.push(File { path, text });
            }
        }
        Ok(Self::new(files, paths))
    }

    fn new(files: Vec<File>, paths: Vec<String>) -> Self {
        let test_modules = files.iter().flat_map(test_modules_of).collect();
        let mut all = BTreeSet::new();
        for path in paths {
            let ends = path.match_indices('/').map(|(at, _)| at);
            all.extend(ends.filter_map(|at| path.get(..at)).map(str::to_owned));
            all.insert(path);
        }
        Self { files, paths: all, test_modules }
    }

    /// A tree for the tests of a rule.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Self::new(files.iter().map(file).collect(), paths)
    }

    /// Whether a file or a folder has this path.
    pub(super) fn has(&self, path: &str) -> bool {
        path.is_empty() || self.paths.contains(path)
    }

    /// All paths below a folder, relative to it.
    pub(super) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let relative = move |path: &'a String| path.strip_prefix(folder)?.strip_prefix('/');
        self.paths.iter().filter_map(relative)
    }

    /// A file by its path.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust source that users run: path, and text up to its tests.
    pub(super) fn shipped(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter();
        let files = files.filter(|file| is_shipped(&file.path) && !self.is_test(&file.path));
        files.map(|file| (file.path.as_str(), before_tests(&file.text)))
    }

    fn is_test(&self, path: &str) -> bool {
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let mut modules = self.test_modules.iter();
        modules.any(|module| {
            let below = stem.strip_prefix(module.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

fn listed(root: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    // The tree may belong to another user, as in a container.
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached"]);
    git.args(["--others", "--exclude-standard"]).current_dir(root);
    let output = git.output().map_err(|error| format!("git could not be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git ls-files failed: {said}"));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    let names = names.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

fn is_shipped(path: &str) -> bool {
    let mut parts = path.split('/');
    let crate_source = parts.next() == Some("crates")
        && parts.next() != Some("testkit")
        && parts.next() == Some("src");
    crate_source
        && path.ends_with(".rs")
        && !path.contains("/tests/")
        && !path.contains("/fixtures/")
}

/// The text before a test module in the same file.
fn before_tests(text: &str) -> &str {
    let end = test_declarations(text).find(|(_, module)| module.contains('{'));
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

fn test_modules_of(file: &File) -> Vec<String> {
    let folder = match file.path.rsplit_once('/') {
        Some((folder, "lib.rs" | "main.rs" | "mod.rs")) => folder,
        Some(_) => file.path.strip_suffix(".rs").unwrap_or_default(),
        None => "",
    };
    let declared = test_declarations(&file.text);
    let names = declared.filter_map(|(_, module)| module.strip_suffix(';'));
    names
        .filter_map(|module| module.rsplit(' ').next())
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

/// The position of `#[cfg(test)]` before a module, and the line of that module.
fn test_declarations(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("#[cfg(test)]\n").filter_map(|(at, mark)| {
        let after = text.get(at + mark.len()..)?;
        let mut lines = after.lines().map(str::trim);
        let next = lines.find(|line| !line.starts_with("#["))?;
        let module = next.starts_with("mod ") || next.contains(" mod ");
        module.then_some((at, next))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_ends_where_tests_begin() {
        let check = |path: &str, text: &str, expected: Option<&str>| {
            let tree = Tree::of(&[(path, text)]);
            let got = tree.shipped().map(|(_, text)| text).next();
            assert_eq!(got, expected, "{path}");
        };
        let inline = "fn a() {}\n#[cfg(test)]\nmod tests {\n}\n";
        check("crates/model/src/lib.rs", inline, Some("fn a() {}\n"));
        let apart = "#[cfg(test)]\nmod conformance;\nfn a() {}\n";
        check("crates/model/src/lib.rs", apart, Some(apart));
        let helper = "#[cfg(test)]\nfn only_here() {}\nfn a() {}\n";
        check("crates/model/src/lib.rs", helper, Some(helper));
        check("crates/model/tests/all.rs", "", None);
        check("crates/model/src/x/tests/all.rs", "", None);
        check("crates/testkit/src/lib.rs", "", None);
        check("xtask/src/main.rs", "", None);
        check("crates/model/src/notes.md", "", None);
    }

    #[test]
    fn a_module_for_tests_is_not_shipped() {
        let lib = "#[cfg(test)]\n#[path = \"x\"]\nmod suite;\n";
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", lib),
            ("crates/a/src/suite.rs", ""),
            ("crates/a/src/suite/more.rs", ""),
            ("crates/a/src/suites.rs", "#[cfg(test)]\nmod deep;\n"),
            ("crates/a/src/suites/deep.rs", ""),
        ]);
        let shipped: Vec<_> = tree.shipped().map(|(path, _)| path).collect();
        assert_eq!(shipped, ["crates/a/src/lib.rs", "crates/a/src/suites.rs"]);
    }

    #[test]
    fn folders_are_paths_too() {
        let tree = Tree::of(&[("a/b/c.txt", "")]);
        assert!(tree.has("a") && tree.has("a/b") && tree.has("a/b/c.txt") && !tree.has("a/b/c"));
        assert_eq!(tree.below("a").collect::<Vec<_>>(), ["b", "b/c.txt"]);
    }
}
