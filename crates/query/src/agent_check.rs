//! Tries an agent that the user described in a file, without listing anything.

use std::collections::BTreeMap;
use std::path::Path;
use taffrail_adapters::own_agent;
use taffrail_api::{AgentCheck, SCHEMA_VERSION, UnknownKind};
use taffrail_capture::{Flow, Home, Reading, discover, plan, read};
use taffrail_model::Kind;
use taffrail_model::observed::Observed;

/// What the agent of a file reads below a home, and what it does not understand.
#[must_use]
pub fn check_agent(text: &str, home: &Path) -> AgentCheck {
    let mut out = AgentCheck { schema_version: SCHEMA_VERSION, ..AgentCheck::default() };
    let agent = match own_agent(text) {
        Ok(agent) => agent,
        Err(faults) => return AgentCheck { faults, ..out },
    };
    let root = match home.canonicalize() {
        Ok(root) => root,
        Err(error) => {
            out.faults.push(format!("{}: {error}", home.display()));
            return out;
        }
    };
    let mut unknown = BTreeMap::new();
    for job in plan(discover(&[Home { adapter: agent, root, journal: false }]), &[]).jobs {
        let mut take = |piece: Observed| {
            count(&mut out, &mut unknown, &piece);
            Flow::Continue
        };
        if let Err(error) = read(&job, Reading::default(), &mut take) {
            out.faults.push(error.to_string());
        }
    }
    out.unknown = unknown.into_iter().map(|(kind, count)| UnknownKind { kind, count }).collect();
    out
}

fn count(out: &mut AgentCheck, unknown: &mut BTreeMap<String, u64>, piece: &Observed) {
    let of = |kind: &Kind| piece.events.iter().filter(|it| it.kind == *kind).count() as u64;
    out.sessions += piece.sessions.len() as u64;
    out.prompts += of(&Kind::UserPrompt);
    out.tool_calls += of(&Kind::ToolCall);
    out.unknown_records += piece.outcome.unknown_records;
    for it in &piece.unknown {
        *unknown.entry(it.raw_type.clone()).or_default() += it.count;
    }
}
