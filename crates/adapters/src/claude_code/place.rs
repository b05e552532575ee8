//! Which files contain history, and what their paths show.

use super::ADAPTER_ID;
use taffrail_kit::{Encoding, Place, Shape};
use taffrail_model::{AgentId, RuntimeIdentity};

/// The folder of all projects, below the agent's home.
const PROJECTS: &str = "projects/";
/// The longest project folder name the agent writes in full; it cuts a longer one and appends a
/// hash.
const WHOLE_FOLDER: usize = 200;

/// A transcript, as its path describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transcript<'p> {
    /// The folder of its project.
    pub(super) project: &'p str,
    /// The owner.
    pub(super) owner: Owner<'p>,
}

/// The owner of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner<'p> {
    /// A session.
    Session(&'p str),
    /// A sub-agent, below its parent's folder.
    Worker {
        /// The sub-agent.
        agent: &'p str,
        /// The parent session.
        parent: &'p str,
    },
    /// A sub-agent beside its parent, as versions 2.0 wrote it; its records name the parent.
    Orphan {
        /// The sub-agent.
        agent: &'p str,
    },
}

impl<'p> Transcript<'p> {
    /// Reads a path below the home; `None` for everything that is not a transcript.
    pub(super) fn at(path: &'p str) -> Option<Self> {
        let below = path.strip_prefix(PROJECTS)?.strip_suffix(".jsonl")?;
        let parts: Vec<&str> = below.split('/').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return None;
        }
        let (project, owner) = match *parts.as_slice() {
            [project, stem] => (project, beside_sessions(stem)),
            [project, parent, "subagents", stem]
            | [project, parent, "subagents", "workflows", _, stem] => {
                let agent = agent_of(stem)?;
                (project, Owner::Worker { agent, parent })
            }
            _ => return None,
        };
        Some(Self { project, owner })
    }

    /// The session, if the path names it.
    pub(super) fn session(&self) -> Option<RuntimeIdentity> {
        match self.owner {
            Owner::Session(id) => Some(session(id)),
            Owner::Worker { agent, parent } => Some(worker(parent, agent)),
            Owner::Orphan { .. } => None,
        }
    }
}

fn beside_sessions(stem: &str) -> Owner<'_> {
    agent_of(stem).map_or(Owner::Session(stem), |agent| Owner::Orphan { agent })
}

fn agent_of(stem: &str) -> Option<&str> {
    stem.strip_prefix("agent-").filter(|id| !id.is_empty())
}

/// A user's session; its id is globally unique.
pub(super) fn session(id: &str) -> RuntimeIdentity {
    session_of(&AgentId::new(ADAPTER_ID), id)
}

/// A sub-agent; its short id is unique only within its parent session.
pub(super) fn worker(parent: &str, id: &str) -> RuntimeIdentity {
    worker_of(&AgentId::new(ADAPTER_ID), parent, id)
}

/// A user's session of any agent that writes these transcripts.
pub(super) fn session_of(agent: &AgentId, id: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(agent.clone(), "", id)
}

/// A sub-agent of any agent that writes these transcripts.
pub(super) fn worker_of(agent: &AgentId, parent: &str, id: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(agent.clone(), parent, id)
}

/// Classifies a file below the home.
pub(super) fn of(path: &str) -> Option<Place> {
    let transcript = Transcript::at(path)?;
    let beside = match transcript.owner {
        Owner::Worker { .. } => vec![format!("{}.meta.json", path.strip_suffix(".jsonl")?)],
        Owner::Session(_) | Owner::Orphan { .. } => Vec::new(),
    };
    Some(Place {
        shape: Shape::Lines(Encoding::Plain),
        locator: format!("claude-jsonl:{}", path.strip_prefix(PROJECTS)?),
        session: transcript.session(),
        is_worker: !matches!(transcript.owner, Owner::Session(_)),
        rank: 0,
        beside,
    })
}

