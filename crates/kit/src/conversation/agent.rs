//! An agent as data.

use super::driver::Conversation;
use super::fields::Fields;
use super::pattern::{filled, matched, session_named, worker_named};
use super::speaker::Speaker;
use super::stateful::MakeDialect;
use crate::journal::{EntrySink, JournalReader};
use crate::no_journal::NoJournal;
use crate::{
    Adapter, ApprovalPlan, Descriptor, HookPlan, LimitsFile, McpPlan, Place, PromptHistory, Reader,
    RecallPlan, Screen, ScreenState, ServerPlan, Shape, Source, StartPlan, StatusLinePlan,
    TelemetryPlan, TransferPlan, records,
};
use serde_json::{Map, Value};
use taffrail_model::{AgentId, RuntimeIdentity, journal};

/// A coding agent: what it is, which stores it has, and what can be done with it.
pub struct Agent {
    /// The agent's plain facts.
    pub descriptor: &'static Descriptor,
    /// The kinds of files that hold history, the newest generation first.
    pub stores: &'static [Store],
    /// The fields of a record that its events cover; none means that no others are shown.
    pub known: &'static [&'static str],
    /// Reads the journal's entries of its hooks and registries.
    pub entries: Option<fn(&mut EntrySink<'_, '_>)>,
    /// The file in which it keeps every prompt.
    pub prompts: Option<&'static PromptHistory>,
    /// The file within which its session ids are unique.
    pub store: Option<&'static str>,
    /// How our hook is installed.
    pub hooks: Option<&'static HookPlan>,
    /// How our MCP server is registered.
    pub mcp: Option<&'static McpPlan>,
    /// When a hook may give it text unasked.
    pub recall: Option<&'static RecallPlan>,
    /// Whether a hook's payload is its own: other agents may run the hooks of its settings.
    pub own_payload: Option<fn(&str) -> bool>,
    /// How its requests are read and answered.
    pub approvals: Option<&'static ApprovalPlan>,
    /// Its own server.
    pub server: Option<&'static ServerPlan>,
    /// How it starts on a session or a brief.
    pub start: Option<&'static StartPlan>,
    /// How a session moves to another machine.
    pub transfer: Option<&'static TransferPlan>,
    /// How payloads for its status line are recognised.
    pub status_line: Option<&'static StatusLinePlan>,
    /// The file in which it keeps the limits of its account.
    pub limits_file: Option<&'static LimitsFile>,
    /// The cost that it reports for a session includes its sub-agents.
    pub bills_workers: bool,
    /// Which of its telemetry the journal keeps.
    pub telemetry: Option<&'static TelemetryPlan>,
    /// The state that its screen shows.
    pub screen: Option<fn(&Screen<'_>) -> ScreenState>,
    /// The key that interrupts a turn, as tmux names it.
    pub interrupt: Option<&'static str>,
}

/// One kind of file that holds history.
pub struct Store {
    /// The pattern of its path below the home. `{session}` is the session's id, `{parent}` that of the
    /// session it is a sub-agent of; `{agent}` names a sub-agent within its parent, and `{worker}` one whose
    /// scope is its parent.
    pub path: &'static str,
    /// The source's name after the scheme, by the names of the pattern; empty if it is the path.
    pub locator: &'static str,
    /// Where its session ids are unique.
    pub ids: Ids,
    /// When the session that its path names exists.
    pub begins: Begins,
    /// The shape.
    pub shape: Shape,
    /// How a record is read.
    pub reads: Reads,
    /// In a document, the pointer to the list of its items; empty if the document is the list.
    pub items: &'static str,
    /// Reads the rest of a document, before its items.
    pub head: Option<fn(&Value, &mut Speaker<'_, '_>)>,
    /// In lines, the pointer to the time that tells equal lines apart.
    pub time: Option<&'static str>,
    /// Small files that the reader needs, by the names of the pattern.
    pub beside: &'static [&'static str],
    /// Of two sources that disagree about one event, the one with the higher rank wins.
    pub rank: u8,
}

/// Where the session ids of a store are unique.
#[derive(Clone, Copy)]
pub enum Ids {
    /// In the scope of the source.
    InScope,
    /// Everywhere, whatever the scope of the source.
    Everywhere,
    /// Everywhere, and the path only guesses the id: a record may name another.
    Guessed,
}

/// When the session that a path names exists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// With its file.
    WithFile,
    /// With the first record that is its own: its file may hold nothing but remarks about others.
    WithRecord,
}

/// How a record is read.
#[derive(Clone, Copy)]
pub enum Reads {
    /// By data.
    Fields(&'static Fields),
    /// By a function, for each line, row or item.
    Items(Dialect),
    /// By a function that parses each line or document itself, for long histories.
    Bytes(BytesDialect),
    /// The same, by a dialect that remembers more than the conversation does.
    Stateful(MakeDialect),
    /// By a function, for a whole file that is not JSON.
    Text(TextDialect),
}

/// Reads one record.
type Dialect = fn(&Value, &mut Speaker<'_, '_>);
/// Parses and reads one record; `None`, before it says anything, if the record cannot be parsed.
pub(super) type BytesDialect = fn(&[u8], &mut Speaker<'_, '_>) -> Option<()>;
/// Reads a whole text.
type TextDialect = fn(&str, &mut Speaker<'_, '_>);

impl Store {
    /// Lines of JSON, to start from.
    pub const fn lines(path: &'static str, dialect: Dialect) -> Self {
        Self::of(path, Shape::Lines(crate::Encoding::Plain), Reads::Items(dialect))
    }

