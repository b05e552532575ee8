//! Identifies callers by what the kernel reports about a process, never by what the process claims.
//!
//! An agent runs commands as its user, so a user id proves nothing. The ancestors of the calling
//! process and its controlling terminal do.

use crate::process::{Ancestor, Process};
use serde::{Deserialize, Serialize};

/// The kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A person at a terminal, in an authenticated browser, or on a paired device.
    Person,
    /// An agent's process, or one that an agent started.
    Agent,
    /// A script, or anything else without a terminal.
    Unknown,
}

impl Caller {
    /// The word used in JSON, logs and messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a caller has a right.
    #[must_use]
    pub const fn may(self, right: Right, scripts: Scripts) -> bool {
        match (self, right) {
            (_, Right::Read) | (Self::Person, _) | (Self::Unknown, Right::Script) => true,
            (Self::Unknown, Right::Decide) => matches!(scripts, Scripts::Allowed),
            (Self::Agent, Right::Script | Right::Decide) => false,
        }
    }
}

/// The right that an action requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// The action changes nothing that matters: everyone may.
    Read,
    /// The action is one that a user's script needs: send, queue, stop the daemon.
    Script,
    /// The action decides, or changes who may decide.
    Decide,
}

/// Whether the user lets scripts decide: the setting `control.scripts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// The user allowed scripts, once, at a terminal.
    Allowed,
    /// Only a person decides.
    Refused,
}

/// What the kernel reports about a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// The process.
    pub process: Process,
    /// The name of the program.
    pub program: String,
    /// The controlling terminal.
    pub terminal: Option<String>,
    /// The leader of the process's kernel session, which owns the terminal.
    pub leader: u32,
    /// The ancestors, the nearest first.
    pub above: Vec<Ancestor>,
    /// Environment variables that agents set for the processes they start.
    pub marks: Vec<String>,
}

/// How to recognize agents.
#[derive(Clone, Copy)]
pub struct Agents<'a> {
    /// The names of agents' programs.
    pub programs: &'a [&'a str],
    /// Whether a process runs a session.
    pub runs_session: &'a dyn Fn(Process) -> bool,
}

impl std::fmt::Debug for Agents<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agents").field("programs", &self.programs).finish_non_exhaustive()
    }
}

/// A caller, as the audit log records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// The kind of caller.
    pub caller: Caller,
    /// The process; `None` for a browser or another device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The agent's program, or else the program of the process itself.
    pub program: String,
    /// The controlling terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// The programs of the ancestors with their pids, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// The reason for the classification, in a few words.
    pub because: String,
}

impl Who {
    /// A caller that is not a process of this machine.
    #[must_use]
    pub fn elsewhere(caller: Caller, program: &str, because: &str) -> Self {
        Self {
            caller,
            pid: None,
            program: program.to_owned(),
            terminal: None,
            chain: Vec::new(),
            because: because.to_owned(),
        }
    }

    /// A process that is gone or cannot be inspected.
    #[must_use]
    pub fn unseen() -> Self {
        Self::elsewhere(Caller::Unknown, "", "its process cannot be looked at")
    }
}

/// The process that makes a caller an agent: the caller itself or its nearest agent ancestor.
#[must_use]
pub fn agent_above(info: &ProcessInfo, agents: Agents<'_>) -> Option<Ancestor> {
    let Process { pid, start } = info.process;
    let own = Ancestor { pid, start, name: info.program.clone() };
    let is_agent = |it: &Ancestor| {
        let process = Process { pid: it.pid, start: it.start };
        agents.programs.contains(&it.name.as_str()) || (agents.runs_session)(process)
    };
    std::iter::once(own).chain(info.above.iter().cloned()).find(is_agent)
}

/// Classifies a process. An agent among its ancestors decides. A process with an agent's variables
/// at a terminal contradicts itself, and does not count as a person.
#[must_use]
pub fn who(info: &ProcessInfo, agents: Agents<'_>) -> Who {
    let agent = agent_above(info, agents);
    let at_terminal = has_terminal(info);
    let (caller, because) = match (&agent, info.marks.first(), at_terminal) {
        (Some(it), _, _) => (Caller::Agent, format!("{} ({}) runs it", it.name, it.pid)),
        (None, Some(mark), true) => {
            (Caller::Unknown, format!("{mark} is set, as an agent does for what it starts"))
        }
        (None, Some(mark), false) => {
            (Caller::Agent, format!("{mark} is set, and no terminal controls it"))
        }
        (None, None, true) => (Caller::Person, "a terminal controls it".to_owned()),
        (None, None, false) => (Caller::Unknown, "no terminal controls it".to_owned()),
    };
    Who {
        caller,
        pid: Some(info.process.pid),
        program: agent.map_or_else(|| info.program.clone(), |it| it.name),
        terminal: info.terminal.clone().filter(|_| at_terminal),
        chain: info.above.iter().map(|it| format!("{} {}", it.name, it.pid)).collect(),
        because,
    }
}

