//! Text for an agent that did not ask: a brief of its project, and what fixed its error before.
//!
//! The agent waits for it, so it is short, and a question without an answer means silence.

use crate::errors::{self, words};
use crate::fence::Fence;
use crate::query::{Arguments, Hidden, Question, about};
use crate::text::{cut, plain, quoted_line, quoted_snippet};
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::sync::Arc;
use std::thread;
use taffrail_api::client::{Client, path};
use taffrail_api::{
    HandoffDecision, SearchHit, SearchReply, Session, SessionDecisions, SessionList, Summary,
};
use taffrail_model::status::Group;

/// The longest text, in bytes.
pub const RECALL_LIMIT: usize = 1024;

/// How many of the latest sessions of a project are looked at.
const SESSIONS: &str = "12";
/// How many open sessions and failed calls a brief names.
const OPEN: usize = 4;
const FAILED: usize = 2;
/// How many decisions a brief names, and of how many sessions they are.
const DECIDED: usize = 2;
const DECIDING: usize = 3;
/// How many hits of a query are looked at: the session that asks may have failed many times.
const HITS: &str = "50";
/// The longest line, in bytes.
const LINE: usize = 160;
/// The fewest words that make an error worth a search, and the letters of such a word.
const TELLING: usize = 2;
const LETTERS: usize = 3;

/// What recalling needs of the world.
pub struct Recall {
    /// The daemon.
    pub client: Client,
    /// Random bytes for the tags.
    pub random: [u8; 8],
    /// The folder that the agent works in.
    pub here: String,
    /// The agent's own id of its session.
    pub session: String,
    /// Folders whose sessions are not shown.
    pub exclude: Vec<String>,
}

impl Recall {
    fn question(self) -> Question {
        Question {
            client: self.client,
            fence: Fence::new(u64::from_le_bytes(self.random)),
            given: Arguments::default(),
            hidden: Hidden { sessions: Vec::new(), projects: self.exclude },
            here: self.here,
            last: Arc::default(),
        }
    }
}

/// A brief of a project: what is open, what was done last, what the person decided, what failed. `None` if nothing is known
/// or the daemon does not answer.
#[must_use]
pub fn brief(recall: Recall) -> Option<String> {
    let (client, here, own) = (recall.client.clone(), recall.here.clone(), recall.session.clone());
    let mut question = recall.question();
    if question.hidden.hides_project(Some(&here)) {
        return None;
    }
    let listed = path("/api/sessions", &[("project", &here), ("limit", SESSIONS)]);
    let failed = format!("kind:error project:\"{}\"", here.replace('"', " "));
    let (list, mut failed) = beside(&client, &listed, (&failed, &here));
    let list: SessionList = list?;
    let (asking, mut others): (Vec<_>, Vec<_>) =
        list.sessions.into_iter().partition(|it| it.runtime_session_id.as_str() == own);
    question.hidden.sessions.extend(asking.iter().map(|it| it.id));
    others.retain(|it| !question.hidden.hides(it.id, it.project_path.as_deref()));
    failed.retain(|it| !question.hidden.hides_hit(it));
    // The brief is worth something without its summary, too.
    let last = others.first().and_then(|it| question.get(&about(it.id, "summary"), &[]).ok());
    let head = "Taffrail recalls from earlier sessions in this project:";
    let decided = decided(&question, &others);
    composed(&question.fence, head, &facts(&others, last.as_ref(), &decided, &failed))
}

/// The last decisions in the latest sessions, the latest first. A session that does not answer has none.
fn decided(question: &Question, sessions: &[Session]) -> Vec<HandoffDecision> {
    let ask = |it: &Session| question.get::<SessionDecisions>(&about(it.id, "decisions"), &[]);
    let told = sessions.iter().take(DECIDING).filter_map(|it| ask(it).ok());
    let mut all: Vec<_> = told.flat_map(|it| it.decisions).collect();
    all.sort_by_key(|it| Reverse(it.at));
    all.truncate(DECIDED);
    all
}

