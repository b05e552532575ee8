//! The hooks of agents, as `taffrail hooks` lists them.

use crate::terminal::{line, pad};
use taffrail_api::{HookList, HookRow, HookState};

/// Each agent with the state of its hook, and what to know about it.
#[must_use]
pub fn hook_lines(list: &HookList) -> Vec<String> {
    let mut out = Vec::new();
    for row in &list.agents {
        let file = row.file.as_deref().map(line).unwrap_or_default();
        let text = format!("{} {} {file}", pad(&row.agent, 16), pad(state(row.state), 15));
        out.push(text.trim_end().to_owned());
        out.extend(remarks(row).into_iter().map(|it| format!("{} {}", pad("", 16), line(&it))));
    }
    out
}

fn state(state: HookState) -> &'static str {
    match state {
        HookState::Installed => "installed",
        HookState::Partly => "partly",
        HookState::OtherProgram => "another program",
        HookState::Absent => "not installed",
        HookState::Unknown => "unknown",
        HookState::NoHome => "not here",
        HookState::Unsupported => "no hooks",
    }
}

fn remarks(row: &HookRow) -> Vec<String> {
    let mut out = Vec::new();
    match row.state {
        HookState::OtherProgram => {
            let other = row.program.as_deref().unwrap_or_default();
            out.push(format!("it calls {other}; `taffrail hooks install` changes that"));
        }
        HookState::Partly if row.missing.is_empty() => {
            out.push("not as this version asks; `taffrail hooks install` changes that".to_owned());
        }
        HookState::Partly => out.push(format!("missing: {}", row.missing.join(", "))),
        HookState::Installed
        | HookState::Absent
        | HookState::Unknown
        | HookState::NoHome
        | HookState::Unsupported => {}
    }
    let is_silent = row.state == HookState::Absent;
    out.extend(row.notes.iter().filter(|_| !is_silent).cloned());
    out
}
