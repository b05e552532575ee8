//! The descendants of a process, and the files that a process writes.

use super::{command_line, name, stat, system};
use std::path::PathBuf;

/// The most processes that are listed.
const PROCESSES: usize = 64;

/// A process and its descendants, the nearest first, up to the limit.
#[must_use]
pub fn at_and_below(pid: u32) -> Vec<u32> {
    let children = system::Children::read();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(above) = found.get(next).copied().filter(|_| found.len() < PROCESSES) {
        found.extend(children.of(above));
        next += 1;
    }
    found.truncate(PROCESSES);
    found
}

/// The files that a process has open for writing.
#[must_use]
pub fn written_by(pid: u32) -> Vec<PathBuf> {
    system::written_by(pid)
}

/// The name of the program that a process runs.
#[must_use]
pub fn program_of(pid: u32) -> Option<String> {
    Some(super::name_of(pid, &stat(pid)?.name))
}

/// The name of the program that a command line starts, if the command line reveals it.
#[must_use]
pub fn program_in(words: &[&str]) -> Option<String> {
    let (program, _) = words.split_first()?;
    let short = program.rsplit('/').next().unwrap_or(program);
    let best = name::best(short, words);
    (!name::is_interpreter(&best)).then_some(best)
}

/// Whether the command line of a process names one of these programs.
#[must_use]
pub fn runs(pid: u32, programs: &[&str]) -> bool {
    let words = command_line(pid);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let named = program_in(&words).or_else(|| program_of(pid));
    named.is_some_and(|it| programs.contains(&it.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    #[test]
    fn a_file_is_written_by_who_has_it_open_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let [read, written] = ["read", "written"].map(|it| real.join(it));
        fs::write(&read, "").unwrap();
        let reads = fs::File::open(&read).unwrap();
        let mut writes = fs::File::create(&written).unwrap();
        let found = written_by(std::process::id());
        assert!(found.contains(&written), "{found:?}");
        assert!(!found.contains(&read), "{found:?}");
        writes.write_all(b"x").unwrap();
        drop(reads);
    }

    #[test]
    fn what_runs_below_is_found() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let found = at_and_below(std::process::id());
        assert_eq!(found.first(), Some(&std::process::id()));
        assert!(found.contains(&child.id()), "{found:?}");
        assert!(runs(child.id(), &["cat", "sleep"]) && !runs(child.id(), &["cat"]));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_command_line_names_its_program() {
        let check = |words: &[&str], expected: Option<&str>| {
            assert_eq!(program_in(words).as_deref(), expected, "{words:?}");
        };
        check(&["/usr/bin/parrot", "-x"], Some("parrot"));
        check(&["node", "/x/node_modules/@birds/parrot/cli.js"], Some("parrot"));
        check(&["node"], None);
        check(&[], None);
    }
}
