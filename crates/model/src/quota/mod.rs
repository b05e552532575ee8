//! Limits of an account, as agents report them on this machine: how much of a window is used.
//!
//! An observation is about the account. The session only says where it was seen.

mod burn;
mod forecast;
mod percent;
mod rhythm;

pub use burn::burnt;
pub use forecast::Runway;
pub use percent::Percent;

use crate::text::excerpt;
use crate::{AgentId, RuntimeIdentity, SessionId, Timestamp};
use std::collections::BTreeMap;

/// The longest window that counts, in minutes: a quarter of a year.
const LONGEST_WINDOW: u64 = 90 * 24 * 60;
/// How far apart two reports of one reset may be, in seconds. Some agents compute it from a rest
/// of seconds, and a window is never shorter than this.
const SAME_RESET: i64 = 600;
/// An observation is stale after this part of its window. An account that is used evenly moves by
/// as many percent meanwhile, so that an older figure says little.
const STALE_PART: i64 = 5;
/// The same limit for long windows, in seconds: a day.
const STALE_AT_MOST: i64 = 24 * 3600;
/// How long a window is listed after its reset, in seconds: 30 days.
const LISTED: i64 = 30 * 24 * 3600;

/// Where a limit was seen, in the words of the adapter that reads it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuotaSource(String);

impl QuotaSource {
    /// A source by its word.
    #[must_use]
    pub fn new(word: impl Into<String>) -> Self {
        Self(word.into())
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A limit of an account: an agent's, with its name there and the length of its window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit {
    /// The agent.
    pub agent: AgentId,
    /// The length of the window.
    pub window_minutes: u32,
    /// The agent's name for the limit.
    pub name: String,
}

/// How much of a limit was used at an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The limit.
    pub limit: Limit,
    /// The share that was used.
    pub used: Percent,
    /// When the window ends.
    pub resets_at: Timestamp,
    /// When the agent reported it.
    pub at: Timestamp,
    /// Where it was seen.
    pub source: QuotaSource,
    /// The session that reported it.
    pub session: Option<SessionId>,
}

/// A limit as an agent writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reported<'a> {
    /// The agent's name for the limit.
    pub name: &'a str,
    /// The length of the window.
    pub window_minutes: u64,
    /// The share that is used, such as 64.0.
    pub used_percent: f64,
    /// When the window ends.
    pub resets_at: Timestamp,
    /// Where it is written.
    pub source: &'a str,
}

impl Reported<'_> {
    /// The observation of a session; `None` if the figures cannot be true.
    #[must_use]
    pub fn by(self, who: &RuntimeIdentity, at: Timestamp) -> Option<Observation> {
        let seen = self.of(&who.agent, at)?;
        Some(Observation { session: Some(who.session()), ..seen })
    }

    /// The observation of nobody known; `None` if the figures cannot be true.
    #[must_use]
    pub fn of(self, agent: &AgentId, at: Timestamp) -> Option<Observation> {
        let minutes = Some(self.window_minutes).filter(|it| (1..=LONGEST_WINDOW).contains(it))?;
        let latest = at.as_second().saturating_add(i64::try_from(minutes).ok()? * 2 * 60);
        let is_likely = self.resets_at.as_second() <= latest + SAME_RESET;
        let window_minutes = u32::try_from(minutes).ok().filter(|_| is_likely)?;
        let limit = Limit { agent: agent.clone(), window_minutes, name: excerpt(self.name) };
        let (used, source) = (Percent::of(self.used_percent)?, QuotaSource::new(self.source));
        Some(Observation { limit, used, resets_at: self.resets_at, at, source, session: None })
    }
}

impl Observation {
    /// Whether both are about the same window of the same limit.
    #[must_use]
    pub fn is_of_window(&self, other: &Self) -> bool {
        let apart = self.resets_at.as_second().abs_diff(other.resets_at.as_second());
        self.limit == other.limit && apart <= SAME_RESET.unsigned_abs()
    }

    /// Orders observations by time; of two at once, the fuller counts, then the later word.
    #[must_use]
    pub fn order(&self) -> (Timestamp, Percent, &QuotaSource, Option<SessionId>) {
        (self.at, self.used, &self.source, self.session)
    }

    /// Whether the figure no longer says how full the limit is.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        is_stale(self.limit.window_minutes, (self.at, self.resets_at), now)
    }

    /// How long ago the agent reported it, in seconds.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> u64 {
        u64::try_from(now.as_second() - self.at.as_second()).unwrap_or_default()
    }

    /// When the window began.
    #[must_use]
    pub fn begins_at(&self) -> i64 {
        self.resets_at.as_second() - self.limit.seconds()
    }
}

/// Whether a figure of a window no longer says how full it is, by when it was seen and when the
/// window resets.
#[must_use]
pub fn is_stale(
    window_minutes: u32,
    (seen_at, resets_at): (Timestamp, Timestamp),
    now: Timestamp,
) -> bool {
    let fresh_for = (i64::from(window_minutes) * 60 / STALE_PART).min(STALE_AT_MOST);
    resets_at <= now || now.as_second() - seen_at.as_second() > fresh_for
}

impl Limit {
    /// The length of the window in seconds.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        i64::from(self.window_minutes) * 60
    }
}

/// A limit as it was seen: the history of its window, in order, and of the windows before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// The window of the newest observation, which is the last.
    pub current: Vec<Observation>,
    /// Earlier windows, the oldest first.
    pub earlier: Vec<Vec<Observation>>,
}

/// The newest window of every limit, with those before it.
#[must_use]
pub fn windows(mut seen: Vec<Observation>, now: Timestamp) -> Vec<Window> {
    seen.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut by_limit: BTreeMap<Limit, Vec<Observation>> = BTreeMap::new();
    for it in seen {
        by_limit.entry(it.limit.clone()).or_default().push(it);
    }
    let is_listed = |it: &Observation| now.as_second() - it.resets_at.as_second() < LISTED;
    let windows = by_limit.into_values().filter(|it| it.last().is_some_and(is_listed));
    windows.map(divided).collect()
}

fn divided(history: Vec<Observation>) -> Window {
    let mut earlier: Vec<Vec<Observation>> = Vec::new();
    let Some(newest) = history.last().cloned() else { return Window::default() };
    let (current, past) = history.into_iter().partition(|it| it.is_of_window(&newest));
    for it in past {
        let is_same = |window: &&mut Vec<Observation>| {
            window.last().is_some_and(|last| last.is_of_window(&it))
        };
        match earlier.iter_mut().find(is_same) {
            Some(window) => window.push(it),
            None => earlier.push(vec![it]),
        }
    }
    Window { current, earlier }
}
