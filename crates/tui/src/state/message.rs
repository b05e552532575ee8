//! Messages to the board, and requests from it.

use crate::paint::theme::Background;
use crate::state::new::Go;
use crossterm::event::{KeyEvent, MouseEvent};
use taffrail_api::{
    Activity, AgentRow, Allowed, ApprovalRow, EventLine, Explanation, Health, HistoryProgress,
    HookRow, QuotaList, Receipt, ResumeReply, SearchReply, Session, Stats, Summary, Window,
};
use taffrail_model::approval::ApprovalId;
use taffrail_model::findings::Finding;
use taffrail_model::{Event, EventId, SessionId};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Message {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize,
    /// The terminal reported its background.
    Background(Background),
    /// The terminal offers the kitty keyboard protocol.
    Keyboard,
    /// The daemon sent something.
    News(News),
    /// The reply to a request arrived.
    Answer(Answer),
    /// A signal asks us to end.
    End,
}

/// What the daemon sends unasked.
#[derive(Debug)]
pub(crate) enum News {
    /// All recent sessions, and the daemon's progress in reading history.
    All(Vec<Session>, Option<HistoryProgress>),
    /// The current progress.
    Reading(HistoryProgress),
    Status(Box<Session>),
    Event(Box<Event>),
    /// A request changed.
    Approval,
    /// A finding appeared or was withdrawn.
    Finding,
    /// The connection to the daemon is lost; the board reconnects.
    Lost(String),
}

/// A request that may take time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    Sessions,
    /// A session that was named somewhere and is not known yet.
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
    /// The events around one of a session.
    Around {
        id: SessionId,
        event: EventId,
    },
    Findings,
    Health,
    Today,
    Quota,
    Feed,
    /// How sessions spent this many minutes.
    Activity(u32),
    /// Which agents are on this machine, and whether they call our hooks.
    Machine,
    /// Whether and how a session can be resumed.
    Resume(SessionId),
    /// A brief of a session.
    Handoff(SessionId),
    /// Our own command that starts an agent.
    New {
        words: Vec<String>,
        go: Go,
    },
    /// A prompt for a session.
    Send {
        id: SessionId,
        text: String,
    },
    /// The progress of a prompt.
    Receipt {
        id: SessionId,
        name: String,
    },
    /// An answer to its question, by number and text.
    Choose {
        id: SessionId,
        option: u8,
        text: String,
    },
    /// Its turn is interrupted.
    Interrupt(SessionId),
}

/// An effect that only the main thread can run, because it needs the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Quit,
    /// Gives the terminal to one of our own commands; the board returns when that ends.
    Run(Vec<String>),
    /// Gives the terminal to the user's editor.
    Edit(String),
    /// Records that the user was welcomed.
    Welcomed,
    /// Uses the kitty keyboard protocol.
    Keyboard,
    /// Puts a text on the clipboard.
    Copy(String),
}

/// Whether the folder of a session exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    There,
    Gone,
}

/// The reply to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    Sessions(Vec<Session>),
    Session(Box<Session>),
    Recent(Vec<Session>),
    Approvals(Vec<ApprovalRow>),
    Decided {
        decision: Allowed,
        row: Box<ApprovalRow>,
    },
    Summary(SessionId, Box<Summary>),
    Explain(SessionId, Box<Explanation>),
    Events {
        id: SessionId,
        limit: usize,
        lines: Vec<EventLine>,
    },
    Search {
        query: String,
        reply: SearchReply,
    },
    Around {
        id: SessionId,
        event: EventId,
        window: Box<Window>,
    },
    Findings(Vec<Finding>),
    Health(Box<Health>),
    Today(Box<Stats>),
    Quota(QuotaList),
    Feed(Vec<Event>),
    Activity {
        span: u32,
        activity: Box<Activity>,
    },
    Receipt {
        id: SessionId,
        receipt: Box<Receipt>,
    },
    /// A key was pressed in its pane, and its agent reacted.
    Pressed(Ask),
    Resume {
        id: SessionId,
        plan: Box<ResumeReply>,
        folder: Folder,
    },
    Handoff {
        id: SessionId,
        text: String,
    },
    New {
        words: Vec<String>,
        go: Go,
        said: Vec<String>,
    },
    Machine {
        agents: Vec<AgentRow>,
        hooks: Vec<HookRow>,
    },
    Failed {
        asked: Ask,
        why: String,
    },
}
