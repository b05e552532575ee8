//! The user's configuration file.

mod error;
mod keys;
mod notifications;
mod sync;

pub use error::ConfigError;
pub use keys::unknown as unknown_key;
pub use notifications::NotificationsConfig;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
pub use sync::SyncConfig;
use taffrail_capture::JournalLimits;
use taffrail_context::{ArchiveSettings, HubSettings, RetentionSettings, SummarySettings};
use taffrail_tui::ThemeChoice;

/// As it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Projects that are not read.
    pub exclude: Vec<String>,
    /// What is kept when an agent deletes its files.
    pub archive: ArchiveConfig,
    /// How long things are kept.
    pub retention: RetentionConfig,
    /// Agents' own telemetry.
    pub otel: OtelConfig,
    /// How sessions are summed up.
    pub summary: SummaryConfig,
    /// What snapshots are taken of.
    pub snapshots: SnapshotConfig,
    /// How requests for approval are answered.
    pub approvals: ApprovalsConfig,
    /// Who may act.
    pub control: ControlConfig,
    /// What you are told without asking.
    pub notifications: NotificationsConfig,
    /// The hub between devices.
    pub hub: HubConfig,
    /// What other devices are told.
    pub sync: SyncConfig,
    /// How the board looks.
    pub board: BoardConfig,
    /// By agent id.
    pub agents: BTreeMap<String, AgentConfig>,
}

/// What can be set for the board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardConfig {
    /// Its colours.
    pub theme: ThemeChoice,
}

/// What can be set for the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArchiveConfig {
    /// Copies are kept at all.
    pub enabled: bool,
    /// Projects nothing is kept of.
    pub exclude: Vec<String>,
    /// The most it may take, in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_mb: Option<u64>,
}

impl Default for ArchiveConfig {
    fn default() -> Self {
        Self { enabled: true, exclude: Vec::new(), cap_mb: None }
    }
}

/// For how many days things are kept; what is not set is kept for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionConfig {
    /// Sessions in index and search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_days: Option<u32>,
    /// Copies in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_days: Option<u32>,
    /// For how many days what hooks and probes said is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_days: Option<u32>,
    /// The most megabytes of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_mb: Option<u32>,
}

/// What can be set for telemetry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OtelConfig {
    /// The loopback address the daemon receives it at; without one it receives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
}

/// What can be set for summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SummaryConfig {
    /// A program and its words that may put a summary into better ones.
    pub command: Vec<String>,
}

/// What can be set for snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotConfig {
    /// Where session files are looked for, instead of the usual places.
    pub history_folders: Vec<String>,
}

/// What can be set for approvals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// Projects whose requests are held although nobody sits at the agent.
    pub unattended: Vec<String>,
}

/// What can be set for who may act.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlConfig {
    /// Scripts without a terminal may decide as a person may. The daemon reads it when it matters.
    pub scripts: bool,
}

/// What can be set for the hub between devices; `taffrail hub use` sets it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HubConfig {
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file with what lets us in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

/// What can be set for one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// More homes to look in.
    pub homes: Vec<String>,
    /// The agent's own server is joined.
    pub server: bool,
}

/// The text of a file of the user's own: what others may write could have programs of theirs run.
fn own_text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    taffrail_capture::open_own(path)?.read_to_string(&mut text)?;
    Ok(text)
}

impl Config {
    /// Reads the file; one that is not there sets nothing.
    ///
    /// # Errors
    /// When the file cannot be read, or has a key or a value that is not valid.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        match own_text(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::Unreadable { path: path.to_owned(), error }),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let message = format!("{}: {}", path.display(), error.message());
            ConfigError::invalid(message, "docs/config.md lists every key")
        })
    }

    /// What the archive may keep.
    #[must_use]
    pub fn archive(&self) -> ArchiveSettings {
        let ArchiveConfig { enabled, exclude, cap_mb } = self.archive.clone();
        let cap = cap_mb.map(|it| it.saturating_mul(1_000_000));
        ArchiveSettings { enabled, excluded: exclude, cap }
    }

    /// How long things are kept.
    #[must_use]
    pub fn retention(&self) -> RetentionSettings {
        let RetentionConfig { index_days, archive_days, journal_days, journal_mb } = self.retention;
        let usual = JournalLimits::default();
        let journal = JournalLimits {
            days: journal_days.unwrap_or(usual.days),
            bytes: journal_mb.map_or(usual.bytes, |it| u64::from(it) * 1024 * 1024),
        };
        RetentionSettings { index_days, archive_days, journal }
    }

    /// How sessions are summed up; `~` stands for the user's home.
    #[must_use]
    pub fn summary(&self, user_home: &Path, draw: fn() -> String) -> SummarySettings {
        let mut command = self.summary.command.clone();
        if let Some(program) = command.first_mut() {
            *program = at_home(user_home, program).to_string_lossy().into_owned();
        }
        SummarySettings { command, draw, ..SummarySettings::default() }
    }

    /// The added homes as paths; `~` stands for the user's home.
    #[must_use]
    pub fn homes(&self, user_home: &Path) -> HashMap<String, Vec<PathBuf>> {
        let path = |text: &String| at_home(user_home, text);
        let agents = self.agents.iter();
        agents.map(|(id, it)| (id.clone(), it.homes.iter().map(path).collect())).collect()
    }

    /// Agents whose own servers are joined.
    #[must_use]
    pub fn servers(&self) -> Vec<String> {
        self.agents.iter().filter(|(_, it)| it.server).map(|(id, _)| id.clone()).collect()
    }

    /// The hub between devices.
    #[must_use]
    pub fn hub(&self, user_home: &Path) -> HubSettings {
        let credentials = self.hub.credentials.as_deref().map(|it| at_home(user_home, it));
        HubSettings { url: self.hub.url.clone(), credentials, draw: None }
    }

    /// Projects whose requests are held although nobody sits at the agent.
    #[must_use]
    pub fn held_unattended(&self, user_home: &Path) -> Vec<PathBuf> {
        self.approvals.unattended.iter().map(|it| at_home(user_home, it)).collect()
    }

    /// Where session files are looked for.
    #[must_use]
    pub fn history_folders(&self, user_home: &Path) -> Vec<PathBuf> {
        self.snapshots.history_folders.iter().map(|it| at_home(user_home, it)).collect()
    }
}

