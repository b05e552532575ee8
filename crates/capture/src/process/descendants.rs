//! The descendants of a process, and the files that a process writes.

use super::{command_line, name, stat};
use std::fs;
use std::path::PathBuf;

/// The most processes that are listed.
const PROCESSES: usize = 64;
/// The most open files of a process that are inspected.
const FILES: usize = 1024;

/// A process and its descendants, the nearest first, up to the limit.
#[must_use]
pub fn at_and_below(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(above) = found.get(next).copied().filter(|_| found.len() < PROCESSES) {
        let tasks = fs::read_dir(format!("/proc/{above}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
        let lists: Vec<_> = lists.collect();
        let words = lists.iter().flat_map(|it| it.split_ascii_whitespace());
        found.extend(words.filter_map(|it| it.parse::<u32>().ok()));
        next += 1;
    }
    found.truncate(PROCESSES);
    found
}

/// The files that a process has open for writing.
#[must_use]
pub fn written_by(pid: u32) -> Vec<PathBuf> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let written = open.take(FILES).filter(|it| is_written(pid, &it.file_name().to_string_lossy()));
    written.filter_map(|it| fs::read_link(it.path()).ok()).filter(|it| it.is_absolute()).collect()
}

/// The last two bits of a file's flags, written in octal, are the access mode; 0 is read-only.
fn is_written(pid: u32, number: &str) -> bool {
    let about = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
    let flags = about.lines().find_map(|it| it.strip_prefix("flags:")).unwrap_or_default();
    u32::from_str_radix(flags.trim(), 8).is_ok_and(|it| it & 3 != 0)
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
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_is_written_by_who_has_it_open_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let [read, written] = ["read", "written"].map(|it| folder.path().join(it));
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
