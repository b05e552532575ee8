//! Every adapter: the agents of the kit, and here one folder for each agent that needs more than a
//! page, where its history lives and how a record becomes events.

mod callers;
pub mod maturity;

#[cfg(test)]
mod approval_tests;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod hook_tests;
#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod telemetry_tests;

pub use callers::{agent_marks, agent_programs, instruction_files};
pub use taffrail_agents::*;
pub use taffrail_kit::{
    Adapter, Advice, AdvisedSetting, Agent, Answer, ApprovalPlan, Descriptor, Destination, Dialog,
    Encoding, Evidence, Feed, Fields, FolderPlan, HomeRule, HookBan, HookBase, HookCall, HookEvent,
    HookFile, HookPlan, HookPlugin, HookTrust, HttpAddress, ImportedDocument, Importer, Kinds,
    LiveEntry, LivePlan, McpPlan, McpSyntax, OriginalOptions, Os, Outgoing, Place, PlacementError,
    PromptHistory, Reader, RecallMoment, RecallNeed, RecallPlan, Request, Retention, Screen,
    ScreenState, ServerMessage, ServerPlan, ServerRequest, ServerState, Shape, Source, SqlitePlan,
    StartPlan, StatusLinePlan, Syntax, Telemetry, TelemetryEntry, TelemetryPlan, TimeoutUnit,
    Traces, TransferPlan, Transport, Unattended, images, is_plain_path, prompt_history, records,
};

use std::sync::{LazyLock, OnceLock};

macro_rules! adapters {
    ($($name:ident),+ $(,)?) => { adapters! { @define ($) $($name),+ } };
    (@define ($dollar:tt) $($name:ident),+) => {
        $(pub mod $name;)+

        /// Each adapter of this crate with its folder below `crates`.
        const HERE: &[(&str, &dyn Adapter)] =
            &[$((concat!("adapters/src/", stringify!($name)), &$name::ADAPTER)),+];

        /// Calls a macro with the names of all adapters, so that a suite has one test for each.
        #[macro_export]
        macro_rules! for_each_adapter {
            ($dollar each:ident) => {
                $dollar each! { $($name),+ }
                $crate::for_each_agent!($dollar each);
            };
        }
    };
}

adapters! {
    claude_code, codex, gemini_cli, goose, portable_state, remote, claude_cowork, openclaude, traex
}

/// Every adapter: those of this crate, then the agents of the kit in the order they were added.
#[must_use]
pub fn all() -> &'static [&'static dyn Adapter] {
    static ALL: LazyLock<Vec<&'static dyn Adapter>> =
        LazyLock::new(|| HERE.iter().chain(taffrail_agents::AGENTS).map(|it| it.1).collect());
    &ALL
}

/// The adapters of agents: programs whose history is discovered on disk.
pub fn agents() -> impl Iterator<Item = &'static dyn Adapter> {
    owners().filter(|adapter| adapter.importer().is_none())
}

/// The agents that the user described in files. They are set once, when the program starts.
static OWN: OnceLock<Vec<&'static dyn Adapter>> = OnceLock::new();

/// Adds the agents that the user described in files; later calls change nothing.
pub fn add_own(agents: Vec<&'static dyn Adapter>) {
    OWN.get_or_init(|| agents);
}

/// The agents that the user described in files.
pub fn own() -> impl Iterator<Item = &'static dyn Adapter> {
    OWN.get().into_iter().flatten().copied()
}

/// The adapters that own sessions: all but the remote ones.
pub fn owners() -> impl Iterator<Item = &'static dyn Adapter> {
    all().iter().copied().filter(|adapter| !adapter.is_remote()).chain(own())
}

/// The adapters that read sessions of other devices.
pub fn remotes() -> impl Iterator<Item = &'static dyn Adapter> {
    all().iter().copied().filter(|adapter| adapter.is_remote())
}

/// The adapter with this id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn Adapter> {
    built_in(id).or_else(|| own().find(|adapter| adapter.descriptor().id == id))
}

/// The built-in adapter with this id.
fn built_in(id: &str) -> Option<&'static dyn Adapter> {
    all().iter().copied().find(|adapter| adapter.descriptor().id == id)
}

/// The folder below `crates` of the adapter with this id: its code and its fixtures.
#[must_use]
pub fn folder_of(id: &str) -> Option<&'static str> {
    let mut all = HERE.iter().chain(taffrail_agents::AGENTS);
    all.find(|(_, adapter)| adapter.descriptor().id == id).map(|(folder, _)| *folder)
}

/// Reads an adapter from the text of its file. It lives as long as the program.
///
/// # Errors
/// Everything that is wrong with it, for people.
pub fn own_agent(text: &str) -> Result<&'static Agent, Vec<String>> {
    taffrail_kit::own_agent(text, |id| built_in(id).is_some())
}

/// The journal's entry for a telemetry event; `None` if no adapter keeps it.
#[must_use]
pub fn telemetry_entry(sent: &Telemetry) -> Option<TelemetryEntry> {
    let plans = all().iter().filter_map(|it| Some((it.descriptor().id, it.telemetry_plan()?)));
    taffrail_kit::telemetry::entry(plans, sent)
}
