//! The facts about the session of a file, and its open turn.

use super::reader::{Here, RolloutReader, provider};
use super::record::{Meta, Payload, parse};
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::lenient::{Raw, Text};
use taffrail_kit::records;
use taffrail_model::facts::Base;
use taffrail_model::{Detail, Draft, Kind, hash};

/// How a thread was started, where that is an object: `{"subagent":{"thread_spawn":{...}}}`.
#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    subagent: Raw<'a>,
}

#[derive(Deserialize)]
struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: ThreadSpawn<'a>,
}

#[derive(Deserialize)]
struct ThreadSpawn<'a> {
    #[serde(borrow)]
    parent_thread_id: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Git<'a> {
    #[serde(borrow)]
    branch: Cow<'a, str>,
}

/// The part of the history that is in another rollout.
#[derive(Deserialize)]
struct HistoryBase<'a> {
    #[serde(borrow)]
    thread_id: Cow<'a, str>,
    end_byte_offset: u64,
}

impl RolloutReader {
    /// Reads `session_meta`: the first opens the session, one of another thread starts a copy of
    /// that thread's records, and one of the same thread corrects the first.
    pub(super) fn session_meta(&mut self, here: &mut Here<'_>, meta: &Meta<'_>) {
        let Some(id) = meta.id.as_deref() else { return };
        match self.memory.thread.as_deref() {
            None => self.open(here, id, meta),
            Some(thread) if thread == id => self.learn(meta),
            Some(_) => self.note_copy(id),
        }
    }

    /// Opens the session; a reverted thread continues in a new file and was opened by its first.
    fn open(&mut self, here: &mut Here<'_>, id: &str, meta: &Meta<'_>) {
        self.who = self.thread(id);
        self.memory.thread = Some(id.to_owned());
        self.learn(meta);
        if self.rollout.is_some() {
            let key = self.key(here);
            return self.remark(here, key, "reverted", None);
        }
        let mut draft = Draft::new(provider(format!("meta:{id}")), 0, Kind::SessionStarted);
        draft.detail = Detail::Started {
            version: meta.cli_version.as_deref().map(Cow::Borrowed),
            entrypoint: entrypoint(meta),
            cwd: meta.cwd.as_deref().map(Cow::Borrowed),
        };
        self.say(here, draft);
    }

    fn learn(&mut self, meta: &Meta<'_>) {
        let parent = parent_of(meta).map(|parent| self.thread(&parent));
        let base = parse(meta.history_base).map(|base: HistoryBase<'_>| Base {
            source: base.thread_id.into_owned(),
            byte_offset: base.end_byte_offset,
        });
        let origin = meta.forked_from_id.as_deref().map(|origin| self.thread(origin));
        let facts = &mut self.memory.facts;
        let branch = parse(meta.git).map(|git: Git<'_>| git.branch);
        learn_text(&mut facts.project_path, meta.cwd.as_deref());
        learn_text(&mut facts.git_branch, branch.as_deref());
        learn_text(&mut facts.agent_version, meta.cli_version.as_deref());
        learn_text(&mut facts.entrypoint, entrypoint(meta).as_deref());
        let started_at = meta.timestamp.as_deref().and_then(records::time);
        facts.started_at = facts.started_at.or(started_at);
        facts.parent = facts.parent.take().or(parent);
        facts.forked_from = facts.forked_from.take().or(origin);
        facts.base = base.or(facts.base.take());
        let starts_at = meta.subagent_history_start_ordinal;
        self.memory.starts_at = starts_at.or(self.memory.starts_at);
    }

    /// The following records are copies from the parent; their usage is known by turn.
    fn note_copy(&mut self, id: &str) {
        let origin = self.thread(id);
        let facts = &mut self.memory.facts;
        if facts.parent.is_none() && facts.forked_from.is_none() {
            facts.forked_from = Some(origin);
        }
    }

    /// Reads `turn_context`: the turn and its model.
    pub(super) fn turn_context(&mut self, context: &Payload<'_>) {
        self.enter(context.turn_id.as_deref());
        learn_text(&mut self.memory.facts.model, context.model.as_deref());
    }

    /// Enters a turn that Codex named.
    pub(super) fn enter(&mut self, provider_turn: Option<&str>) {
        let Some(turn) = provider_turn else { return };
        self.memory.enter(self.who.session(), turn);
        let mark = || hash::digest("codex-record", &[turn.as_bytes()]);
        self.memory.facts.first_record.get_or_insert_with(mark);
    }
}

/// Stores a text, if it is present and new.
pub(super) fn learn_text(known: &mut Option<String>, told: Option<&str>) {
    if told.is_some() && known.as_deref() != told {
        *known = told.map(str::to_owned);
    }
}

fn entrypoint<'a>(meta: &'a Meta<'_>) -> Text<'a> {
    let originator = meta.originator.as_deref().map(Cow::Borrowed);
    originator.or_else(|| parse(meta.source))
}

/// Returns the parent thread of a sub-agent.
fn parent_of<'a>(meta: &'a Meta<'_>) -> Text<'a> {
    let subagent = parse::<Source<'_>>(meta.source)?.subagent?;
    let spawned = parse::<Subagent<'_>>(Some(subagent));
    let root = meta.session_id.as_deref().filter(|id| Some(*id) != meta.id.as_deref());
    let named = meta.parent_thread_id.as_deref().or(root).map(Cow::Borrowed);
    spawned.map(|it| it.thread_spawn.parent_thread_id).or(named)
}
