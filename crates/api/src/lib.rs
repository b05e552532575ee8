//! The contract between Taffrail and its clients.
//!
//! The JSON form of requests and replies. Every reply document carries `schema_version`; lines of a
//! stream do not.

mod activity;
mod approvals;
mod blame;
pub mod client;
mod control;
mod cost;
pub mod csv;
mod denials;
mod devices;
mod digest;
mod error;
mod feed;
mod findings;
mod handoff;
mod hooks;
mod listing;
mod live;
mod log;
mod parameters;
mod peers;
mod place;
mod prices;
mod push;
mod queue;
mod quota;
mod reply;
mod request;
mod retention;
mod rules;
pub mod schema;
mod search;
mod session_usage;
mod sharing;
mod stats;
mod status_file;
mod teleport;
mod terminal;
mod timeline;
mod trace;
mod usage;
mod web;
mod window;

pub use activity::{Activity, ActivityQuery, Lane, SpanRow};
pub use approvals::{
    Allowed, ApprovalReply, ApprovalRequestBody, ApprovalRow, Approvals, ApprovalsQuery,
    AttemptBody, AttemptRow, ControlProvenance, DecisionBody, DecisionRow, Decisions, LogCheck,
    PipeBody, PipeSettledBody, PipeSettler, ToolInput,
};
pub use blame::{
    BlameQuery, BlameReply, BlamedLine, CommitList, CommitNote, CommitRow, CommitShare,
    CommitsQuery, GitNoteRow, LineAuthor, NoteList, NoteSource, NotedBy, NotedLine,
};
pub use client::{Client, ClientError};
pub use control::{
    AnswerBody, NewTmuxSession, NewWorktree, OperationFailure, OperationRow, Operations, Recap,
    RecapTurn, ResumeBody, ResumeReply, ResumeState, StartBody, StartReply, StopBody, StopReply,
};
pub use cost::{
    BudgetList, BudgetRow, CostBySource, SessionCost, Spending, UsageBlock, UsageReport, UsageRow,
};
pub use denials::{DenialRow, Denials, DenialsQuery};
pub use devices::{DeviceList, DeviceRow, OwnDevice, TeamChange};
pub use digest::{Digest, DigestProject, DigestSession, DigestSums};
pub use error::{Envelope, ErrorBody, ErrorKind};
pub use feed::{FeedQuery, FeedReply};
pub use findings::{FindingChange, FindingList, FindingMessage, FindingsQuery, Quality};
pub use handoff::{
    Handoff, HandoffAgent, HandoffDecision, HandoffFailure, HandoffFile, HandoffResume,
    HandoffTurn, SessionDecisions,
};
pub use hooks::{HookBody, HookEdit, HookList, HookReport, HookRow, HookState, HookWord};
pub use listing::{
    Facet, Facets, FileChange, MarksBody, NoteRow, ProjectFile, ProjectFiles, ProjectFilesQuery,
    ProjectList, ProjectRow, ProjectsQuery, SessionMarks, SessionPage,
};
pub use live::{
    AdapterHealth, CapturePage, Done, EvidenceRow, Explanation, Health, HistoryProgress, LifeWord,
    Message, Messages, PlaceHealth, Role, StatusList, StreamBegin, StreamReply, Summary, WaitReply,
};
pub use log::LogLine;
pub use parameters::{
    ArchiveQuery, CaptureBody, EventsQuery, FileBody, ForgetBody, ListQuery, MeantQuery,
    MessagesQuery, NoBody, PeerQuery, PeerTimelineQuery, PruneBody, RepairBody, SchemaQuery,
    SearchQuery, StatsQuery, SummaryQuery, TimelineQuery, TranscriptQuery, UsageQuery, WaitQuery,
    YesBody,
};
pub use peers::{Peer, PeerList, PeerStatus, RepairReply};
pub use place::{DAEMON_FILE, DaemonPlace, DaemonStatus};
pub use prices::{ModelPrice, PriceImport, PriceTier};
pub use push::{PushBody, PushKey, PushKeys, PushList, PushRow};
pub use queue::{Endpoint, NotifyBody, Queue, Receipt, ReceiptProvenance, RemovedPrompts};
pub use quota::{Gauge, Quota, QuotaList, QuotaShare};
pub use reply::{AgentCheck, AgentRecorded, UnknownKind};
pub use reply::{
    AgentHome, AgentList, AgentRow, Check, CheckStatus, Doctor, EventLine, IndexReport, Removed,
    Session, SessionList,
};
pub use request::{EventsRequest, ListRequest};
pub use retention::{
    ArchiveCheck, ArchiveEntry, ArchiveReport, CaptureReport, CapturedSession, ForgetReport,
    ForgottenSession, PruneReport,
};
pub use rules::{
    RuleAdded, RuleAnswer, RuleBody, RuleChange, RuleList, RuleRow, RuleSuggestion,
    RuleSuggestions, RulesQuery,
};
pub use search::{SearchHit, SearchReply, SearchRequest};
pub use session_usage::{
    AnswerRow, CompactionRow, ContextPart, ContextUsage, CostShare, SessionUsage, TurnUsage,
};
pub use sharing::{ReceivedRow, ShareChange, ShareList, ShareReaders, ShareRow};
pub use stats::{KeyedTally, NothingTally, Outcomes, Stats, Tally};
pub use status_file::{LongestWait, STATUS_FILE, StatusFile};
pub use teleport::{
    BundleOrigin, GitComparison, HubBundle, ImportReport, ImportedFile, PackReport, PatchFile,
    PatchReport,
};
pub use terminal::{TerminalHit, TerminalReply, TerminalRun, TerminalSearch};
pub use timeline::{Timeline, TimelineHistory};
pub use trace::{ToolStats, Tools, ToolsQuery, Trace, TraceQuery, TraceSpan};
pub use usage::Usage;
pub use web::{WEB_PORT, WebBody, WebReply};
pub use window::{EventQuery, FindQuery, MatchRow, Matches, Window, WindowEvent, WindowQuery};

/// The version of every reply document.
pub const SCHEMA_VERSION: u32 = 1;
