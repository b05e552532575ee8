//! All sessions in their groups, filtered.

use crate::state::filter::Filter;
use crate::table::GROUPS;
use crate::terminal::shown;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use taffrail_api::{Session, Summary};
use taffrail_model::status::{Group, is_recent};
use taffrail_model::{Event, Kind, SessionId, Timestamp};

/// Sessions, and what they are doing.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: HashMap<SessionId, Session>,
    /// Sessions that were updated since the last request for the list.
    updated: HashSet<SessionId>,
    /// The latest description of what a session does, and its time.
    doing: HashMap<SessionId, (Timestamp, String)>,
    /// Summaries, and the start of the session's status when they arrived.
    summaries: HashMap<SessionId, (Option<Timestamp>, Summary)>,
    /// The sessions that match the filter, in the order of the board.
    groups: [Vec<SessionId>; COUNT],
    /// The position of each session in its group; sub-agents have none.
    positions: HashMap<SessionId, Position>,
    sub_agents: HashMap<SessionId, Vec<SessionId>>,
    /// The number of sessions in each group, without the filter.
    counts: [usize; COUNT],
    /// The filter that the groups were made with.
    filter: Filter,
    /// Everything must be sorted again.
    stale: bool,
    /// A session changed its position.
    moved: bool,
}

/// The number of groups.
const COUNT: usize = GROUPS.len();

/// The sort key in a group: latest first.
type Key = (Reverse<Option<Timestamp>>, SessionId);

/// The position of a session.
#[derive(Debug, Clone, Copy)]
struct Position {
    group: usize,
    key: Key,
    /// The session matches the filter.
    is_shown: bool,
}

impl Sessions {
    /// Adds sessions.
    pub(crate) fn take(&mut self, sessions: Vec<Session>) {
        for session in sessions {
            self.put(session);
        }
    }

    /// Notes a request for the list of all sessions: later updates may be newer than the reply.
    pub(crate) fn list_asked(&mut self) {
        self.updated.clear();
    }

    /// Takes the reply to the last request for the list. Sessions updated since then stay
    /// unchanged.
    pub(crate) fn fill(&mut self, sessions: Vec<Session>) {
        for session in sessions {
            if !self.updated.contains(&session.id) {
                self.sessions.insert(session.id, session);
            }
        }
        self.stale = true;
    }

    /// Takes the current state of one session, and moves it if its position changed; the others
    /// stay.
    pub(crate) fn put(&mut self, session: Session) {
        let id = session.id;
        self.updated.insert(id);
        let before = self.sessions.insert(id, session);
        let now = self.sessions.get(&id);
        if self.stale || before.as_ref().zip(now).is_some_and(|(a, b)| share_position(a, b)) {
            return;
        }
        self.moved = true;
        self.remove_position(id, before.and_then(|it| it.parent_id));
        self.insert_position(id);
    }

    fn remove_position(&mut self, id: SessionId, parent: Option<SessionId>) {
        if let Some(sub_agents) = parent.and_then(|it| self.sub_agents.get_mut(&it)) {
            sub_agents.retain(|it| *it != id);
        }
        let Some(place) = self.position_of(id) else { return };
        let Some(position) = self.positions.remove(&id) else { return };
        if let Some(count) = self.counts.get_mut(position.group) {
            *count -= 1;
        }
        if let Some(group) = self.groups.get_mut(position.group).filter(|_| position.is_shown) {
            group.remove(place.1);
        }
    }

