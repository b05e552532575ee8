//! What comes to the board, and what the board asks for.

use crate::paint::theme::Background;
use crossterm::event::{KeyEvent, MouseEvent};
use taffrail_api::{
    Activity, AgentRow, Allowed, ApprovalRow, EventLine, Explanation, Health, HistoryProgress,
    HookRow, Receipt, ResumeReply, SearchReply, Session, Stats, Summary,
};
use taffrail_model::approval::ApprovalId;
use taffrail_model::findings::Finding;
use taffrail_model::{Event, SessionId};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Message {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize,
    /// The terminal says what is behind its text.
    Background(Background),
    /// The daemon sent something.
    News(News),
    /// What was asked for came.
    Answer(Answer),
    /// A signal asks us to go.
    End,
}

/// What the daemon sends by itself.
#[derive(Debug)]
pub(crate) enum News {
    /// All recent sessions, and how far the daemon is in reading history.
    All(Vec<Session>, Option<HistoryProgress>),
    /// How far it is now.
    Reading(HistoryProgress),
    Status(Box<Session>),
    Event(Box<Event>),
    /// A request changed.
    Approval,
    /// A finding came or is over.
    Finding,
    /// The daemon is gone; it is looked for again.
    Lost(String),
}

/// Something to be done where waiting does no harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    Sessions,
    /// One that is named somewhere and not known yet.
    Session(SessionId),
    Recent,
    Approvals,
    Decide {
        id: ApprovalId,
        decision: Allowed,
        reason: Option<String>,
    },
    Summary(SessionId),
    Explain(SessionId),
    /// The latest events of a session.
    Events {
        id: SessionId,
        limit: usize,
    },
    Search {
        query: String,
    },
    Findings,
    Health,
    Today,
    Feed,
    /// What the time of this many minutes went to.
    Activity(u32),
    /// Which agents are on this machine, and whether they call our hooks.
    Machine,
    /// Whether and how a session can be resumed.
    Resume(SessionId),
    /// A brief of a session.
    Handoff(SessionId),
    /// A prompt for a session.
    Send {
        id: SessionId,
        text: String,
    },
    /// How far a prompt has come.
    Receipt {
        id: SessionId,
        name: String,
    },
}

/// Something only the main thread can do, because it takes the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Quit,
    /// Gives the terminal to one of our own commands; the board comes back when that ends.
    Run(Vec<String>),
    /// Gives the terminal to the user's editor.
    Edit(String),
    /// Remembers that somebody was welcomed.
    Welcomed,
    /// Puts a text on the clipboard.
    Copy(String),
}

/// Whether the folder of a session is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    There,
    Gone,
}

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Answer {
    Sessions(Vec<Session>),
    Session(Box<Session>),
    Recent(Vec<Session>),
    Approvals(Vec<ApprovalRow>),
    Decided { decision: Allowed, row: Box<ApprovalRow> },
    Summary(SessionId, Box<Summary>),
    Explain(SessionId, Box<Explanation>),
    Events { id: SessionId, limit: usize, lines: Vec<EventLine> },
    Search { query: String, reply: SearchReply },
    Findings(Vec<Finding>),
    Health(Box<Health>),
    Today(Box<Stats>),
    Feed(Vec<Event>),
    Activity { span: u32, activity: Box<Activity> },
    Receipt { id: SessionId, receipt: Box<Receipt> },
    Resume { id: SessionId, plan: Box<ResumeReply>, folder: Folder },
    Handoff { id: SessionId, text: String },
    Machine { agents: Vec<AgentRow>, hooks: Vec<HookRow> },
    Failed { asked: Ask, why: String },
}
