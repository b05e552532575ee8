//! Everything the board knows. It changes in `update` only, and is drawn by functions that cannot
//! change it.

use super::feed::Feed;
use super::filter::Filter;
use super::fleet::Fleet;
use super::input::Input;
use super::keys::{Action, Place};
use super::marks::{Many, Undo};
use super::message::{Ask, Errand};
use super::pace::Pace;
use super::reading::Reading;
use super::search::Search;
use super::sending::Sent;
use super::theme::Theme;
use super::timeline::Times;
use std::collections::{BTreeSet, HashMap, HashSet};
use taffrail_api::{ApprovalRow, Explanation, Health, Session};
use taffrail_model::approval::{ApprovalId, State as Standing};
use taffrail_model::findings::Finding;
use taffrail_model::{Event, SessionId, Timestamp};

/// A request is answered only after it stood on the screen for so long: nobody reads faster.
const READABLE_MS: i64 = 350;
/// A request blinks for so long.
const FRESH_MS: i64 = 5_000;
/// What was done is told for so long.
pub(crate) const NOTE_MS: i64 = 8_000;
/// The most lines of the log of commands.
const LOG: usize = 500;

/// How we stand with the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    Waiting,
    Up,
    Lost(String),
}

/// What lies over the screen and takes the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Over {
    #[default]
    Nothing,
    Help {
        from: usize,
    },
    Palette {
        input: Input,
        at: usize,
    },
    /// A refusal is about to go out; it may have a reason.
    Deny {
        request: ApprovalId,
        input: Input,
    },
    /// What is asked for looks risky; it is asked for once more.
    Risky {
        request: ApprovalId,
    },
    /// The board is being narrowed; it was narrowed to something else before.
    Filter {
        input: Input,
        before: Input,
    },
    /// What the marked sessions ask for is about to be answered.
    Many(Many),
    /// A prompt is being written.
    Send {
        to: SessionId,
        input: Input,
    },
}

/// A place that was left, and where one stood in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) place: Place,
    pub(crate) list_at: usize,
    pub(crate) from: usize,
}

/// How a request came to be the one that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// Somebody went to it.
    ByHand,
    /// The one before it is gone.
    ByItself,
}

/// Something that was said to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) at: Timestamp,
    pub(crate) is_bad: bool,
}

/// What is known of the chosen session beside its row.
#[derive(Debug, Default)]
pub(crate) struct Details {
    pub(crate) of: Option<SessionId>,
    pub(crate) explanation: Option<Explanation>,
    pub(crate) events: Vec<Event>,
    /// How many answers are still to come.
    pub(crate) awaited: usize,
    pub(crate) stale: bool,
    pub(crate) asked_at: Option<Timestamp>,
}

/// Everything.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) now: Timestamp,
    pub(crate) size: (u16, u16),
    pub(crate) theme: Theme,
    /// The user's home, which is shown as `~`.
    pub(crate) home: String,
    pub(crate) link: Link,
    pub(crate) fleet: Fleet,
    pub(crate) filter: Input,
    pub(crate) chosen: Option<SessionId>,
    /// The person has chosen; until then the first row is.
    pub(crate) moved: bool,
    pub(crate) approvals: Vec<ApprovalRow>,
    /// When each request was first seen here.
    pub(crate) seen: HashMap<ApprovalId, Timestamp>,
    pub(crate) approval_at: usize,
    /// The request that keys would answer, and when it came to be that by itself.
    pub(crate) meant: Option<(ApprovalId, Option<Timestamp>)>,
    pub(crate) marked: BTreeSet<SessionId>,
    /// What can be undone, the latest last.
    pub(crate) undo: Vec<Undo>,
    pub(crate) place: Place,
    pub(crate) back: Vec<Left>,
    pub(crate) over: Over,
    pub(crate) note: Option<Note>,
    pub(crate) log: Vec<String>,
    /// How far a plain list is scrolled.
    pub(crate) from: usize,
    pub(crate) details: Details,
    pub(crate) search: Search,
    pub(crate) reading: Reading,
    pub(crate) feed: Feed,
    pub(crate) findings: Vec<Finding>,
    pub(crate) list_at: usize,
    pub(crate) health: Option<Box<Health>>,
    pub(crate) pace: Pace,
    pub(crate) times: Times,
    pub(crate) sent: Sent,
    /// What is under way, and what is to be asked again when it came.
    pub(crate) under_way: Vec<Ask>,
    pub(crate) again: Vec<Ask>,
    pub(crate) unsummed: HashSet<SessionId>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) errands: Vec<Errand>,
}