    fn insert_position(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get(&id) else { return };
        let key = (Reverse(place(session)), id);
        if let Some(parent) = session.parent_id {
            let key_of = |it: &SessionId| self.sessions.get(it).map(|it| (place(it), it.id));
            let sub_agents = self.sub_agents.entry(parent).or_default();
            let at = sub_agents.partition_point(|it| key_of(it) < Some((key.0.0, id)));
            sub_agents.insert(at, id);
            return;
        }
        let group = GROUPS.iter().position(|it| *it == session.group).unwrap_or_default();
        let doing = self.doing.get(&id).map(|(_, it)| it.as_str());
        let is_shown = self.filter.fits(session, doing);
        self.positions.insert(id, Position { group, key, is_shown });
        if let Some(count) = self.counts.get_mut(group) {
            *count += 1;
        }
        let positions = &self.positions;
        if let Some(group) = self.groups.get_mut(group).filter(|_| is_shown) {
            let before = |it: &SessionId| positions.get(it).is_some_and(|it| it.key < key);
            group.insert(group.partition_point(before), id);
        }
    }

    /// The group of a session and its position in it; `None` for sub-agents.
    pub(crate) fn position_of(&self, id: SessionId) -> Option<(usize, usize)> {
        let position = self.positions.get(&id)?;
        let before =
            |it: &SessionId| self.positions.get(it).is_some_and(|it| it.key < position.key);
        Some((position.group, self.groups.get(position.group)?.partition_point(before)))
    }

