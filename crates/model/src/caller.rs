//! Who is calling, by what the kernel says of a process and never by what the process says of itself.
//!
//! An agent runs commands as its user, so a user id tells nothing. What tells something is the process
//! above the caller, and whether a terminal controls it.

use crate::process::{Ancestor, Process};
use serde::{Deserialize, Serialize};

/// Who is calling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// Somebody at a terminal, in a browser that was let in, or on a paired device.
    Person,
    /// A process of an agent, or one that an agent started.
    Agent,
    /// A script, or anything else without a terminal.
    Unknown,
}

impl Caller {
    /// As it is written everywhere.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a caller may do something of this kind.
    #[must_use]
    pub const fn may(self, right: Right, scripts: Scripts) -> bool {
        match (self, right) {
            (_, Right::Read) | (Self::Person, _) | (Self::Unknown, Right::Script) => true,
            (Self::Unknown, Right::Decide) => matches!(scripts, Scripts::Allowed),
            (Self::Agent, Right::Script | Right::Decide) => false,
        }
    }
}

/// What something needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// It changes nothing that counts: everybody may.
    Read,
    /// What a script of the user's plainly needs: send, queue, stop the daemon.
    Script,
    /// It decides, or changes who may decide.
    Decide,
}

/// Whether the user lets scripts decide, by `control.scripts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Once, at a terminal, the user said so.
    Allowed,
    /// Only a person decides.
    Refused,
}

/// What the kernel says of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// The process.
    pub process: Process,
    /// The name of its program.
    pub program: String,
    /// The terminal that controls it.
    pub terminal: Option<String>,
    /// The process that leads its session of processes, which the terminal belongs to.
    pub leader: u32,
    /// The processes above it, the nearest first.
    pub above: Vec<Ancestor>,
    /// Variables in its environment that agents set for what they start.
    pub marks: Vec<String>,
}

/// How agents are known.
#[derive(Clone, Copy)]
pub struct Agents<'a> {
    /// Names of their programs.
    pub programs: &'a [&'a str],
    /// A process that runs a session.
    pub runs_session: &'a dyn Fn(Process) -> bool,
}

impl std::fmt::Debug for Agents<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agents").field("programs", &self.programs).finish_non_exhaustive()
    }
}

/// A caller, as it is written into the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// Who is calling.
    pub caller: Caller,
    /// The process; none for a browser or another device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The program of the agent, or else of the process itself.
    pub program: String,
    /// The terminal that controls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// The programs above it with their processes, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// Why it is taken for that, in a few words.
    pub because: String,
}

impl Who {
    /// Somebody who came in another way than by a process of this machine.
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

    /// A process that is gone, or that cannot be looked at.
    #[must_use]
    pub fn unseen() -> Self {
        Self::elsewhere(Caller::Unknown, "", "its process cannot be looked at")
    }
}

/// The process that makes a caller an agent: itself or the nearest one above.
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

/// Says who a process is. An agent above it decides; a mark of an agent at a terminal is a contradiction,
/// and what contradicts itself is not a person.
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

/// A terminal controls it, and who was started there is still above it: a process that was left behind
/// keeps the terminal it was started at, and nobody sits there for it.
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
        // Left behind by who sat at that terminal.
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
        /// Whatever else is above it, at a terminal or not: below an agent nobody is a person.
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