/// What followed the same error before, until the same tool went well. `None` if that is not known.
#[must_use]
pub fn fix(recall: Recall, error: &str) -> Option<String> {
    let wanted = format!("kind:error {}", telling(error)?);
    let (client, here, own) = (recall.client.clone(), recall.here.clone(), recall.session.clone());
    let mut question = recall.question();
    if question.hidden.hides_project(Some(&here)) {
        return None;
    }
    let resolved = path("/api/resolve", &[("id", &own), ("here", &here)]);
    let (asking, hits) = beside::<Session>(&client, &resolved, (&wanted, &here));
    // A session that is not known yet cannot be among the hits.
    question.hidden.sessions.extend(asking.map(|it| it.id));
    let mut visible = hits.iter().filter(|it| !question.hidden.hides_hit(it));
    let (hit, lines) = visible.find_map(|it| Some((it, errors::fix(&question, it)?)))?;
    let head = format!(
        "Taffrail recalls this error from session {} ({}, {:.0}), and what followed:",
        hit.session_id,
        plain(&hit.agent),
        hit.created_at
    );
    composed(&question.fence, &head, &lines)
}

/// The answer to a question and the hits of a query, asked at the same time: an agent waits. What
/// the daemon does not answer is left out.
fn beside<T: DeserializeOwned + Send>(
    client: &Client,
    question: &str,
    (query, here): (&str, &str),
) -> (Option<T>, Vec<SearchHit>) {
    let search = path("/api/search", &[("q", query), ("limit", HITS), ("here", here)]);
    thread::scope(|scope| {
        let hits = scope.spawn(|| client.get::<SearchReply>(&search));
        let answer = client.get(question).ok();
        let hits = hits.join().ok().and_then(Result::ok);
        (answer, hits.map(|it| it.hits).unwrap_or_default())
    })
}

/// The words of the first line of an error that says something.
fn telling(error: &str) -> Option<String> {
    let says = |line: &str| {
        let is_word = |it: &str| it.chars().filter(|it| it.is_alphabetic()).count() >= LETTERS;
        let is_status = line.starts_with("Exit code ");
        let words = words(line);
        (!is_status && words.split(' ').filter(|it| is_word(it)).count() >= TELLING)
            .then_some(words)
    };
    error.lines().find_map(|line| says(line.trim()))
}

/// What a brief says, the most important first.
fn facts(
    sessions: &[Session],
    last: Option<&Summary>,
    decided: &[HandoffDecision],
    failed: &[SearchHit],
) -> Vec<String> {
    let open = sessions.iter().filter_map(open).take(OPEN);
    let last = last.map(|it| it.recent.as_str()).filter(|it| !it.is_empty());
    let last = last.map(|it| format!("last: {it}"));
    let failed = failed.iter().take(FAILED);
    let failed = failed.map(|it| format!("failed: {}", quoted_snippet(&it.snippet)));
    let decided = decided.iter().map(|it| format!("decided: {}: {}", it.context, it.chosen));
    open.chain(last).chain(decided).chain(failed).collect()
}

/// A session that is not done, in one line.
fn open(session: &Session) -> Option<String> {
    let word = match session.group {
        Group::NeedsYou => "waits for the person",
        Group::Working => "working",
        Group::YourTurn => "open",
        Group::Failed => "failed",
        Group::Idle | Group::Done => return None,
    };
    let title = session.title.as_deref().or(session.auto_title.as_deref())?;
    let id: String = session.id.to_string().chars().take(8).collect();
    Some(format!("{word}: {} ({}, session {id})", quoted_line(title, 100), plain(&session.agent)))
}

/// Our head, and lines of sessions between the tags, as many as fit; `None` without a line.
fn composed(fence: &Fence, head: &str, lines: &[String]) -> Option<String> {
    let head = format!("{}\n{}\n", cut(head, 200), fence.notice());
    let room = RECALL_LIMIT.saturating_sub(head.len() + fence.around("").len());
    let mut text = String::new();
    for line in lines {
        let line = quoted_line(line, LINE);
        if line.is_empty() || text.len() + line.len() + 1 > room {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &line;
    }
    (!text.is_empty()).then(|| format!("{head}{}", fence.around(&text)))
}

#[cfg(test)]
mod tests;