impl State {
    pub(crate) fn new(now: Timestamp, theme: Theme, home: String) -> Self {
        Self {
            now,
            size: (80, 24),
            theme,
            home,
            link: Link::Waiting,
            fleet: Fleet::default(),
            filter: Input::default(),
            chosen: None,
            moved: false,
            approvals: Vec::new(),
            seen: HashMap::new(),
            approval_at: 0,
            meant: None,
            marked: BTreeSet::new(),
            undo: Vec::new(),
            place: Place::Board,
            back: Vec::new(),
            over: Over::Nothing,
            note: None,
            log: Vec::new(),
            from: 0,
            details: Details::default(),
            search: Search::default(),
            reading: Reading::default(),
            feed: Feed::default(),
            findings: Vec::new(),
            list_at: 0,
            health: None,
            pace: Pace::default(),
            times: Times::default(),
            sent: Sent::default(),
            under_way: Vec::new(),
            again: Vec::new(),
            unsummed: HashSet::new(),
            asks: Vec::new(),
            errands: Vec::new(),
        }
    }

    /// Asks for something, once at a time.
    pub(crate) fn ask(&mut self, ask: Ask) {
        if !self.under_way.contains(&ask) {
            self.under_way.push(ask.clone());
            self.asks.push(ask);
        } else if !self.again.contains(&ask) {
            self.again.push(ask);
        }
    }

    /// Something that was asked for came, or never will.
    pub(crate) fn came(&mut self, ask: &Ask) {
        self.under_way.retain(|it| it != ask);
        if self.again.contains(ask) {
            self.again.retain(|it| it != ask);
            self.ask(ask.clone());
        }
    }

    /// The session that is meant by keys.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.target().and_then(|id| self.fleet.get(id))
    }

    /// Its id, in the place where we are.
    pub(crate) fn target(&self) -> Option<SessionId> {
        match self.place {
            Place::Transcript => self.reading.id,
            Place::Search => self.search.target(),
            Place::Approvals => self.approvals.get(self.approval_at).map(|it| it.session_id),
            Place::Feed => self.feed.at(self.list_at).map(|it| it.session_id),
            Place::Findings => self.findings.get(self.list_at).map(|it| it.session_id),
            Place::Timeline => super::timeline::lanes(self).get(self.list_at).map(|it| it.id),
            Place::Board | Place::Health | Place::Commands | Place::Explain => self.chosen,
        }
    }

    /// The request that is meant: the one on the screen.
    pub(crate) fn request(&self) -> Option<&ApprovalRow> {
        if self.place == Place::Approvals {
            return self.approvals.get(self.approval_at);
        }
        self.request_of(self.target()?)
    }

    /// What a session, or one of its sub-agents, asks for.
    pub(crate) fn request_of(&self, id: SessionId) -> Option<&ApprovalRow> {
        let of = |wanted: SessionId| {
            let mut all = self.approvals.iter().filter(move |it| it.session_id == wanted);
            all.find(|it| it.state == Standing::Pending)
                .or_else(|| self.approvals.iter().find(move |it| it.session_id == wanted))
        };
        of(id).or_else(|| self.fleet.workers(id).iter().find_map(|it| of(*it)))
    }

    /// Whether a request stood on the screen long enough to be read.
    pub(crate) fn is_readable(&self, id: &ApprovalId) -> bool {
        let came_up = self.meant.as_ref().filter(|it| it.0 == *id).and_then(|it| it.1);
        let ms = |at: Timestamp| self.now.as_millisecond() - at.as_millisecond();
        self.age_of(id) >= READABLE_MS && came_up.is_none_or(|at| ms(at) >= READABLE_MS)
    }

    /// Remembers which request keys would answer now.
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

    /// Says something at the bottom of the screen.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), at: self.now, is_bad: false });
    }

    /// The same for what went wrong.
    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), at: self.now, is_bad: true });
    }

    /// Writes the command down that does the same as an action.
    pub(crate) fn log(&mut self, action: Action) {
        let template = super::keys::binding(action).map_or("", |it| it.command);
        let id = self.target().map(|it| it.to_string()).unwrap_or_default();
        let short: String = id.chars().take(8).collect();
        let request = self.request().map(|it| it.id.to_string()).unwrap_or_default();
        let query = super::search::quoted(&self.search.input.text);
        let filled = template.replace("{id}", &short).replace("{approval}", &request);
        self.write_down(filled.replace("{query}", &query));
    }

    /// Writes a command down, but not twice in a row.
    pub(crate) fn write_down(&mut self, command: String) {
        if command.is_empty() || self.log.last() == Some(&command) {
            return;
        }
        self.log.push(command);
        let over = self.log.len().saturating_sub(LOG);
        self.log.drain(..over);
    }

    /// Goes to a place; `back` comes from it again.
    pub(crate) fn go(&mut self, place: Place) {
        if place != self.place {
            self.back.retain(|it| it.place != place);
            let (list_at, from) = (self.list_at, self.from);
            self.back.push(Left { place: self.place, list_at, from });
            self.place = place;
            (self.from, self.list_at) = (0, 0);
        }
    }

    /// What the board is narrowed to.
    pub(crate) fn narrowed(&self) -> Filter {
        Filter::read(&self.filter.text)
    }
}
