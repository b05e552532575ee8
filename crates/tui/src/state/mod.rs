//! Everything the board knows. Only `update` changes it, and functions that cannot change it draw
//! it.

pub(crate) mod elsewhere;
pub(crate) mod feed;
pub(crate) mod filter;
pub(crate) mod host;
pub(crate) mod input;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod marks;
pub(crate) mod message;
pub(crate) mod new;
pub(crate) mod outbox;
pub(crate) mod pace;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod timeline;
pub(crate) mod transcript_view;
pub(crate) mod welcome;

use crate::paint::theme::Theme;
use crate::state::feed::Feed;
use crate::state::filter::Filter;
use crate::state::host::Host;
use crate::state::input::Input;
use crate::state::keys::{Action, Screen};
use crate::state::limits::Limits;
use crate::state::marks::{Many, Undo};
use crate::state::message::{Ask, Effect};
use crate::state::new::NewAgent;
use crate::state::outbox::Outbox;
use crate::state::pace::Pace;
use crate::state::search::Search;
use crate::state::sessions::Sessions;
use crate::state::timeline::Times;
use crate::state::transcript_view::TranscriptView;
use crate::state::welcome::Welcome;
use jiff::tz::TimeZone;
use std::collections::{BTreeSet, HashMap, HashSet};
use taffrail_api::{ApprovalRow, Explanation, Health, HistoryProgress, Session};
use taffrail_model::approval::{ApprovalId, State as ApprovalState};
use taffrail_model::findings::Finding;
use taffrail_model::{Event, SessionId, Timestamp};

/// The shortest time a request is on the screen before it can be answered, because nobody reads
/// faster.
const READABLE_MS: i64 = 350;
/// How long a new request blinks.
const FRESH_MS: i64 = 5_000;
/// How long a note is shown.
pub(crate) const NOTE_MS: i64 = 8_000;
/// The most lines in the log of commands.
const LOG: usize = 500;

/// The connection to the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    Waiting,
    Up,
    Lost(String),
}

/// What is drawn over the screen and takes the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Overlay {
    #[default]
    Nothing,
    Help {
        from: usize,
    },
    /// A text to be read.
    Text {
        title: String,
        lines: Vec<String>,
        from: usize,
    },
    Palette {
        input: Input,
        at: usize,
    },
    /// A refusal before it goes out; it may have a reason.
    Deny {
        request: ApprovalId,
        input: Input,
    },
    /// A risky request, which needs a second confirmation.
    Risky {
        request: ApprovalId,
    },
    /// The filter is being typed; the previous one is kept for undo.
    Filter {
        input: Input,
        before: Input,
    },
    /// The answer to the requests of the marked sessions, before it goes out.
    Many(Many),
    /// An agent is about to be started.
    New(NewAgent),
    /// A prompt is being written.
    Send {
        to: SessionId,
        input: Input,
    },
    /// An answer to its question is being chosen.
    Choose(Choice),
}

/// A question as the user sees it: no other one is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) to: SessionId,
    pub(crate) question: String,
    pub(crate) options: Vec<String>,
}

/// A screen to go back to, and the user's position on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) screen: Screen,
    pub(crate) list_at: usize,
    pub(crate) from: usize,
}

/// How a request became the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// The user went to it.
    ByHand,
    /// The previous target is gone.
    ByItself,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) at: Timestamp,
    pub(crate) is_bad: bool,
}

/// What is known about the chosen session besides its row.
#[derive(Debug, Default)]
pub(crate) struct Details {
    pub(crate) of: Option<SessionId>,
    pub(crate) explanation: Option<Explanation>,
    pub(crate) events: Vec<Event>,
    /// How many replies are still outstanding.
    pub(crate) awaited: usize,
    pub(crate) stale: bool,
    pub(crate) asked_at: Option<Timestamp>,
}