    /// True if a session is on the board under the current filter.
    pub(crate) fn is_shown(&self, id: SessionId) -> bool {
        self.positions.get(&id).is_some_and(|it| it.is_shown)
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

    /// The sub-agents of a session, earliest first.
    pub(crate) fn sub_agents(&self, id: SessionId) -> &[SessionId] {
        self.sub_agents.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes what a session does.
    pub(crate) fn apply_event(&mut self, event: &Event) {
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

    /// True if there is a summary of the current status.
    pub(crate) fn is_summed_up(&self, session: &Session) -> bool {
        self.summaries.get(&session.id).is_some_and(|(since, _)| *since == session.status_since)
    }

    /// What a session does, by its latest event.
    pub(crate) fn doing(&self, id: SessionId) -> Option<&str> {
        self.doing.get(&id).map(|(_, it)| it.as_str())
    }

    /// A group as shown.
    pub(crate) fn group(&self, group: Group) -> &[SessionId] {
        let at = GROUPS.iter().position(|it| *it == group).unwrap_or_default();
        self.groups.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// All shown sessions, in order.
    pub(crate) fn order(&self) -> impl DoubleEndedIterator<Item = SessionId> + '_ {
        self.groups.iter().flatten().copied()
    }

    /// The number of sessions in a group, without the filter.
    pub(crate) fn counts(&self, group: Group) -> usize {
        let at = GROUPS.iter().position(|it| *it == group).unwrap_or_default();
        self.counts.get(at).copied().unwrap_or_default()
    }

    /// The number of failures within a day, without the filter.
    pub(crate) fn recent_failures(&self, now: Timestamp) -> usize {
        let is_recent = |it: &Session| place(it).is_some_and(|at| is_recent(at, now));
        if self.filter.is_empty() {
            // The latest come first, and failures may be many.
            let failed = self.group(Group::Failed).iter().filter_map(|it| self.get(*it));
            return failed.take_while(|it| is_recent(it)).count();
        }
        let failed = self.sessions.values().filter(|it| it.failed && it.parent_id.is_none());
        failed.filter(|it| is_recent(it)).count()
    }

    /// Requests a full sort before the next frame.
    pub(crate) fn disturb(&mut self) {
        self.stale = true;
    }

    /// Sorts what changed; `true` if anything did.
    pub(crate) fn sort(&mut self, filter: &Filter) -> bool {
        let moved = std::mem::take(&mut self.moved);
        if !std::mem::take(&mut self.stale) {
            return moved;
        }
        (self.groups, self.counts) = Default::default();
        self.sub_agents.clear();
        self.positions.clear();
        self.filter = filter.clone();
        let mut known: Vec<Key> =
            self.sessions.values().map(|it| (Reverse(place(it)), it.id)).collect();
        // In sorted order, each one goes to the end of its group.
        known.sort_unstable();
        known.into_iter().for_each(|(_, id)| self.insert_position(id));
        true
    }

    /// Drops everything that is neither in this set nor over.
    pub(crate) fn keep_alive(&mut self, alive: &HashSet<SessionId>) {
        let is_over = |it: &Session| matches!(it.group, Group::Done | Group::Failed);
        self.sessions.retain(|id, it| is_over(it) || alive.contains(id));
        self.stale = true;
    }
}

/// True if two states of a session have the same position, and the same texts for the filter.
fn share_position(one: &Session, other: &Session) -> bool {
    fn position_of(it: &Session) -> impl PartialEq + '_ {
        (it.group, it.status, place(it), it.parent_id, &it.waiting_for)
    }
    fn texts(it: &Session) -> impl PartialEq + '_ {
        (&it.title, &it.project_path, &it.git_branch)
    }
    position_of(one) == position_of(other) && texts(one) == texts(other)
}

/// The latest session of a group comes first; a finished one counts by its last event.
fn place(session: &Session) -> Option<Timestamp> {
    match session.group {
        Group::Done => session.last_event_at,
        _ => session.status_since.or(session.last_event_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::json;

    #[test]
    fn all_are_sorted_only_where_one_goes_elsewhere() {
        let check = |fields: serde_json::Value, expected: bool| {
            let mut sessions = Sessions::default();
            sessions.take(vec![samples::working(), samples::session(3, &json!({}))]);
            assert!(sessions.sort(&Filter::default()));
            assert!(!sessions.sort(&Filter::default()));
            let mut session = serde_json::to_value(samples::working()).unwrap();
            for (name, value) in fields.as_object().unwrap() {
                session[name] = value.clone();
            }
            sessions.put(serde_json::from_value(session).unwrap());
            assert_eq!(sessions.sort(&Filter::default()), expected, "{fields}");
        };
        check(json!({}), false);
        check(json!({"turns": 99, "confidence": "low", "cost_microdollars": 7}), false);
        check(json!({"last_event_at": "2026-11-15T11:59:59Z"}), false);
        check(json!({"status_since": "2026-11-15T11:59:59Z"}), true);
        check(json!({"group": "your_turn", "status": "waiting"}), true);
        check(json!({"title": "another"}), true);
    }

    /// Whatever the order of updates, the board equals a full sort.
    #[test]
    fn what_goes_elsewhere_is_where_sorting_would_put_it() {
        let (mut one, mut all) = (Sessions::default(), Sessions::default());
        one.sort(&Filter::default());
        for step in 0..400_u32 {
            let drawn = step.wrapping_mul(2_654_435_761) >> 7;
            let group = ["needs_you", "working", "your_turn", "idle", "done"]
                [usize::try_from(drawn % 5).unwrap()];
            let at = format!("2026-11-15T{:02}:{:02}:00Z", drawn / 5 % 24, drawn / 120 % 60);
            let parent = (drawn % 7 == 0).then(|| samples::session(1, &json!({})).id);
            let fields = json!({"group": group, "status_since": at, "last_event_at": at,
                "parent_id": parent, "project_path": format!("/x/p{}", drawn % 3)});
            let session = samples::session(2 + drawn % 40, &fields);
            one.put(session.clone());
            all.put(session);
            all.disturb();
            let filter = Filter::read(if step < 200 { "" } else { "project:p1" });
            if step == 200 {
                one.disturb();
            }
            one.sort(&filter);
            all.sort(&filter);
            let seen = |it: &Sessions| (it.groups.clone(), it.counts, it.sub_agents.clone());
            let (mut a, mut b) = (seen(&one), seen(&all));
            a.2.retain(|_, it| !it.is_empty());
            b.2.retain(|_, it| !it.is_empty());
            assert_eq!(a, b, "step {step}");
            for id in one.order() {
                let (group, place) = one.position_of(id).unwrap();
                assert_eq!(one.groups[group][place], id);
            }
        }
    }
}
