//! A process that calls us, as the kernel reports it.

use super::{ancestors, name_of, stat, system};
use taffrail_model::Process;
use taffrail_model::caller::ProcessInfo;

/// How many ancestors are searched for an agent.
const DEPTH: usize = 64;

/// Describes a process: its ancestors, its terminal, and which of these variables are in its environment.
/// `None` if the process is gone or its pid was reused.
#[must_use]
pub fn look_at(process: Process, marks: &[&str]) -> Option<ProcessInfo> {
    let Process { pid, start } = process;
    let own = stat(pid).filter(|it| it.start == start && !it.is_over)?;
    let seen = ProcessInfo {
        process,
        program: name_of(pid, &own.name),
        terminal: system::terminal(pid).and_then(|it| it.path),
        leader: own.leader,
        above: ancestors(pid, DEPTH),
        marks: marks_of(pid, marks),
    };
    // The values belong to this process only if it still exists.
    stat(pid).filter(|it| it.start == start).map(|_| seen)
}

/// Whether a process runs the same executable as we do.
#[must_use]
pub fn runs_our_program(pid: u32) -> bool {
    let ours = system::executable(std::process::id());
    ours.is_some_and(|ours| system::executable(pid) == Some(ours))
}

/// Which of these variables are in the environment of a process.
fn marks_of(pid: u32, marks: &[&str]) -> Vec<String> {
    // An environment that cannot be read counts as empty.
    let all = system::environment(pid).unwrap_or_default();
    let names = all.split(|it| *it == 0).filter_map(|it| it.split(|it| *it == b'=').next());
    let names: Vec<_> = names.collect();
    let is_set = |mark: &&&str| names.contains(&mark.as_bytes());
    marks.iter().filter(is_set).map(|it| (*it).to_owned()).collect()
}

#[cfg(test)]
#[cfg(target_os = "linux")] // macOS hides the variables of its own programs, such as `sleep`.
mod tests {
    use super::*;
    use crate::start_of;
    use std::process::Command;

    #[test]
    fn a_process_is_looked_at() {
        let mut child = Command::new("sleep").arg("600").env("MARK", "1").spawn().unwrap();
        let start = start_of(child.id()).unwrap();
        let it = Process { pid: child.id(), start };
        // Before exec the child has our environment, and for a moment none.
        let seen = loop {
            let seen = look_at(it, &["MARK", "OTHER"]).unwrap();
            if seen.program == "sleep" && !seen.marks.is_empty() {
                break seen;
            }
        };
        assert_eq!((seen.process, seen.marks.as_slice()), (it, &["MARK".to_owned()][..]));
        assert_eq!(seen.above[0].pid, std::process::id());
        assert_eq!(look_at(Process { start: start + 1, ..it }, &[]), None);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(look_at(it, &[]), None);
    }
}