    /// A document with a list of items, to start from.
    pub const fn document(path: &'static str, items: &'static str, dialect: Dialect) -> Self {
        Self { items, ..Self::of(path, Shape::Document, Reads::Items(dialect)) }
    }

    /// A store with nothing beside it, to start from.
    pub const fn of(path: &'static str, shape: Shape, reads: Reads) -> Self {
        Self {
            path,
            locator: "",
            ids: Ids::InScope,
            begins: Begins::WithFile,
            shape,
            reads,
            items: "",
            head: None,
            time: None,
            beside: &[],
            rank: 0,
        }
    }
}

impl Agent {
    /// An agent that is only read, to start from.
    pub const fn new(descriptor: &'static Descriptor, stores: &'static [Store]) -> Self {
        Self {
            descriptor,
            stores,
            known: &[],
            entries: None,
            prompts: None,
            store: None,
            hooks: None,
            mcp: None,
            recall: None,
            own_payload: None,
            approvals: None,
            server: None,
            start: None,
            transfer: None,
            status_line: None,
            limits_file: None,
            bills_workers: false,
            telemetry: None,
            screen: None,
            interrupt: None,
        }
    }

    fn store_at(&self, path: &str) -> Option<&'static Store> {
        self.stores.iter().find(|it| matched(it.path, path).is_some())
    }

    fn identity(&self, scope: &str, id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(AgentId::new(self.descriptor.id), scope, id)
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Agent({})", self.descriptor.id)
    }
}

impl Adapter for Agent {
    fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    fn place(&self, path: &str) -> Option<Place> {
        let mut stores = self.stores.iter();
        let (store, names) = stores.find_map(|it| Some((it, matched(it.path, path)?)))?;
        let find = |name: &str| names.iter().find(|(it, _)| *it == name).map(|(_, id)| *id);
        let is_worker = find("parent").or(find("worker")).is_some();
        let worker = worker_named(find).map(|(parent, id)| self.identity(parent, id));
        let session = || session_named(|name| find(name).map(str::to_owned));
        let named = worker.or_else(|| session().map(|id| self.identity("", &id)));
        // Ids that are unique in one store only have no meaning without it.
        let named = named.filter(|_| !self.descriptor.scoped_ids);
        let locator = match store.locator {
            "" => path.to_owned(),
            pattern => filled(pattern, &names),
        };
        Some(Place {
            shape: store.shape,
            locator: [self.descriptor.scheme, ":", &locator].concat(),
            session: named,
            is_worker,
            rank: store.rank,
            beside: store.beside.iter().map(|it| filled(it, &names)).collect(),
        })
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        match self.store_at(source.path).or(self.stores.first()) {
            Some(store) => Box::new(Conversation::new((self.descriptor.id, store), source, saved)),
            None => Box::new(NoJournal),
        }
    }

    fn journal(&self) -> Box<dyn Reader> {
        match self.entries {
            Some(entries) => Box::new(JournalReader::new(self.descriptor, entries)),
            None => Box::new(JournalReader::new(self.descriptor, |_| {})),
        }
    }

    fn prompt_history(&self) -> Option<&'static PromptHistory> {
        self.prompts
    }

    fn store(&self) -> Option<&'static str> {
        self.store
    }

    fn hook_plan(&self) -> Option<&'static HookPlan> {
        self.hooks
    }

    fn mcp_plan(&self) -> Option<&'static McpPlan> {
        self.mcp
    }

    fn recall_plan(&self) -> Option<&'static RecallPlan> {
        self.recall
    }

    fn is_own_payload(&self, payload: &str) -> bool {
        self.own_payload.is_none_or(|is_own| is_own(payload))
    }

    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        self.approvals
    }

    fn server_plan(&self) -> Option<&'static ServerPlan> {
        self.server
    }

    fn start_plan(&self) -> Option<&'static StartPlan> {
        self.start
    }

    fn transfer_plan(&self) -> Option<&'static TransferPlan> {
        self.transfer
    }

    fn status_line(&self) -> Option<&'static StatusLinePlan> {
        self.status_line
    }

    fn limits_file(&self) -> Option<&'static LimitsFile> {
        self.limits_file
    }

    fn bills_workers(&self) -> bool {
        self.bills_workers
    }

    fn telemetry_plan(&self) -> Option<&'static TelemetryPlan> {
        self.telemetry
    }

    fn read_screen(&self, screen: &Screen<'_>) -> ScreenState {
        self.screen.map_or(ScreenState::Unknown, |read| read(screen))
    }

    fn interrupt_key(&self) -> Option<&'static str> {
        self.interrupt
    }

    fn extra(&self, record: &[u8]) -> Map<String, Value> {
        if self.known.is_empty() {
            return Map::new();
        }
        records::extra_fields(record, &[self.known, journal::FIELDS].concat())
    }
}
