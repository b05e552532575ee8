//! All sessions, in their groups, as far as they fit what is asked for.

use super::filter::Filter;
use super::text::shown;
use crate::table::GROUPS;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use taffrail_api::{Session, Summary};
use taffrail_model::status::Group;
use taffrail_model::{Event, Kind, SessionId, Timestamp};

/// Sessions, and what is known of what they do.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    sessions: HashMap<SessionId, Session>,
    /// What was last said of what a session does, and when.
    doing: HashMap<SessionId, (Timestamp, String)>,
    /// Summaries, and how the session stood when they were asked for.
    summaries: HashMap<SessionId, (Option<Timestamp>, Summary)>,
    /// In the order of the board; made anew when something changed.
    groups: [Vec<SessionId>; 5],
    workers: HashMap<SessionId, Vec<SessionId>>,
    /// How many stand in each group, whatever is asked for.
    counts: [usize; 5],
    stale: bool,
}

impl Fleet {
    /// Takes sessions that are known from now on.
    pub(crate) fn take(&mut self, sessions: Vec<Session>) {
        for session in sessions {
            self.put(session);
        }
    }

    /// Takes sessions of a list that may be older than what was told since.
    pub(crate) fn fill(&mut self, sessions: Vec<Session>) {
        for session in sessions {
            self.sessions.entry(session.id).or_insert(session);
        }
        self.stale = true;
    }

    /// Takes one session as it stands now. All are sorted again only where it goes elsewhere.
    pub(crate) fn put(&mut self, session: Session) {
        let before = self.sessions.get(&session.id);
        self.stale |= before.is_none_or(|it| !stand_alike(it, &session));
        self.sessions.insert(session.id, session);
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    pub(crate) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values()
    }

    /// The sub-agents of a session, the earliest first.
    pub(crate) fn workers(&self, id: SessionId) -> &[SessionId] {
        self.workers.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Hears what a session does.
    pub(crate) fn hear(&mut self, event: &Event) {
        let text = event.text.as_deref().map(shown).unwrap_or_default();
        let doing = match event.kind {
            Kind::ToolCall => {
                let tool = event.data.get("tool").and_then(|it| it.as_str()).map(shown);
                format!("{} {text}", tool.unwrap_or_default()).trim().to_owned()
            }
            Kind::AssistantMessage | Kind::AssistantThinking => text,
            _ => return,
        };
        if !doing.is_empty() {
            self.doing.insert(event.session_id, (event.created_at, doing));
        }
    }

    pub(crate) fn summed_up(&mut self, id: SessionId, summary: Summary) {
        let since = self.get(id).and_then(|it| it.status_since);
        self.doing.remove(&id);
        self.summaries.insert(id, (since, summary));
    }

    pub(crate) fn summary(&self, id: SessionId) -> Option<&Summary> {
        self.summaries.get(&id).map(|(_, it)| it)
    }

    /// Whether there is a summary that was made since the session stands as it does.
    pub(crate) fn is_summed_up(&self, session: &Session) -> bool {
        self.summaries.get(&session.id).is_some_and(|(since, _)| *since == session.status_since)
    }

    /// What was last heard of what a session does.
    pub(crate) fn doing(&self, id: SessionId) -> Option<&str> {
        self.doing.get(&id).map(|(_, it)| it.as_str())
    }

    /// A group as it is shown.
    pub(crate) fn group(&self, group: Group) -> &[SessionId] {
        let at = GROUPS.iter().position(|it| *it == group).unwrap_or_default();
        self.groups.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// All that are shown, in order.
    pub(crate) fn order(&self) -> impl DoubleEndedIterator<Item = SessionId> + '_ {
        self.groups.iter().flatten().copied()
    }

    /// How many sessions stand in a group, whatever is asked for.
    pub(crate) fn counts(&self, group: Group) -> usize {
        let at = GROUPS.iter().position(|it| *it == group).unwrap_or_default();
        self.counts.get(at).copied().unwrap_or_default()
    }

    /// Sessions are sorted again before anything is shown.
    pub(crate) fn disturb(&mut self) {
        self.stale = true;
    }

    /// Sorts what changed; `true` if anything did.
    pub(crate) fn settle(&mut self, filter: &Filter) -> bool {
        if !std::mem::take(&mut self.stale) {
            return false;
        }
        (self.groups, self.counts) = Default::default();
        self.workers.clear();
        let keyed = self.sessions.values().map(|it| (Reverse(place(it)), it.id, it));
        let mut known: Vec<_> = keyed.collect();
        known.sort_unstable_by_key(|(place, id, _)| (*place, *id));
        for (_, _, session) in known {
            if let Some(parent) = session.parent_id {
                self.workers.entry(parent).or_default().push(session.id);
                continue;
            }
            let at = GROUPS.iter().position(|it| *it == session.group).unwrap_or_default();
            if let Some(count) = self.counts.get_mut(at) {
                *count += 1;
            }
            let doing = self.doing.get(&session.id).map(|(_, it)| it.as_str());
            if let Some(group) = self.groups.get_mut(at).filter(|_| filter.fits(session, doing)) {
                group.push(session.id);
            }
        }
        for workers in self.workers.values_mut() {
            workers.reverse();
        }
        true
    }

    /// Forgets everything that is not among these and is not over.
    pub(crate) fn keep_alive(&mut self, alive: &HashSet<SessionId>) {
        self.sessions.retain(|id, it| it.group == Group::Done || alive.contains(id));
        self.stale = true;
    }
}

/// What decides where a session stands, and what is looked at to narrow the board.
fn stand_alike(one: &Session, other: &Session) -> bool {
    fn place_of(it: &Session) -> impl PartialEq + '_ {
        (it.group, it.status, place(it), it.parent_id, &it.waiting_for)
    }
    fn texts(it: &Session) -> impl PartialEq + '_ {
        (&it.title, &it.project_path, &it.git_branch)
    }
    place_of(one) == place_of(other) && texts(one) == texts(other)
}

/// The latest of a group comes first; what is over by when it was last heard of.
fn place(session: &Session) -> Option<Timestamp> {
    match session.group {
        Group::Done => session.last_event_at,
        _ => session.status_since.or(session.last_event_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::samples;
    use serde_json::json;

    #[test]
    fn all_are_sorted_only_where_one_goes_elsewhere() {
        let check = |fields: serde_json::Value, expected: bool| {
            let mut fleet = Fleet::default();
            fleet.take(vec![samples::working(), samples::session(3, &json!({}))]);
            assert!(fleet.settle(&Filter::default()));
            assert!(!fleet.settle(&Filter::default()));
            let mut session = serde_json::to_value(samples::working()).unwrap();
            for (name, value) in fields.as_object().unwrap() {
                session[name] = value.clone();
            }
            fleet.put(serde_json::from_value(session).unwrap());
            assert_eq!(fleet.settle(&Filter::default()), expected, "{fields}");
        };
        check(json!({}), false);
        check(json!({"turns": 99, "confidence": "low", "cost_microdollars": 7}), false);
        check(json!({"last_event_at": "2026-11-15T11:59:59Z"}), false);
        check(json!({"status_since": "2026-11-15T11:59:59Z"}), true);
        check(json!({"group": "your_turn", "status": "waiting"}), true);
        check(json!({"title": "another"}), true);
    }
}
