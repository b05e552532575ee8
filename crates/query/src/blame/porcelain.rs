//! Reads what git prints: `blame --line-porcelain` and whole-file patches of commits.

use taffrail_blame::{Added, Line};

/// A line of a file with the commit that added it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blamed {
    /// The commit; `None` for a line that is not committed.
    pub(super) commit: Option<String>,
    /// The number of the line in the file that the commit has.
    pub(super) original: usize,
    pub(super) line: Line,
}

/// The lines of a file.
pub(super) fn blamed(text: &str) -> Vec<Blamed> {
    let mut out = Vec::new();
    let (mut commit, mut original, mut at, mut path) = (None, 0, 0, String::new());
    let mut is_header = true;
    // A carriage return is part of a line.
    for line in text.split_terminator('\n') {
        if let Some(content) = line.strip_prefix('\t') {
            let added = if commit.is_some() { Added::At(at) } else { Added::Uncommitted };
            let line = Line { text: content.to_owned(), added, path: path.clone() };
            out.push(Blamed { commit: commit.take(), original, line });
            is_header = true;
        } else if is_header {
            let mut words = line.split(' ');
            let hash = words.next().unwrap_or_default();
            original = words.next().and_then(|it| it.parse().ok()).unwrap_or_default();
            commit = Some(hash.to_owned()).filter(|it| it.bytes().any(|it| it != b'0'));
            is_header = false;
        } else if let Some(second) = line.strip_prefix("committer-time ") {
            at = second.parse::<i64>().unwrap_or_default().saturating_mul(1000);
        } else if let Some(name) = line.strip_prefix("filename ") {
            name.clone_into(&mut path);
        }
    }
    out
}

/// A commit with its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) commit: String,
    pub(super) second: i64,
    pub(super) author: String,
    pub(super) subject: String,
    pub(super) files: Vec<PatchedFile>,
}

/// A file of a commit: the lines that it added, between the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PatchedFile {
    pub(super) path: String,
    /// The path before the commit.
    pub(super) before: Option<String>,
    pub(super) lines: Vec<Line>,
}

/// The format of a commit's first line for [`patch`].
pub(super) const FORMAT: &str = "--format=%H%x00%ct%x00%an%x00%s";

/// A commit as `git show` prints it.
pub(super) fn patch(text: &str) -> Patch {
    let mut lines = text.split_terminator('\n');
    let mut words = lines.next().unwrap_or_default().split('\0').map(str::to_owned);
    let mut next = || words.next().unwrap_or_default();
    let (commit, second, author, subject) = (next(), next(), next(), next());
    let second = second.parse().unwrap_or_default();
    let mut out = Patch { commit, second, author, subject, files: Vec::new() };
    let mut is_content = false;
    for line in lines {
        if line.starts_with("diff --git ") {
            out.files.push(PatchedFile::default());
            is_content = false;
        } else if line.starts_with("@@") {
            is_content = true;
        } else if let Some(file) = out.files.last_mut() {
            match is_content {
                true => file.content(line, second),
                false => file.head(line),
            }
        }
    }
    out
}

impl PatchedFile {
    fn head(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("+++ b/") {
            path.trim_end_matches('\t').clone_into(&mut self.path);
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.before = Some(path.to_owned());
        }
    }

    fn content(&mut self, line: &str, second: i64) {
        let mut characters = line.chars();
        let added = match characters.next() {
            Some('+') => Added::At(second.saturating_mul(1000)),
            Some(' ') => Added::Context,
            _ => return,
        };
        let text = characters.as_str().to_owned();
        self.lines.push(Line { text, added, path: self.path.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, added: Added, path: &str) -> Line {
        Line { text: text.to_owned(), added, path: path.to_owned() }
    }

    #[test]
    fn every_line_has_its_commit_and_the_path_of_that_time() {
        let hash = "ab".repeat(20);
        let zero = "0".repeat(40);
        let text = format!(
            "{hash} 1 1 1\nauthor Ana\ncommitter-time 7\nsummary filename x\nfilename old name.py\n\tfilename y\r\n\
             {zero} 2 2 1\nauthor Not Committed Yet\ncommitter-time 9\nfilename new.py\n\t\tlet it;\n"
        );
        let expected = [
            Blamed {
                commit: Some(hash),
                original: 1,
                line: line("filename y\r", Added::At(7000), "old name.py"),
            },
            Blamed {
                commit: None,
                original: 2,
                line: line("\tlet it;", Added::Uncommitted, "new.py"),
            },
        ];
        assert_eq!(blamed(&text), expected);
    }

    #[test]
    fn a_commit_has_its_files_with_the_lines_around() {
        let text = "abc\x0012\x00Ana\x00trim: the wick\n\ndiff --git a/x.py b/lib/y.py\nsimilarity index 50%\n\
                    rename from x.py\nrename to lib/y.py\n--- a/x.py\n+++ b/lib/y.py\n@@ -1,2 +1,2 @@\n one\n-two\n+++ b/z\n\
                    \\ No newline at end of file\ndiff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let lines = vec![
            line("one", Added::Context, "lib/y.py"),
            line("++ b/z", Added::At(12_000), "lib/y.py"),
        ];
        let moved =
            PatchedFile { path: "lib/y.py".to_owned(), before: Some("x.py".to_owned()), lines };
        let expected = Patch {
            commit: "abc".to_owned(),
            second: 12,
            author: "Ana".to_owned(),
            subject: "trim: the wick".to_owned(),
            files: vec![moved, PatchedFile::default()],
        };
        assert_eq!(patch(text), expected);
    }
}
