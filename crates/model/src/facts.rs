//! What a source reports about a session as a whole, apart from its events.

use crate::hash::Digest16;
use crate::{Imported, Process, RuntimeIdentity, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The longest stored path, branch or name, in bytes.
pub const LONGEST_FACT: usize = 4096;

/// The quality of a title; a better one replaces a worse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleRank {
    /// Our own, where no history of the agent names one: the beginning of the last prompt a hook
    /// carried.
    LastPrompt,
    /// Our own: the beginning of the first prompt.
    FirstPrompt,
    /// A summary the agent wrote in passing.
    Summary,
    /// A title the agent generated.
    Generated,
    /// A title a person gave.
    Given,
}

/// A session's title and its origin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Title {
    /// The quality.
    pub rank: TitleRank,
    /// The text, on one line.
    pub text: String,
}

/// The prefix of a session that is stored in another source: everything before `byte_offset` there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Base {
    /// The end of that source's locator, enough to identify it among its siblings.
    pub source: String,
    /// The first byte that is not part of the prefix.
    pub byte_offset: u64,
}

/// What one source reports about one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The best title so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// The working directory that names the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_path: Option<String>,
    /// The branch last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The model last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent program's version last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The name that the agent made up for the session, in words without meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// How the agent was started, in its own terms (`cli`, `exec`, ...).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
    /// When the agent says the session began, if it records that apart from any event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The cost the agent reports, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<i64>,
    /// The parent session: set for sub-agents only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<RuntimeIdentity>,
    /// The session that the agent names as the origin of a fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RuntimeIdentity>,
    /// The session whose handoff brief started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_from: Option<SessionId>,
    /// The hash of the first record a copy would share, for agents that fork by copying.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::hash::maybe_hex")]
    pub first_record: Option<Digest16>,
    /// The earliest record of a kind that copies omit: it identifies the original among its copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncopied_since: Option<Timestamp>,
    /// The status in the document, if the session is an imported one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The process last seen running the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// The prefix in another source, for agents that fork or revert by reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
}

impl Facts {
    /// Offers a title and keeps it unless a better one is known. Among first prompts the first
    /// wins; among other titles of one rank the last wins.
    pub fn offer_title(&mut self, rank: TitleRank, said: &str) {
        let text = crate::text::excerpt(said);
        let better = match &self.title {
            None => true,
            Some(known) if rank == TitleRank::FirstPrompt => rank > known.rank,
            Some(known) => rank >= known.rank,
        };
        if better && !text.is_empty() {
            if rank == TitleRank::FirstPrompt {
                self.handed_from = handed_from(said);
            }
            self.title = Some(Title { rank, text });
        }
    }

    /// Records the time of a record of a kind that copies omit.
    pub fn note_uncopied(&mut self, at: Option<Timestamp>) {
        self.uncopied_since = earlier(self.uncopied_since, at);
    }

    /// The same facts with every text cut to the length a list may carry.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let texts = [
            &mut self.project_path,
            &mut self.git_branch,
            &mut self.model,
            &mut self.agent_version,
            &mut self.slug,
            &mut self.entrypoint,
        ];
        for text in texts.into_iter().flatten() {
            let end = crate::text::cut(text, LONGEST_FACT).len();
            text.truncate(end);
        }
        self
    }

    /// Merges the facts of several sources of one session; later facts fill gaps and correct.
    #[must_use]
    pub fn joined(self, later: Self) -> Self {
        Self {
            title: match (self.title, later.title) {
                (Some(a), Some(b)) if a.rank > b.rank => Some(a),
                // Of two first prompts, the earlier one wins.
                (Some(a), Some(b)) if a.rank == b.rank && a.rank == TitleRank::FirstPrompt => {
                    Some(a)
                }
                (a, b) => b.or(a),
            },
            project_path: later.project_path.or(self.project_path),
            git_branch: later.git_branch.or(self.git_branch),
            model: later.model.or(self.model),
            agent_version: later.agent_version.or(self.agent_version),
            slug: later.slug.or(self.slug),
            entrypoint: later.entrypoint.or(self.entrypoint),
            started_at: earlier(self.started_at, later.started_at),
            cost_microdollars: self.cost_microdollars.max(later.cost_microdollars),
            parent: self.parent.or(later.parent),
            forked_from: self.forked_from.or(later.forked_from),
            handed_from: self.handed_from.or(later.handed_from),
            first_record: self.first_record.or(later.first_record),
            uncopied_since: earlier(self.uncopied_since, later.uncopied_since),
            imported: later.imported.or(self.imported),
            process: later.process.or(self.process),
            base: later.base.or(self.base),
        }
    }
}

/// Folders, each of which includes everything below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projects(Vec<String>);

impl Projects {
    /// Takes folders as the user wrote them.
    #[must_use]
    pub fn new(folders: &[String]) -> Self {
        Self(folders.iter().map(|it| it.trim_end_matches('/').to_owned()).collect())
    }

    /// Whether the project is one of the folders, or inside one.
    #[must_use]
    pub fn holds(&self, project: &str) -> bool {
        self.0.iter().any(|folder| {
            let rest = project.strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// The session whose brief a first prompt names, by the file name of the brief.
fn handed_from(prompt: &str) -> Option<SessionId> {
    let (_, rest) = prompt.split_once("/taffrail/handoff/")?;
    let (id, _) = rest.split_once(".md")?;
    SessionId::parse(id)
}

/// The earlier of two optional instants.
#[must_use]
pub fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_title_stands() {
        let mut facts = Facts::default();
        let mut check = |rank, text: &str, expected: &str| {
            facts.offer_title(rank, text);
            assert_eq!(facts.title.as_ref().unwrap().text, expected);
        };
        check(TitleRank::FirstPrompt, "fix\n it", "fix it");
        check(TitleRank::FirstPrompt, "second prompt", "fix it");
        check(TitleRank::Generated, "Fix the test", "Fix the test");
        check(TitleRank::Generated, "Fix both tests", "Fix both tests");
        check(TitleRank::Given, "auth", "auth");
        check(TitleRank::Summary, "a summary", "auth");
        check(TitleRank::Given, "   ", "auth");
    }

    #[test]
    fn a_first_prompt_that_names_a_brief_tells_where_it_came_from() {
        let id = "8f31c2a9-5d6e-4f70-8a9b-0c1d2e3f4a5b";
        let brief = format!("Read the brief in /h/.local/state/taffrail/handoff/{id}.md and");
        let check = |prompts: &[&str], expected: Option<&str>| {
            let mut facts = Facts::default();
            prompts.iter().for_each(|it| facts.offer_title(TitleRank::FirstPrompt, it));
            assert_eq!(facts.handed_from, expected.and_then(SessionId::parse), "{prompts:?}");
        };
        check(&[&brief], Some(id));
        check(&[&brief, "go on"], Some(id));
        check(&["go on", &brief], None);
        check(&["/taffrail/handoff/x.md", "/taffrail/handoff/"], None);
    }

    #[test]
    fn a_folder_holds_itself_and_what_is_below_it() {
        let projects = Projects::new(&["/a/b/".to_owned()]);
        for (project, held) in [("/a/b", true), ("/a/b/c", true), ("/a/bc", false), ("/a", false)] {
            assert_eq!(projects.holds(project), held, "{project}");
        }
    }

    #[test]
    fn joining_with_nothing_changes_nothing() {
        let mut facts = Facts { model: Some("m".into()), ..Facts::default() };
        facts.offer_title(TitleRank::Given, "t");
        assert_eq!(facts.clone().joined(Facts::default()), facts);
        assert_eq!(Facts::default().joined(facts.clone()), facts);
    }
}