/// The whole state of the board.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) now: Timestamp,
    /// The user's time zone.
    pub(crate) zone: TimeZone,
    pub(crate) size: (u16, u16),
    pub(crate) theme: Theme,
    /// The user's home, which is shown as `~`.
    pub(crate) home: String,
    /// The host whose sessions these are, if it is not this machine.
    pub(crate) host: Option<Host>,
    pub(crate) link: Link,
    /// The daemon's progress in reading history; `None` once it is read.
    pub(crate) reads: Option<HistoryProgress>,
    pub(crate) sessions: Sessions,
    pub(crate) filter: Input,
    pub(crate) chosen: Option<SessionId>,
    /// The user has chosen a row; until then the first row is chosen.
    pub(crate) moved: bool,
    pub(crate) approvals: Vec<ApprovalRow>,
    /// When each request was first seen here.
    pub(crate) seen: HashMap<ApprovalId, Timestamp>,
    pub(crate) approval_at: usize,
    /// The request that keys would answer, and when it became the target without the user.
    pub(crate) meant: Option<(ApprovalId, Option<Timestamp>)>,
    /// The requests that the last frame showed in full: no other is ever answered.
    pub(crate) on_screen: Vec<ApprovalId>,
    pub(crate) marked: BTreeSet<SessionId>,
    /// The steps that can be undone, latest last.
    pub(crate) undo: Vec<Undo>,
    pub(crate) screen: Screen,
    pub(crate) back: Vec<Visit>,
    pub(crate) overlay: Overlay,
    pub(crate) note: Option<Note>,
    pub(crate) log: Vec<String>,
    /// How far a plain list is scrolled.
    pub(crate) from: usize,
    pub(crate) details: Details,
    pub(crate) search: Search,
    pub(crate) transcript_view: TranscriptView,
    pub(crate) feed: Feed,
    pub(crate) findings: Vec<Finding>,
    pub(crate) list_at: usize,
    pub(crate) health: Option<Box<Health>>,
    pub(crate) pace: Pace,
    pub(crate) limits: Limits,
    pub(crate) times: Times,
    pub(crate) outbox: Outbox,
    /// The lines for a new user.
    pub(crate) welcome: Option<Welcome>,
    /// Requests that are outstanding, and those to repeat when they are answered.
    pub(crate) under_way: Vec<Ask>,
    pub(crate) again: Vec<Ask>,
    pub(crate) unsummed: HashSet<SessionId>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) effects: Vec<Effect>,
}

