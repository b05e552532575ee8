//! What adapters are made of: the traits, the descriptor, and the kit in which an ordinary agent is a
//! page of data.
//!
//! An adapter is data and pure functions. It declares the shape of its sources; `capture` owns the
//! readers for the shapes and hands over one record at a time. A reader may keep memory (the open
//! turn, calls without a result) and must be able to serialize it, because each checkpoint saves it.

pub mod agent_server;
pub mod approvals;
mod conversation;
mod descriptor;
pub mod gist;
pub mod hook_carried;
pub mod hook_payload;
mod hook_plan;
pub mod images;
pub mod journal;
pub mod lenient;
mod limits_file;
mod mcp_plan;
pub mod no_journal;
pub mod prompt_history;
mod recall_plan;
pub mod records;
pub mod screen;
mod start_plan;
mod status_line;
pub mod surrogates;
pub mod telemetry;
pub mod tool_input;
pub mod transfer;

pub use agent_server::{
    Feed, HttpAddress, Outgoing, ServerMessage, ServerPlan, ServerRequest, ServerState, Transport,
};
pub use approvals::{Answer, ApprovalPlan, Dialog, Request, Unattended};
pub use conversation::{
    Agent, Begins, Fields, Ids, Kinds, Outcome, Reads, SideRecord, Speaker, StatefulDialect, Store,
    ToolUse, TurnEdge, json, own_agent,
};
pub use descriptor::{
    Advice, AdvisedSetting, Descriptor, Encoding, Evidence, FolderPlan, HomeRule, ImportedDocument,
    Importer, LiveEntry, LivePlan, Os, Place, Retention, Shape, Source, SqlitePlan, Traces,
};
pub use hook_plan::{
    HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, HookTrust, Syntax,
    TimeoutUnit,
};
pub use limits_file::LimitsFile;
pub use mcp_plan::{McpPlan, McpSyntax};
pub use prompt_history::{HistoryLine, HistoryPrompt, PromptHistory};
pub use recall_plan::{RecallMoment, RecallNeed, RecallPlan};
pub use screen::{Screen, ScreenState};
pub use start_plan::{OriginalOptions, StartPlan};
pub use status_line::StatusLinePlan;
pub use telemetry::{Telemetry, TelemetryEntry, TelemetryPlan};
pub use transfer::{Destination, PlacementError, TransferPlan, is_plain_path};

use serde_json::{Map, Value};
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

    /// The file in which the agent keeps every prompt; `None` if it keeps none.
    fn prompt_history(&self) -> Option<&'static PromptHistory> {
        None
    }

    /// The file, below the home, within which the agent's session ids are unique; `None` if they are
    /// unique everywhere.
    fn store(&self) -> Option<&'static str> {
        None
    }

    /// How our hook is installed in the agent's settings; `None` if we have no hook for the agent.
    fn hook_plan(&self) -> Option<&'static HookPlan> {
        None
    }

    /// How our MCP server is registered with the agent; `None` if that is not known.
    fn mcp_plan(&self) -> Option<&'static McpPlan> {
        None
    }

    /// When a hook may give the agent text unasked; `None` if that is not known.
    fn recall_plan(&self) -> Option<&'static RecallPlan> {
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

    /// The key that interrupts a turn, as tmux names it; `None` if that is not known.
    fn interrupt_key(&self) -> Option<&'static str> {
        None
    }

    /// How payloads for the status line are recognised; `None` if the agent sends none.
    fn status_line(&self) -> Option<&'static StatusLinePlan> {
        None
    }

    /// Whether the cost that it reports for a session includes its sub-agents.
    fn bills_workers(&self) -> bool {
        false
    }

    /// The file in which the agent keeps the limits of its account; `None` if it keeps none.
    fn limits_file(&self) -> Option<&'static LimitsFile> {
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