/// Whether a terminal controls the process and its session leader is still an ancestor. An orphaned
/// process keeps its terminal, but nobody sits there for it.
fn has_terminal(info: &ProcessInfo) -> bool {
    let leads = info.process.pid == info.leader;
    let below = info.above.iter().any(|it| it.pid == info.leader);
    info.terminal.is_some() && (leads || below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn info(
        terminal: Option<&str>,
        leader: u32,
        above: &[(u32, &str)],
        marks: &[&str],
    ) -> ProcessInfo {
        let ancestor =
            |(pid, name): &(u32, &str)| Ancestor { pid: *pid, start: 5, name: (*name).to_owned() };
        ProcessInfo {
            process: Process { pid: 9, start: 7 },
            program: "taffrail".to_owned(),
            terminal: terminal.map(str::to_owned),
            leader,
            above: above.iter().map(ancestor).collect(),
            marks: marks.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn a_caller_is_known_by_what_the_kernel_says() {
        let check = |terminal, leader, above: &[(u32, &str)], marks: &[&str], expected| {
            let runs = |it: Process| it.pid == 77 && it.start == 5;
            let agents = Agents { programs: &["claude", "codex"], runs_session: &runs };
            let got = who(&info(terminal, leader, above, marks), agents);
            assert_eq!((got.caller, got.program.as_str()), expected, "{above:?} {marks:?}");
        };
        let pts = Some("/dev/pts/3");
        let person = (Caller::Person, "taffrail");
        let unknown = (Caller::Unknown, "taffrail");
        check(pts, 8, &[(8, "bash"), (2, "tmux"), (1, "init")], &[], person);
        check(pts, 9, &[(2, "sshd")], &[], person);
        check(None, 8, &[(8, "bash"), (1, "init")], &[], unknown);
        check(None, 9, &[(1, "init")], &[], unknown);
        // Orphaned by the person at that terminal.
        check(pts, 8, &[(1, "init")], &[], unknown);
        let under = [(8, "bash"), (6, "claude"), (5, "zsh")];
        check(pts, 5, &under, &[], (Caller::Agent, "claude"));
        check(None, 8, &under, &[], (Caller::Agent, "claude"));
        check(pts, 5, &[(8, "bash"), (77, "wrapped"), (5, "zsh")], &[], (Caller::Agent, "wrapped"));
        check(None, 9, &[(1, "init")], &["CLAUDECODE"], (Caller::Agent, "taffrail"));
        check(pts, 8, &[(8, "bash")], &["CLAUDECODE"], unknown);
    }

    #[test]
    fn only_a_person_decides_unless_scripts_may() {
        use {Caller as C, Right as R, Scripts as S};
        let check = |caller: C, right: R, refused: bool, allowed: bool| {
            let got = (caller.may(right, S::Refused), caller.may(right, S::Allowed));
            assert_eq!(got, (refused, allowed), "{caller:?} {right:?}");
        };
        check(C::Person, R::Read, true, true);
        check(C::Person, R::Script, true, true);
        check(C::Person, R::Decide, true, true);
        check(C::Agent, R::Read, true, true);
        check(C::Agent, R::Script, false, false);
        check(C::Agent, R::Decide, false, false);
        check(C::Unknown, R::Read, true, true);
        check(C::Unknown, R::Script, true, true);
        check(C::Unknown, R::Decide, false, true);
    }

    proptest! {
        /// A process below an agent is never a person, whatever its other ancestors and its
        /// terminal.
        #[test]
        fn below_an_agent_nobody_is_a_person(
            before in prop::collection::vec((10u32..50, "[a-z]{1,6}"), 0..6),
            after in prop::collection::vec((50u32..90, "[a-z]{1,6}"), 0..6),
            leader in 0u32..90,
            at_terminal in any::<bool>(),
        ) {
            let mut above: Vec<(u32, &str)> = Vec::new();
            above.extend(before.iter().map(|(pid, name)| (*pid, name.as_str())));
            above.push((95, "claude"));
            above.extend(after.iter().map(|(pid, name)| (*pid, name.as_str())));
            let terminal = at_terminal.then_some("/dev/pts/1");
            let agents = Agents { programs: &["claude"], runs_session: &|_| false };
            prop_assert_eq!(who(&info(terminal, leader, &above, &[]), agents).caller, Caller::Agent);
        }
    }
}