fn at_home(user_home: &Path, text: &str) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(below) => user_home.join(below),
        None => PathBuf::from(text),
    }
}

/// The same file with one value set, everything else left as it was written.
///
/// # Errors
/// When the file, the key or the value is not valid.
pub fn with_value(text: &str, key: &str, value: &str) -> Result<String, ConfigError> {
    let fault = |message: String| ConfigError::invalid(message, "see `taffrail config --help`");
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| fault(error.to_string()))?;
    let parsed = value.parse::<toml_edit::Value>();
    let value = parsed.unwrap_or_else(|_| toml_edit::Value::from(value));
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut table = document.as_table_mut();
    for part in parts {
        let next = table.entry(part).or_insert_with(|| {
            let mut table = toml_edit::Table::new();
            table.set_implicit(true);
            toml_edit::Item::Table(table)
        });
        table = next.as_table_mut().ok_or_else(|| fault(format!("`{part}` is not a table")))?;
    }
    table.insert(last, toml_edit::Item::Value(value));
    let text = document.to_string();
    let parsed = Config::parse(&text, Path::new("the new configuration"));
    parsed.map_err(|error| unknown_key(key).unwrap_or(error))?;
    Ok(text)
}

/// The same file without one value or table, everything else left as it was written.
///
/// # Errors
/// When the file is not valid.
pub fn without_value(text: &str, key: &str) -> Result<String, ConfigError> {
    let fault = |error: toml_edit::TomlError| {
        ConfigError::invalid(error.to_string(), "fix the file by hand first")
    };
    let mut document: toml_edit::DocumentMut = text.parse().map_err(fault)?;
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let table = parts.iter().try_fold(document.as_table_mut(), |table, part| {
        table.get_mut(part).and_then(toml_edit::Item::as_table_mut)
    });
    if let Some(table) = table {
        table.remove(last);
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_set_and_the_rest_is_left_as_written() {
        let before = "# mine\nexclude = [ \"/a\" ] # yes\n";
        let after = with_value(before, "agents.x.homes", r#"["~/b"]"#).unwrap();
        assert!(after.starts_with(before), "{after}");
        let config = Config::parse(&after, Path::new("x")).unwrap();
        assert_eq!(config.homes(Path::new("/h"))["x"], vec![PathBuf::from("/h/b")]);
    }

    #[test]
    fn a_command_is_a_list_of_words() {
        let text = with_value("", "summary.command", r#"["~/bin/sum", "~/x"]"#).unwrap();
        let config = Config::parse(&text, Path::new("x")).unwrap();
        let settings = config.summary(Path::new("/h"), String::new);
        assert_eq!(settings.command, ["/h/bin/sum", "~/x"]);
        assert!(with_value("", "summary.command", "sum").is_err());
    }

    #[test]
    fn a_value_is_taken_out_and_the_rest_is_left_as_written() {
        let before = "# mine\nexclude = [ \"/a\" ] # yes\n\n[hub]\nurl = \"x\"\n";
        let check = |key: &str, expected: &str| {
            assert_eq!(without_value(before, key).unwrap(), expected, "{key}");
        };
        check("hub", "# mine\nexclude = [ \"/a\" ] # yes\n");
        check("hub.url", "# mine\nexclude = [ \"/a\" ] # yes\n\n[hub]\n");
        check("hub.none", before);
        check("none.url", before);
    }

    #[test]
    fn a_key_nobody_knows_is_refused() {
        assert!(with_value("", "colour", "red").is_err());
        assert!(with_value("exclude = []", "exclude.x", "1").is_err());
        assert!(Config::parse("excluded = []", Path::new("x")).is_err());
    }
}
