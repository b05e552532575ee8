//! The facts of a session, as one device publishes them to others.

use crate::hash::Digest16;
use crate::{AgentId, Facts, Imported, RuntimeIdentity, SessionId, Timestamp, Title};
use serde::{Deserialize, Serialize};

/// A session as its agent knows it, without derived ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The agent.
    pub agent: AgentId,
    /// The scope within which the id is unique.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The agent's own id.
    pub id: String,
}

impl Name {
    /// The name of a session.
    #[must_use]
    pub fn of(who: &RuntimeIdentity) -> Self {
        let id = who.id.as_str().to_owned();
        Self { agent: who.agent.clone(), scope: who.scope.clone(), id }
    }

    /// The runtime identity: the session id is computed, never taken from the sender.
    #[must_use]
    pub fn meant(self) -> RuntimeIdentity {
        RuntimeIdentity::new(self.agent, self.scope, self.id)
    }
}

/// The facts of a session that one device publishes to others. Processes and files are omitted:
/// they mean nothing on another device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelayedFacts {
    /// The best title so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// The project: its path, or its name alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The branch last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent program's version last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How the agent was started, in its own terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
    /// When the agent says the session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// The cost the agent reports, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<i64>,
    /// The parent session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Name>,
    /// The session that the agent names as the origin of a fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Name>,
    /// The session whose handoff brief started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_from: Option<SessionId>,
    /// The hash of the first record a copy would share.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::hash::maybe_hex")]
    pub first_record: Option<Digest16>,
    /// The earliest record of a kind that copies omit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncopied_since: Option<Timestamp>,
    /// The status in the document, if the session is an imported one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

impl RelayedFacts {
    /// The publishable part of the facts.
    #[must_use]
    pub fn of(facts: &Facts) -> Self {
        Self {
            title: facts.title.clone(),
            project: facts.project_path.clone(),
            branch: facts.git_branch.clone(),
            model: facts.model.clone(),
            version: facts.agent_version.clone(),
            entrypoint: facts.entrypoint.clone(),
            started: facts.started_at,
            cost_microdollars: facts.cost_microdollars,
            parent: facts.parent.as_ref().map(Name::of),
            forked_from: facts.forked_from.as_ref().map(Name::of),
            handed_from: facts.handed_from,
            first_record: facts.first_record,
            uncopied_since: facts.uncopied_since,
            imported: facts.imported.clone(),
        }
    }

    /// The facts in their local form.
    #[must_use]
    pub fn meant(self) -> Facts {
        Facts {
            title: self.title,
            project_path: self.project,
            git_branch: self.branch,
            model: self.model,
            agent_version: self.version,
            // Only the agent itself uses it.
            slug: None,
            entrypoint: self.entrypoint,
            started_at: self.started,
            cost_microdollars: self.cost_microdollars,
            parent: self.parent.map(Name::meant),
            forked_from: self.forked_from.map(Name::meant),
            handed_from: self.handed_from,
            first_record: self.first_record,
            uncopied_since: self.uncopied_since,
            imported: self.imported,
            process: None,
            base: None,
        }
    }
}
