//! One folder per coding agent: where its history lives, and how a record becomes events.
//!
//! An adapter is data and pure functions. It declares the shape of its sources; `capture` owns the
//! readers for the three shapes and hands over one record at a time. A reader may keep memory (the
//! open turn, calls without a result) and must be able to serialize it, because each checkpoint saves
//! it. Adding an agent touches one folder and one word in the list below.

mod agent_server;
mod approvals;
mod callers;
mod descriptor;
mod dialects;
mod gist;
mod hook_carried;
mod hook_payload;
mod journal;
pub mod kit;
mod lenient;
pub mod maturity;
mod no_journal;
pub mod records;
mod screen;
mod start_plan;
mod status_line;
mod surrogates;
mod telemetry;
mod tool_input;
mod transfer;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod hook_tests;

pub use agent_server::{ServerMessage, ServerPlan, ServerRequest, ServerState};
pub use approvals::{Answer, ApprovalPlan, Dialog, Request, Unattended};
pub use callers::{agent_marks, agent_programs, instruction_files};
pub use descriptor::{
    Advice, AdvisedSetting, Descriptor, Encoding, Evidence, FolderPlan, HomeRule, HookBan,
    HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, HookTrust, ImportedDocument,
    Importer, LiveEntry, LivePlan, Os, Place, Retention, Shape, Source, SqlitePlan, Syntax,
    TimeoutUnit, Traces,
};
pub use screen::{Screen, ScreenState};
pub use start_plan::{OriginalOptions, StartPlan};
pub use status_line::StatusLinePlan;
pub use telemetry::{Telemetry, TelemetryEntry, TelemetryPlan, telemetry_entry};
pub use transfer::{Destination, PlacementError, TransferPlan, is_plain_path};

use serde_json::{Map, Value};
use std::sync::OnceLock;
use taffrail_model::{Facts, Record, RuntimeIdentity, Sink};

/// One coding agent: its descriptor, its readers, and its plans.
pub trait Adapter: Sync {
    /// The agent's plain facts.
    fn descriptor(&self) -> &'static Descriptor;

    /// Classifies a file by its path below the agent's home, with `/` between the parts; `None` for
    /// a file that holds no history.
    fn place(&self, path: &str) -> Option<Place>;

    /// A reader of a source that starts from the memory an earlier reader saved. A memory that
    /// cannot be parsed counts as none.
    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader>;

    /// A reader of the journal's entries for this agent: from hooks, registries and probes. It keeps
    /// no memory between records.
    fn journal(&self) -> Box<dyn Reader>;

    /// The file, below the home, within which the agent's session ids are unique; `None` if they are
    /// unique everywhere.
    fn store(&self) -> Option<&'static str> {
        None
    }

    /// How our hook is installed in the agent's settings; `None` if we have no hook for the agent.
    fn hook_plan(&self) -> Option<&'static HookPlan> {
        None
    }

    /// Whether a hook's payload comes from this agent. Other agents also run the hooks of its
    /// settings; their payloads are ignored.
    fn is_own_payload(&self, _: &str) -> bool {
        true
    }

    /// How approval requests are read and answered; `None` if the agent offers no way.
    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        None
    }

    /// The agent's own server, which reports the status of its sessions; `None` if it has none.
    fn server_plan(&self) -> Option<&'static ServerPlan> {
        None
    }

    /// How the agent starts on a session or a brief; `None` if that is not known.
    fn start_plan(&self) -> Option<&'static StartPlan> {
        None
    }

    /// Whether a session can be resumed by its runtime id: every start plan resumes by id.
    fn resumes_by_id(&self) -> bool {
        self.start_plan().is_some()
    }

    /// How a session moves to another machine; `None` if its files cannot be placed where the agent
    /// resumes from.
    fn transfer_plan(&self) -> Option<&'static TransferPlan> {
        None
    }

    /// The state that the agent's screen shows; `Unknown` if we cannot read its screen.
    fn read_screen(&self, _: &Screen<'_>) -> ScreenState {
        ScreenState::Unknown
    }

    /// How payloads for the status line are recognised; `None` if the agent sends none.
    fn status_line(&self) -> Option<&'static StatusLinePlan> {
        None
    }

    /// Which of the agent's telemetry the journal keeps; `None` if it keeps none.
    fn telemetry_plan(&self) -> Option<&'static TelemetryPlan> {
        None
    }

    /// Turns a document that a person imports into a source; `None` for agents, whose history is
    /// discovered on disk.
    fn importer(&self) -> Option<Importer> {
        None
    }

    /// Whether the adapter reads sessions of other adapters' agents and has none of its own.
    fn is_remote(&self) -> bool {
        false
    }

    /// The small fields of a record that no event covers. They are shown with the record's events, so
    /// that new fields of an agent are not lost. Called only when an event is shown whole.
    fn extra(&self, record: &[u8]) -> Map<String, Value>;
}

/// Reads the records of one source in order.
///
/// The content of an event (kind, part, text, detail) depends on its record alone; memory only adds
/// links (turn, parent), numbers repeated lines, or suppresses a record that repeats another. So
/// reading a record alone gives back the text of every event it ever made.
pub trait Reader {
    /// Reads one record. A torn or unknown record is counted and makes no event; it is never an error.
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink);

    /// The facts so far about each session in the source.
    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)>;

    /// The reader's memory as text. Keep it small: every checkpoint writes it.
    fn save(&self) -> String;
}

macro_rules! adapters {
    ($($name:ident),+ $(,)?) => { adapters! { @define ($) $($name),+ } };
    (@define ($dollar:tt) $($name:ident),+) => {
        $(pub mod $name;)+

        /// Each adapter with the name of its folder below `src`, in the order they were added.
        const FOLDERS: &[(&str, &dyn Adapter)] = &[$((stringify!($name), &$name::ADAPTER)),+];

        /// Every adapter, in the order they were added.
        #[must_use]
        pub fn all() -> &'static [&'static dyn Adapter] {
            static ALL: &[&dyn Adapter] = &[$(&$name::ADAPTER),+];
            ALL
        }

        /// Calls a macro with the names of all adapters, so that a suite has one test for each.
        #[macro_export]
        macro_rules! for_each_adapter {
            ($dollar each:ident) => { $dollar each! { $($name),+ } };
        }
    };
}

adapters! {
    claude_code, codex, gemini_cli, goose, pi, portable_state, remote, copilot_cli, qwen_code,
    qoder, kimi_code, kimi_cli, factory_droid, gptme, iflow, codebuff, command_code, amazon_q,
    crush, cursor, cursor_cli, devin_cli, forge, hermes, kilo, mimo_code, opencode, warp, zed,
    claude_cowork, openclaude, traex, antigravity, letta_code, oh_my_pi, vscode_copilot_chat, junie,
    kiro_cli, kiro_ide, windsurf, amp, auggie, zencoder, poolside, mux, openclaw, posit_assistant,
    grok_build, cline, cline_extension, roo_code, zoo_code, kilo_legacy, ibm_bob, continue_dev,
    mistral_vibe, openhands, mini_swe_agent, aider, swe_agent
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

/// The folder below `src` of the adapter with this id: its code and its fixtures.
#[must_use]
pub fn folder_of(id: &str) -> Option<&'static str> {
    FOLDERS.iter().find(|(_, adapter)| adapter.descriptor().id == id).map(|(folder, _)| *folder)
}
