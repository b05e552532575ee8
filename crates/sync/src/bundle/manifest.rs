//! What a bundle says of itself, and what it must not say.

use super::path::check_paths;
use super::{MOST_BYTES, MOST_ENTRIES, Refused};
use crate::bytes::{Digest, TeamId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use taffrail_model::{AgentId, DeviceId, RuntimeSessionId, SessionId, Timestamp};

/// The version of bundles this program writes and reads.
pub(super) const FORMAT: u8 = 1;

/// What a bundle is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The session it carries.
    pub session: SessionId,
    /// The session as its agent knows it.
    pub runtime_session: RuntimeSessionId,
    /// The agent.
    pub agent: AgentId,
    /// The project's name, not its path.
    pub project: String,
    /// Known secrets were taken out.
    pub redacted: bool,
    /// How the project's repository stood, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitFacts>,
    /// When it was made.
    pub made_at: Timestamp,
    /// Which devices it is for.
    pub to: Vec<DeviceId>,
}

/// How a repository stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFacts {
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The branch, if one was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Something was not committed.
    pub dirty: bool,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The session's history, as its agent wrote it.
    Source,
    /// A worker's history.
    Worker,
    /// Text an agent put beside its history.
    Spill,
    /// The session's state, as its contract has it.
    State,
    /// Which entry is which file of the agent's, and of the project's.
    Places,
    /// The session's events: their ids, or what they say where the history itself is not carried.
    Events,
    /// The binding.
    Binding,
    /// How the session descends.
    Lineage,
    /// What the ledger holds of it.
    Ledger,
    /// Facts of the repository.
    Git,
    /// What was not committed.
    Patch,
    /// A plan.
    Plan,
    /// Something a later version knows.
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
    /// Its word in the manifest.
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
    /// Where it goes, below a folder of its own.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// How many bytes it has.
    pub length: u64,
    /// Their hash.
    pub blake3: Digest,
}

/// What a bundle holds, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of its form.
    pub format: u8,
    /// The team it stays in.
    pub team: TeamId,
    /// The device that made and signed it.
    pub made_by: DeviceId,
    /// What it is about.
    #[serde(flatten)]
    pub about: About,
    /// Its entries, in the order of their bytes.
    pub entries: Vec<Listed>,
}

impl Manifest {
    /// Refuses what must not be unpacked, before anything is.
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
