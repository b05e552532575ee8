//! What comes to the board, and what the board asks for.

use crossterm::event::{KeyEvent, MouseEvent};
use taffrail_api::{
    Activity, Allowed, ApprovalRow, EventLine, Explanation, Health, Receipt, SearchReply, Session,
    Stats, Summary,
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
    /// The daemon tells something.
    News(News),
    /// What was asked for came.
    Answer(Answer),
    /// A signal asks us to go.
    End,
}

/// What the daemon tells by itself.
#[derive(Debug)]
pub(crate) enum News {
    /// How all sessions of late stand.
    All(Vec<Session>),
    Status(Box<Session>),
    Event(Box<Event>),
    /// A request stands differently.
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
pub(crate) enum Errand {
    Quit,
    /// Gives the terminal to one of our own commands.
    Run {
        words: Vec<String>,
        then: Then,
    },
    /// Gives the terminal to the user's editor.
    Edit(String),
    /// Puts a text on the clipboard.
    Copy(String),
}

/// What follows when a command that had the terminal has ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The board comes back at once.
    Back,
    /// What it printed is read first.
    Read,
}

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Answer {
    Sessions(Vec<Session>),
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
    Failed { asked: Ask, why: String },
}
