//! The user's configuration file.

mod budgets;
mod error;
mod keys;
mod mcp;
mod notifications;
mod prices;
mod recall;
mod run;
mod search;
mod status;
mod sync;
mod web;

pub use budgets::BudgetConfig;
pub use error::ConfigError;
pub use keys::unknown as unknown_key;
pub use mcp::McpConfig;
pub use notifications::NotificationsConfig;
pub use prices::IMPORTED_PRICES;
pub use recall::RecallConfig;
pub use run::{Kilobytes, RunConfig};
pub use search::SearchConfig;
use serde::{Deserialize, Serialize};
pub use status::{Span, StatusConfig};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::net::SocketAddr;
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};
pub use sync::SyncConfig;
use taffrail_capture::JournalLimits;
use taffrail_context::{ArchiveSettings, HubSettings, RetentionSettings, SummarySettings};
use taffrail_model::budget::Budget;
use taffrail_prices::{ImportedTable, OwnPrice, Prices};
use taffrail_tui::ThemeChoice;
pub use web::WebConfig;

/// The file as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Projects that are not captured.
    pub exclude: Vec<String>,
    /// What to keep when an agent deletes its files.
    pub archive: ArchiveConfig,
    /// How long to keep data.
    pub retention: RetentionConfig,
    /// Agents' own telemetry.
    pub otel: OtelConfig,
    /// When silence changes a status.
    pub status: StatusConfig,
    /// What to keep of terminals under `taffrail run`.
    pub run: RunConfig,
    /// How to summarize sessions.
    pub summary: SummaryConfig,
    /// The sources of snapshots.
    pub snapshots: SnapshotConfig,
    /// How to answer requests for approval.
    pub approvals: ApprovalsConfig,
    /// Who may act.
    pub control: ControlConfig,
    /// What to notify the user about.
    pub notifications: NotificationsConfig,
    /// How browsers reach the pages.
    pub web: WebConfig,
    /// The hub between devices.
    pub hub: HubConfig,
    /// What to publish to other devices.
    pub sync: SyncConfig,
    /// What agents may see through MCP.
    pub mcp: McpConfig,
    /// Which prompts Taffrail queues by itself.
    pub queue: QueueConfig,
    /// Which text agents get unasked.
    pub recall: RecallConfig,
    /// What search finds.
    pub search: SearchConfig,
    /// The look of the board.
    pub board: BoardConfig,
    /// Settings by agent id.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The user's own prices of models.
    #[serde(deserialize_with = "prices::distinct", skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<OwnPrice>,
    /// How much work may cost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<BudgetConfig>,
}

/// The settings of the board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardConfig {
    /// The colours of the board.
    pub theme: ThemeChoice,
}

/// The settings of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArchiveConfig {
    /// Whether to keep copies at all.
    pub enabled: bool,
    /// Projects without copies.
    pub exclude: Vec<String>,
    /// The size limit in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap_mb: Option<u64>,
}

impl Default for ArchiveConfig {
    fn default() -> Self {
        Self { enabled: true, exclude: Vec::new(), cap_mb: None }
    }
}

/// For how many days to keep data; an unset value keeps it forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionConfig {
    /// Sessions in the index and the search index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_days: Option<u32>,
    /// Copies in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_days: Option<u32>,
    /// For how many days to keep reports of hooks and probes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_days: Option<u32>,
    /// The size limit of those reports in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_mb: Option<u32>,
}

/// The settings of telemetry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OtelConfig {
    /// The loopback address where the daemon receives telemetry; unset for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
}

/// The settings of summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SummaryConfig {
    /// How many of the latest turns a summary looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<NonZeroU8>,
    /// A program and its arguments that may improve the wording of a summary.
    pub command: Vec<String>,
}

/// The settings of snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotConfig {
    /// Where to look for session files, instead of the default places.
    pub history_folders: Vec<String>,
}

/// The settings of approvals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// Projects whose requests are held although nobody is at the agent.
    pub unattended: Vec<String>,
}

/// The settings of prompts that Taffrail queues by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueConfig {
    /// Projects whose sessions go on at the reset of the limit that stopped them.
    pub at_reset: Vec<String>,
}

/// The settings of who may act.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlConfig {
    /// Scripts without a terminal may decide like a person. The daemon reads this on every use.
    pub scripts: bool,
}

/// The settings of the hub between devices; `taffrail hub use` writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HubConfig {
    /// The address of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file with the credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
    /// The address of another place for segments and bundles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blobs: Option<String>,
    /// A file with the credentials for that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_credentials: Option<String>,
    /// How many days the hub keeps data; unset for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<NonZeroU32>,
    /// How many megabytes of the team the hub keeps; unset for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_mb: Option<NonZeroU32>,
}

