//! The manifest of a bundle, and its validation.

use super::path::check_paths;
use super::{MOST_BYTES, MOST_ENTRIES, Refused};
use crate::bytes::{Digest, TeamId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use taffrail_model::{AgentId, DeviceId, RuntimeSessionId, SessionId, Timestamp};

/// The version of bundles that this program writes and reads.
pub(super) const FORMAT: u8 = 1;

/// The subject of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The session.
    pub session: SessionId,
    /// The session as its agent knows it.
    pub runtime_session: RuntimeSessionId,
    /// The agent.
    pub agent: AgentId,
    /// The project's name, not its path.
    pub project: String,
    /// Whether known secrets were redacted.
    pub redacted: bool,
    /// The state of the project's repository, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitFacts>,
    /// When it was made.
    pub made_at: Timestamp,
    /// The devices it is for.
    pub to: Vec<DeviceId>,
}

/// The state of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFacts {
    /// The URL of its remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The branch, if one was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether there were uncommitted changes.
    pub dirty: bool,
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The session's history, as its agent wrote it.
    Source,
    /// A sub-agent's history.
    Worker,
    /// Text that an agent stored beside its history.
    Spill,
    /// The session's state, in the form of its contract.
    State,
    /// Which entry is which file of the agent or the project.
    Places,
    /// The session's events: their ids, or their content if the history itself is not included.
    Events,
    /// The binding.
    Binding,
    /// The session's lineage.
    Lineage,
    /// The ledger's data about the session.
    Ledger,
    /// Facts about the repository.
    Git,
    /// Uncommitted changes.
    Patch,
    /// A plan.
    Plan,
    /// A kind of a later version.
    Unknown(String),
}

const KINDS: [(&str, Kind); 12] = [
    ("source", Kind::Source),
    ("worker", Kind::Worker),
    ("spill", Kind::Spill),
    ("state", Kind::State),
    ("places", Kind::Places),
    ("events", Kind::Events),
    ("binding", Kind::Binding),
    ("lineage", Kind::Lineage),
    ("ledger", Kind::Ledger),
    ("git", Kind::Git),
    ("patch", Kind::Patch),
    ("plan", Kind::Plan),
];

impl Kind {
    /// The word in the manifest.
    #[must_use]
    pub fn as_str(&self) -> &str {
        if let Self::Unknown(word) = self {
            return word;
        }
        let known = KINDS.iter().find(|(_, kind)| kind == self);
        known.map_or("", |(word, _)| *word)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        let known = KINDS.iter().find(|(known, _)| *known == word);
        Ok(known.map_or(Self::Unknown(word), |(_, kind)| kind.clone()))
    }
}

/// One entry, as the manifest lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The path, below a folder of its own.
    pub path: String,
    /// The kind.
    pub kind: Kind,
    /// The number of bytes.
    pub length: u64,
    /// The hash of the bytes.
    pub blake3: Digest,
}

/// The content of a bundle, and its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub format: u8,
    /// The team.
    pub team: TeamId,
    /// The device that made and signed it.
    pub made_by: DeviceId,
    /// The subject.
    #[serde(flatten)]
    pub about: About,
    /// The entries, in the order of their bytes.
    pub entries: Vec<Listed>,
}

impl Manifest {
    /// Refuses a forbidden manifest before anything is unpacked.
    pub(super) fn check(&self) -> Result<(), Refused> {
        if self.format != FORMAT {
            return Err(Refused::Newer { version: self.format });
        }
        if self.entries.len() > MOST_ENTRIES {
            return Err(Refused::TooMany);
        }
        let mut lengths = self.entries.iter().map(|entry| entry.length);
        let total = lengths.try_fold(0_u64, u64::checked_add);
        if total.is_none_or(|total| total > MOST_BYTES) {
            return Err(Refused::TooLarge);
        }
        let paths = self.entries.iter().map(|entry| entry.path.as_str());
        check_paths(paths).map_err(|(path, why)| Refused::Path { path, why })
    }
}
