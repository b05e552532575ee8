//! The contract between Taffrail and everything that looks at it.
//!
//! Requests and replies as they are written in JSON. Every reply document carries
//! `schema_version`; lines of a stream do not.

mod activity;
mod approvals;
mod ask;
pub mod client;
mod control;
mod devices;
mod error;
mod feed;
mod findings;
mod glance;
mod handoff;
mod hooks;
mod keep;
mod live;
mod peers;
mod place;
mod reply;
mod request;
mod rules;
pub mod schema;
mod search;
mod sending;
mod sharing;
mod stats;
mod teleport;
mod web;

pub use activity::{Activity, ActivityQuery, Lane, SpanRow};
pub use approvals::{
    Allowed, ApprovalRow, Approvals, ApprovalsQuery, DecisionBody, DecisionRow, Decisions,
    DeskBody, DeskReply,
};
pub use ask::{
    ArchiveQuery, CaptureBody, EventsQuery, FileBody, ForgetBody, ListQuery, MeantQuery,
    MessagesQuery, NoBody, PeerQuery, PruneBody, RepairBody, SchemaQuery, SearchQuery,
    SummaryQuery, TranscriptQuery, WaitQuery, YesBody,
};
pub use client::{Client, ClientError};
pub use control::{ResumeBody, ResumeReply, ResumeState};
pub use devices::{DeviceList, DeviceRow, OwnDevice, TeamChange};
pub use error::{Envelope, ErrorBody, ErrorKind};
pub use feed::{FeedQuery, FeedReply};
pub use findings::{FindingChange, FindingList, FindingMessage, FindingsQuery, Quality};
pub use glance::{GLANCE_FILE, Glance, GlanceFirst};
pub use handoff::{
    Handoff, HandoffDecision, HandoffFailure, HandoffFile, HandoffResume, HandoffTurn,
};
pub use hooks::{HookBody, HookEdit, HookList, HookReport, HookRow, HookState, HookWord};
pub use keep::{
    ArchiveCheck, ArchiveEntry, ArchiveReport, CaptureReport, CapturedSession, ForgetReport,
    ForgottenSession, PruneReport,
};
pub use live::{
    AdapterHealth, CapturePage, Done, EvidenceRow, Explanation, Health, LifeWord, Message,
    Messages, PlaceHealth, Role, StatusList, StreamBegin, StreamReply, Summary, Timeline,
    WaitReply,
};
pub use peers::{Peer, PeerList, PeerStatus, RepairReply};
pub use place::{DAEMON_FILE, DaemonPlace, DaemonStatus};
pub use reply::{
    AgentHome, AgentList, AgentRow, Check, CheckStatus, Doctor, EventLine, IndexReport, Removed,
    Session, SessionList, Usage,
};
pub use request::{EventsRequest, ListRequest};
pub use rules::{
    RuleAdded, RuleAnswer, RuleBody, RuleChange, RuleList, RuleRow, RuleSuggestion,
    RuleSuggestions, RulesQuery,
};
pub use search::{SearchHit, SearchReply, SearchRequest};
pub use sending::{Endpoint, NotifyBody, Queue, Receipt, ReceiptProvenance};
pub use sharing::{ReceivedRow, ShareChange, ShareList, ShareReaders, ShareRow};
pub use stats::{KeyedTally, Stats, Tally};
pub use teleport::{Arrival, ArrivedFile, ArrivedFrom, ArrivedGit, Packed, PackedPatch, Parcel};
pub use web::{WEB_PORT, WebBody, WebReply};

/// The version of every reply document.
pub const SCHEMA_VERSION: u32 = 1;
