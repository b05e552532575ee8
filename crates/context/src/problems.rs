//! Problems of parts of the daemon that no watcher reports on.

use std::collections::BTreeMap;

/// The number of problems remembered for each part.
const PROBLEMS: usize = 10;

/// A part of the daemon that reports its own problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The connections to agents' own servers.
    AgentServers,
    /// The delivery of prompts.
    Delivery,
    /// Search.
    Search,
}

/// The problems of each part, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Problems(BTreeMap<Part, Vec<String>>);

impl Problems {
    /// Adds a problem, once.
    pub(crate) fn note(&mut self, part: Part, problem: String) {
        let known = self.0.entry(part).or_default();
        if !known.contains(&problem) {
            known.push(problem);
            known.drain(..known.len().saturating_sub(PROBLEMS));
        }
    }

    /// Records that a part works again.
    pub(crate) fn resolve(&mut self, part: Part) {
        self.0.remove(&part);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.values().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_own_problems_and_works_again_by_itself() {
        let mut problems = Problems::default();
        for problem in ["no answer", "no answer", "no disk"] {
            problems.note(Part::Search, problem.to_owned());
        }
        problems.note(Part::Delivery, "no answer".to_owned());
        assert_eq!(problems.all(), ["no answer", "no answer", "no disk"]);
        problems.resolve(Part::Search);
        assert_eq!(problems.all(), ["no answer"]);
        (0..20).for_each(|it| problems.note(Part::Search, it.to_string()));
        assert_eq!(problems.all().len(), 1 + PROBLEMS);
        assert_eq!(problems.all().last().map(String::as_str), Some("19"));
    }
}
