//! How to recognise a process of an agent among our callers, and which files agents
//! take as instructions.

use crate::all;

/// Programs that also run other things than agents: their names prove nothing.
const SHARED: &[&str] = &["node"];

/// Further names of agents' programs.
const PROGRAMS: &[&str] = &["qwen-code"];
/// Variables that agents set for the programs they start.
const MARKS: &[&str] = &["QWEN_CODE", "OPENCODE", "CURSOR_AGENT", "AUGMENT_AGENT", "CLINE_ACTIVE"];
/// Files that agents take as instructions.
const INSTRUCTIONS: &[&str] = &["AGENTS.md", "QWEN.md", "CRUSH.md", "opencode.json"];

/// The names of agents' programs, as the system shows them.
#[must_use]
pub fn agent_programs() -> Vec<&'static str> {
    let own = |it: &&'static dyn taffrail_kit::Adapter| it.descriptor();
    let all = all().iter().map(own).flat_map(|it| it.processes.iter().chain(it.traces.programs));
    all.copied().filter(|it| !SHARED.contains(it)).chain(PROGRAMS.iter().copied()).collect()
}

/// Variables that agents set for the programs they start, and that a person's terminal never has.
#[must_use]
pub fn agent_marks() -> Vec<&'static str> {
    let all = all().iter().flat_map(|it| it.descriptor().traces.marks);
    all.copied().chain(MARKS.iter().copied()).collect()
}

/// Files in a project whose text agents take as instructions.
#[must_use]
pub fn instruction_files() -> Vec<&'static str> {
    let all = all().iter().flat_map(|it| it.descriptor().traces.instructions);
    all.copied().chain(INSTRUCTIONS.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_name_and_what_runs_other_things_is_not() {
        let programs = agent_programs();
        for adapter in all() {
            let descriptor = adapter.descriptor();
            for name in descriptor.processes.iter().filter(|it| !SHARED.contains(it)) {
                assert!(programs.contains(name), "{name}");
            }
            assert!(descriptor.traces.marks.iter().all(|it| agent_marks().contains(it)));
        }
        assert!(programs.contains(&"opencode"));
        assert!(!programs.contains(&"node") && !programs.contains(&"bash"));
    }
}