/// The settings of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// Additional homes.
    pub homes: Vec<String>,
    /// Whether to join the agent's own server.
    pub server: bool,
}

/// Reads a file that belongs to the user: a file that others can write could make us run their
/// programs.
fn own_text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    taffrail_capture::open_own(path)?.read_to_string(&mut text)?;
    Ok(text)
}

impl Config {
    /// Reads the file; a missing file sets nothing.
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

    /// The settings of the archive.
    #[must_use]
    pub fn archive(&self) -> ArchiveSettings {
        let ArchiveConfig { enabled, exclude, cap_mb } = self.archive.clone();
        let cap = cap_mb.map(|it| it.saturating_mul(1_000_000));
        ArchiveSettings { enabled, excluded: exclude, cap }
    }

    /// How long to keep data.
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

    /// How to summarize sessions; `~` means the user's home.
    #[must_use]
    pub fn summary(&self, user_home: &Path, draw: fn() -> String) -> SummarySettings {
        let mut command = self.summary.command.clone();
        if let Some(program) = command.first_mut() {
            *program = at_home(user_home, program).to_string_lossy().into_owned();
        }
        let usual = SummarySettings::default();
        let turns = self.summary.turns.map_or(usual.turns, |it| usize::from(it.get()));
        SummarySettings { turns, command, draw, ..usual }
    }

    /// The additional homes as paths; `~` means the user's home.
    #[must_use]
    pub fn homes(&self, user_home: &Path) -> HashMap<String, Vec<PathBuf>> {
        let path = |text: &String| at_home(user_home, text);
        let agents = self.agents.iter();
        agents.map(|(id, it)| (id.clone(), it.homes.iter().map(path).collect())).collect()
    }

    /// Agents whose own servers to join.
    #[must_use]
    pub fn servers(&self) -> Vec<String> {
        self.agents.iter().filter(|(_, it)| it.server).map(|(id, _)| id.clone()).collect()
    }

    /// The hub between devices.
    #[must_use]
    pub fn hub(&self, user_home: &Path) -> HubSettings {
        let file = |it: &Option<String>| it.as_deref().map(|it| at_home(user_home, it));
        HubSettings {
            url: self.hub.url.clone(),
            credentials: file(&self.hub.credentials),
            blobs: self.hub.blobs.clone(),
            blob_credentials: file(&self.hub.blob_credentials),
            keep_days: self.hub.keep_days,
            keep_bytes: self.hub.keep_mb.map(|it| u64::from(it.get()) * 1_000_000),
            ..HubSettings::default()
        }
    }

    /// Projects whose requests are held although nobody is at the agent.
    #[must_use]
    pub fn held_unattended(&self, user_home: &Path) -> Vec<PathBuf> {
        self.approvals.unattended.iter().map(|it| at_home(user_home, it)).collect()
    }

    /// Projects whose sessions go on at the reset of the limit that stopped them.
    #[must_use]
    pub fn go_on_at_reset(&self, user_home: &Path) -> Vec<PathBuf> {
        self.queue.at_reset.iter().map(|it| at_home(user_home, it)).collect()
    }

    /// The budgets.
    #[must_use]
    pub fn budgets(&self, user_home: &Path) -> Vec<Budget> {
        self.budgets.iter().map(|it| it.settings(user_home)).collect()
    }

    /// The prices of models; an imported table is in our data folder.
    #[must_use]
    pub fn prices(&self, data: &Path) -> Prices {
        let imported = match own_text(&data.join(IMPORTED_PRICES)) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            // A table that is damaged, or that others may write, is not whole and has no prices.
            Err(_) => Some(String::new()),
        };
        Prices::new(self.prices.clone(), imported.map(ImportedTable::new))
    }

    /// Where to look for session files.
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

/// The text of the file with one value set; everything else stays as written.
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

/// The text of the file without one value or table; everything else stays as written.
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
    fn what_a_hub_keeps_is_a_number_of_days_and_megabytes() {
        let text = with_value("", "hub.keep_days", "30").unwrap();
        let text = with_value(&text, "hub.keep_mb", "5").unwrap();
        let hub = Config::parse(&text, Path::new("x")).unwrap().hub(Path::new("/h"));
        assert_eq!(
            (hub.keep_days.map(NonZeroU32::get), hub.keep_bytes),
            (Some(30), Some(5_000_000))
        );
        for (key, odd) in [("hub.keep_days", "0"), ("hub.keep_days", "-1"), ("hub.keep_mb", "x")] {
            assert!(with_value("", key, odd).is_err(), "{key} {odd}");
        }
    }

    #[test]
    fn a_key_nobody_knows_is_refused() {
        assert!(with_value("", "colour", "red").is_err());
        assert!(with_value("exclude = []", "exclude.x", "1").is_err());
        assert!(Config::parse("excluded = []", Path::new("x")).is_err());
    }
}