impl State {
    pub(crate) fn new(now: Timestamp, theme: Theme, home: String) -> Self {
        Self {
            now,
            zone: TimeZone::UTC,
            size: (80, 24),
            theme,
            home,
            host: None,
            link: Link::Waiting,
            reads: None,
            sessions: Sessions::default(),
            filter: Input::default(),
            chosen: None,
            moved: false,
            approvals: Vec::new(),
            seen: HashMap::new(),
            approval_at: 0,
            meant: None,
            on_screen: Vec::new(),
            marked: BTreeSet::new(),
            undo: Vec::new(),
            screen: Screen::Board,
            back: Vec::new(),
            overlay: Overlay::Nothing,
            note: None,
            log: Vec::new(),
            from: 0,
            details: Details::default(),
            search: Search::default(),
            transcript_view: TranscriptView::default(),
            feed: Feed::default(),
            findings: Vec::new(),
            list_at: 0,
            health: None,
            pace: Pace::default(),
            limits: Limits::default(),
            times: Times::default(),
            outbox: Outbox::default(),
            welcome: None,
            under_way: Vec::new(),
            again: Vec::new(),
            unsummed: HashSet::new(),
            asks: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// Sends a request, unless the same one is outstanding.
    pub(crate) fn ask(&mut self, ask: Ask) {
        if !self.under_way.contains(&ask) {
            if ask == Ask::Sessions {
                self.sessions.list_asked();
            }
            self.under_way.push(ask.clone());
            self.asks.push(ask);
        } else if !self.again.contains(&ask) {
            self.again.push(ask);
        }
    }

    /// Handles the reply to a request, or its failure.
    pub(crate) fn came(&mut self, ask: &Ask) {
        self.under_way.retain(|it| it != ask);
        if self.again.contains(ask) {
            self.again.retain(|it| it != ask);
            self.ask(ask.clone());
        }
    }

    /// The session keys act on.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.target().and_then(|id| self.sessions.get(id))
    }

    /// The id of the session that keys act on, on the current screen.
    pub(crate) fn target(&self) -> Option<SessionId> {
        match self.screen {
            Screen::Transcript => self.transcript_view.id,
            Screen::Search => self.search.target(),
            Screen::Approvals => self.approvals.get(self.approval_at).map(|it| it.session_id),
            Screen::Feed => self.feed.at(self.list_at).map(|it| it.session_id),
            Screen::Findings => self.findings.get(self.list_at).map(|it| it.session_id),
            Screen::Timeline => timeline::lanes(self).get(self.list_at).map(|it| it.id),
            Screen::Board | Screen::Health | Screen::Commands | Screen::Explain => self.chosen,
        }
    }

    /// The request that keys act on: the one on the screen.
    pub(crate) fn request(&self) -> Option<&ApprovalRow> {
        if self.screen == Screen::Approvals {
            return self.approvals.get(self.approval_at);
        }
        self.request_of(self.target()?)
    }

    /// The request of a session or one of its sub-agents.
    pub(crate) fn request_of(&self, id: SessionId) -> Option<&ApprovalRow> {
        let of = |wanted: SessionId| {
            let mut all = self.approvals.iter().filter(move |it| it.session_id == wanted);
            all.find(|it| it.state == ApprovalState::Pending)
                .or_else(|| self.approvals.iter().find(move |it| it.session_id == wanted))
        };
        of(id).or_else(|| self.sessions.sub_agents(id).iter().find_map(|it| of(*it)))
    }

    /// True if a request was on the screen long enough to be read.
    pub(crate) fn is_readable(&self, id: &ApprovalId) -> bool {
        let came_up = self.meant.as_ref().filter(|it| it.0 == *id).and_then(|it| it.1);
        let ms = |at: Timestamp| self.now.as_millisecond() - at.as_millisecond();
        self.age_of(id) >= READABLE_MS && came_up.is_none_or(|at| ms(at) >= READABLE_MS)
    }

    /// True if the last frame showed a request: a key refers to what the user sees.
    pub(crate) fn is_on_screen(&self, id: &ApprovalId) -> bool {
        self.on_screen.contains(id)
    }

    /// Records which request keys would answer now.
    pub(crate) fn mean(&mut self, how: Chosen) {
        let id = self.request().map(|it| it.id.clone());
        if self.meant.as_ref().map(|it| &it.0) != id.as_ref() {
            let at = (how == Chosen::ByItself).then_some(self.now);
            self.meant = id.map(|id| (id, at));
        }
    }

    /// Whether a request is new.
    pub(crate) fn is_fresh(&self, id: &ApprovalId) -> bool {
        self.age_of(id) < FRESH_MS
    }

    fn age_of(&self, id: &ApprovalId) -> i64 {
        let seen = self.seen.get(id);
        seen.map_or(0, |at| self.now.as_millisecond() - at.as_millisecond())
    }

    /// Shows a message in the footer.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), at: self.now, is_bad: false });
    }

    /// Shows an error in the footer.
    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), at: self.now, is_bad: true });
    }

    /// Logs the command that is equivalent to an action.
    pub(crate) fn log(&mut self, action: Action) {
        let template = keys::binding(action).map_or("", |it| it.command);
        let id = self.target().map(|it| it.to_string()).unwrap_or_default();
        let short: String = id.chars().take(8).collect();
        let request = self.request().map(|it| it.id.to_string()).unwrap_or_default();
        let query = crate::phrases::quoted(&self.search.input.text);
        let filled = template.replace("{id}", &short).replace("{approval}", &request);
        self.write_down(filled.replace("{query}", &query));
    }

    /// Logs a command, but not twice in a row.
    pub(crate) fn write_down(&mut self, command: String) {
        let command = match &self.host {
            Some(host) if !command.is_empty() => {
                format!("{} {}", host.by_hand, crate::phrases::quoted(&command))
            }
            _ => command,
        };
        if command.is_empty() || self.log.last() == Some(&command) {
            return;
        }
        self.log.push(command);
        let over = self.log.len().saturating_sub(LOG);
        self.log.drain(..over);
    }

    /// Goes to a screen; `back` returns from it.
    pub(crate) fn go(&mut self, screen: Screen) {
        if screen != self.screen {
            self.back.retain(|it| it.screen != screen);
            let (list_at, from) = (self.list_at, self.from);
            self.back.push(Visit { screen: self.screen, list_at, from });
            self.screen = screen;
            (self.from, self.list_at) = (0, 0);
        }
    }

    /// The current filter of the board.
    pub(crate) fn narrowed(&self) -> Filter {
        Filter::read(&self.filter.text)
    }
}
