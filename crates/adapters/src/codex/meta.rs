//! The facts about the session of a file.

use super::record::{Meta, Payload, parse};
use super::rollout::Reading;
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::lenient::{Raw, Text};
use taffrail_kit::records::{self, LONGEST_ID};
use taffrail_model::facts::Base;
use taffrail_model::{Detail, Kind};

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

impl Reading<'_, '_, '_> {
    /// Reads `session_meta`: the first opens the session, one of another thread starts a copy of
    /// that thread's records, and one of the same thread corrects the first.
    pub(super) fn session_meta(&mut self, meta: &Meta<'_>) {
        let is_id = |id: &&str| !id.is_empty() && id.len() <= LONGEST_ID;
        let Some(id) = meta.id.as_deref().filter(is_id) else { return };
        let is_same = self.speaker.session_id() == id;
        match (self.speaker.is_guessed(), is_same) {
            (true, true) => self.open(meta),
            (true, false) => {
                self.speaker.named_session(id);
                self.open(meta);
            }
            (false, true) => self.learn(meta),
            (false, false) => self.note_copy(id),
        }
    }

    /// Opens the session; a reverted thread continues in a new file and was opened by its first.
    fn open(&mut self, meta: &Meta<'_>) {
        self.learn(meta);
        if self.is_reverted() {
            return self.remark("reverted", None);
        }
        let key = format!("meta:{}", self.speaker.session_id());
        self.speaker.made_id(key);
        let detail = Detail::Started {
            version: meta.cli_version.as_deref().map(Cow::Borrowed),
            entrypoint: entrypoint(meta),
            cwd: meta.cwd.as_deref().map(Cow::Borrowed),
        };
        self.say(Kind::SessionStarted, None, detail);
    }

    fn learn(&mut self, meta: &Meta<'_>) {
        self.learn_origin(meta);
        let base = parse(meta.history_base).map(|base: HistoryBase<'_>| Base {
            source: base.thread_id.into_owned(),
            byte_offset: base.end_byte_offset,
        });
        let branch = parse(meta.git).map(|git: Git<'_>| git.branch);
        let started_at = meta.timestamp.as_deref().and_then(records::time);
        let facts = self.speaker.facts();
        learn_text(&mut facts.project_path, meta.cwd.as_deref());
        learn_text(&mut facts.git_branch, branch.as_deref());
        learn_text(&mut facts.agent_version, meta.cli_version.as_deref());
        learn_text(&mut facts.entrypoint, entrypoint(meta).as_deref());
        facts.started_at = facts.started_at.or(started_at);
        facts.base = base.or(facts.base.take());
        self.own.starts_at = meta.subagent_history_start_ordinal.or(self.own.starts_at);
    }

    /// Takes the thread that spawned this one, and the one that it was forked from.
    fn learn_origin(&mut self, meta: &Meta<'_>) {
        if let Some(parent) = parent_of(meta)
            && self.speaker.facts().parent.is_none()
        {
            self.speaker.child_of(&parent);
        }
        if let Some(origin) = meta.forked_from_id.as_deref()
            && self.speaker.facts().forked_from.is_none()
        {
            self.speaker.forked_from(origin);
        }
    }

    /// The following records are copies from the parent; their usage is known by turn.
    fn note_copy(&mut self, id: &str) {
        let facts = self.speaker.facts();
        if facts.parent.is_none() && facts.forked_from.is_none() {
            self.speaker.forked_from(id);
        }
    }

    /// Reads `turn_context`: the turn and its model.
    pub(super) fn turn_context(&mut self, context: &Payload<'_>) {
        self.enter(context.turn_id.as_deref());
        learn_text(&mut self.speaker.facts().model, context.model.as_deref());
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