/// Whether the agent gives a working directory this project folder.
///
/// The agent turns everything but ASCII letters and digits into dashes, one for each UTF-16 unit.
/// That is irreversible, so we compare folders and never decode them.
pub(super) fn is_folder_of(folder: &str, cwd: &str) -> bool {
    let mut written = cwd.chars().flat_map(folder_characters);
    if folder.len() <= WHOLE_FOLDER {
        return written.eq(folder.chars());
    }
    let mut given = folder.chars();
    given.by_ref().take(WHOLE_FOLDER).eq(written.by_ref().take(WHOLE_FOLDER))
        && given.next() == Some('-')
        && written.next().is_some()
}

/// The project folder for a working directory; `None` if the agent would cut it and append its own
/// hash.
pub(super) fn folder_of(cwd: &str) -> Option<String> {
    let folder: String = cwd.chars().flat_map(folder_characters).collect();
    (folder.len() <= WHOLE_FOLDER).then_some(folder)
}

/// The project folder in a path below the home, and the rest of the path.
pub(super) fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, rest) = path.strip_prefix(PROJECTS)?.split_once('/')?;
    (!folder.is_empty() && !rest.is_empty()).then_some((folder, rest))
}

fn folder_characters(character: char) -> impl Iterator<Item = char> {
    let (kept, count) = if character.is_ascii_alphanumeric() {
        (character, 1)
    } else {
        ('-', character.len_utf16())
    };
    std::iter::repeat_n(kept, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_whose_a_transcript_is() {
        let check = |path: &str, expected: Option<Owner<'_>>| {
            let owner = Transcript::at(path).map(|transcript| transcript.owner);
            assert_eq!(owner, expected, "{path}");
        };
        let worker = Owner::Worker { agent: "a1", parent: "s1" };
        check("projects/-w/s1.jsonl", Some(Owner::Session("s1")));
        check("projects/-w/s1/subagents/agent-a1.jsonl", Some(worker));
        check("projects/-w/s1/subagents/workflows/w1/agent-a1.jsonl", Some(worker));
        check("projects/-w/agent-a1.jsonl", Some(Owner::Orphan { agent: "a1" }));
        check("projects/-w/s1/subagents/agent-a1.meta.json", None);
        check("projects/-w/s1/subagents/other.jsonl", None);
        check("projects/-w/s1/tool-results/b1.jsonl", None);
        check("projects/-w/s1/subagents/deep/er/agent-a1.jsonl", None);
        check("projects/s1.jsonl", None);
        check("projects//s1.jsonl", None);
        check("projects/-w/.jsonl", None);
        check("history.jsonl", None);
        check("sessions/-w/s1.jsonl", None);
    }

    #[test]
    fn a_worker_has_its_side_file_and_its_parents_scope() {
        let place = of("projects/-w/s1/subagents/agent-a1.jsonl").unwrap();
        assert_eq!(place.session, Some(worker("s1", "a1")));
        assert_eq!(place.locator, "claude-jsonl:-w/s1/subagents/agent-a1.jsonl");
        assert_eq!(place.beside, ["projects/-w/s1/subagents/agent-a1.meta.json"]);
        assert!(place.is_worker);
    }

    #[test]
    fn folders_are_recognised() {
        let check = |folder: &str, cwd: &str, expected: bool| {
            assert_eq!(is_folder_of(folder, cwd), expected, "{folder} {cwd}");
        };
        check("-w-my-app", "/w/my_app", true);
        check("-w-my-app", "/w/my.app", true);
        check("-w-my-app", "/w/my_app/src", false);
        check("C--w", r"C:\w", true);
        check("-w----", "/w/é🎉", true);
        let long = format!("/{}", "a".repeat(300));
        let cut = format!("-{}", "a".repeat(199));
        check(&format!("{cut}-k3x9z1"), &long, true);
        check(&format!("{cut}-k3x9z1"), "/elsewhere", false);
    }
}
