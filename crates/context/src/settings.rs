//! All configuration, as plain data. Only the binary reads the environment.

mod hub;
mod notify;
mod phone;
mod retention;
mod run;
mod status;
mod summary;
mod sync;

pub use hub::{Followed, HubSettings};
pub use notify::{NoticeSettings, Osc, WebhookFormat, WebhookUrl};
pub use phone::{
    NtfyTopic, PublicUrl, TelegramApi, TelegramChat, TelegramSettings, secure as secure_url,
};
pub use retention::RetentionSettings;
pub use run::RunSettings;
pub use status::StatusSettings;
pub use summary::SummarySettings;
pub use sync::SyncSettings;

use crate::devices::Devices;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_adapters::{Adapter, all, owners, remotes};
use taffrail_capture::{Home, homes, journal_homes};
use taffrail_model::budget::Budget;
use taffrail_model::facts::Projects;
use taffrail_model::{Ahead, DeviceId, Timestamp};
use taffrail_prices::{Prices, Spent};
use taffrail_store::search::Meaning;
use taffrail_store::{Boot, IndexReader, Pricing};

/// All configuration, and the clock.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Our data folder.
    pub data: PathBuf,
    /// Our configuration folder.
    pub config: PathBuf,
    /// The folder of our sockets.
    pub runtime: PathBuf,
    /// The user's home.
    pub user_home: PathBuf,
    /// The environment, for the agents' own variables.
    pub variables: HashMap<String, String>,
    /// Additional homes, by agent id.
    pub added_homes: HashMap<String, Vec<PathBuf>>,
    /// Projects that are not read.
    pub excluded: Vec<String>,
    /// What the archive may hold.
    pub archive: ArchiveSettings,
    /// How long data is kept.
    pub retention: RetentionSettings,
    /// How much output of our terminals is kept.
    pub run: RunSettings,
    /// How summaries are made.
    pub summary: SummarySettings,
    /// How long silences last before they change a status.
    pub status: StatusSettings,
    /// Which notifications the user gets, and on which channels.
    pub notices: NoticeSettings,
    /// The address of the user's own tunnel to the pages.
    pub public_url: Option<PublicUrl>,
    /// Changes with every boot.
    pub boot_id: String,
    /// The id for this device if it has none yet.
    pub new_device: DeviceId,
    /// The name of this machine.
    pub host: String,
    /// The names of devices.
    pub devices: Devices,
    /// What this device publishes to other devices.
    pub sync: SyncSettings,
    /// The folders of session files of the snapshot contract; empty for the default ones.
    pub history_folders: Vec<PathBuf>,
    /// Projects whose requests are held although no user is at the agent.
    pub held_unattended: Vec<PathBuf>,
    /// Projects whose sessions go on at the reset of the limit that stopped them.
    pub go_on_at_reset: Vec<PathBuf>,
    /// Agents whose own servers Taffrail joins, by id.
    pub servers: Vec<String>,
    /// The hub between devices.
    pub hub: HubSettings,
    /// What models cost.
    pub prices: Arc<Prices>,
    /// How much work may cost.
    pub budgets: Vec<Budget>,
    /// Whether search also finds similar meanings.
    pub meaning: Meaning,
    /// The user's UTC offset.
    pub ahead: fn() -> Ahead,
    /// A daemon keeps the index up to date: queries read it without catching up.
    pub kept_up: bool,
    /// The clock.
    pub now: fn() -> Timestamp,
}

/// What the archive may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveSettings {
    /// The archive is enabled.
    pub enabled: bool,
    /// Projects that are not archived.
    pub excluded: Vec<String>,
    /// The most bytes on disk; `None` for the smaller of 10 GB and a twentieth of the disk.
    pub cap: Option<u64>,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        Self { enabled: true, excluded: Vec::new(), cap: None }
    }
}

impl Settings {
    /// Default settings with everything below one folder. Callers override what they need.
    #[must_use]
    pub fn in_folder(folder: &Path, now: fn() -> Timestamp) -> Self {
        Self {
            data: folder.join("data"),
            config: folder.join("config"),
            runtime: folder.join("runtime"),
            user_home: folder.join("home"),
            variables: HashMap::new(),
            added_homes: HashMap::new(),
            excluded: Vec::new(),
            archive: ArchiveSettings::default(),
            retention: RetentionSettings::default(),
            run: RunSettings::default(),
            summary: SummarySettings::default(),
            status: StatusSettings::default(),
            notices: NoticeSettings::default(),
            public_url: None,
            boot_id: "boot".to_owned(),
            new_device: DeviceId::new("device"),
            host: "north".to_owned(),
            devices: Devices::default(),
            sync: SyncSettings::default(),
            history_folders: Vec::new(),
            held_unattended: Vec::new(),
            go_on_at_reset: Vec::new(),
            servers: Vec::new(),
            hub: HubSettings::default(),
            prices: Arc::default(),
            budgets: Vec::new(),
            meaning: Meaning::default(),
            ahead: Ahead::default,
            kept_up: false,
            now,
        }
    }

    /// Every agent's homes on this machine, also those in known projects.
    #[must_use]
    pub fn homes(&self) -> Vec<Home> {
        let index = IndexReader::open(&self.data).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot look for history in projects");
            None
        });
        self.homes_in(index.as_ref())
    }

    fn homes_in(&self, index: Option<&IndexReader>) -> Vec<Home> {
        let mut out = self.usual_homes();
        let Some(index) = index else { return out };
        for adapter in owners().filter(|it| it.descriptor().in_projects) {
            out.extend(project_homes(adapter, index));
        }
        out
    }

    /// Every agent's homes at their usual or named places.
    #[must_use]
    pub fn usual_homes(&self) -> Vec<Home> {
        let of = |adapter: &'static dyn Adapter| {
            let added = self.added_homes.get(adapter.descriptor().id);
            let added = added.map(Vec::as_slice).unwrap_or_default();
            homes(adapter, &self.user_home, &self.variables, added)
        };
        owners().flat_map(of).collect()
    }

    /// Every place that events come from: the agents' homes, our journal, and items of other
    /// devices.
    #[must_use]
    pub fn watched_homes(&self) -> Vec<Home> {
        self.with_ours(self.homes())
    }

    /// The same with the projects that this index knows.
    #[must_use]
    pub fn watched_homes_in(&self, index: &IndexReader) -> Vec<Home> {
        self.with_ours(self.homes_in(Some(index)))
    }

    /// Where there may be history in the projects that this index knows, whether it is there or not.
    #[must_use]
    pub fn places_in_projects(&self, index: &IndexReader) -> Vec<PathBuf> {
        let of = |adapter: &'static dyn Adapter| {
            let roots = adapter.descriptor().roots;
            let folders = project_folders(adapter, index).into_iter();
            folders.flat_map(move |folder| roots.iter().map(move |root| folder.join(root)))
        };
        owners().filter(|it| it.descriptor().in_projects).flat_map(of).collect()
    }

    /// The same without looking into projects, which asks the index for the latest sessions.
    #[must_use]
    pub fn watched_outside_projects(&self) -> Vec<Home> {
        self.with_ours(self.usual_homes())
    }

    fn with_ours(&self, mut out: Vec<Home>) -> Vec<Home> {
        out.extend(journal_homes(&self.data));
        // Before the first run the data folder does not exist.
        if let Ok(root) = self.data.canonicalize() {
            out.extend(remotes().map(|adapter| Home {
                adapter,
                root: root.clone(),
                journal: false,
            }));
        }
        out
    }

    /// The writer's view of this machine.
    #[must_use]
    pub fn boot(&self) -> Boot {
        let resumes = all().iter().filter(|it| it.resumes_by_id());
        let resumes = resumes.map(|it| it.descriptor().id.to_owned());
        let inclusive = all().iter().filter(|it| it.bills_workers());
        let inclusive = inclusive.map(|it| it.descriptor().id.to_owned());
        Boot {
            id: self.boot_id.clone(),
            new_device: self.new_device.clone(),
            resumable: resumes.collect::<HashSet<_>>(),
            reports_with_workers: inclusive.collect(),
            pricing: self.pricing(),
        }
    }

    /// The prices of model answers for the index. The price of an answer depends on its time.
    fn pricing(&self) -> Pricing {
        let prices = Arc::clone(&self.prices);
        Pricing::new(prices.stamp(), move |usage| {
            let (model, at) = (usage.model.as_deref()?, usage.at?);
            let (tokens, cache_write_1h) = (usage.tokens, usage.cache_write_1h);
            prices.cost(&Spent { model, at, tokens, cache_write_1h })
        })
    }

    /// Whether copies of a project's texts may be kept on this device.
    #[must_use]
    pub fn keeps_copies_of(&self, project: &str) -> bool {
        self.archive.enabled && !Projects::new(&self.archive.excluded).holds(project)
    }

    /// The projects that the user excluded.
    #[must_use]
    pub fn left_out(&self) -> Projects {
        Projects::new(&self.excluded)
    }
}

/// The known projects in which an agent has history.
fn project_homes(adapter: &'static dyn Adapter, index: &IndexReader) -> Vec<Home> {
    let it = adapter.descriptor();
    let has_history = |folder: &PathBuf| it.roots.iter().any(|root| folder.join(root).exists());
    let folders = project_folders(adapter, index).into_iter().filter(has_history);
    // A project that was removed meanwhile has no history.
    let real = folders.filter_map(|it| it.canonicalize().ok());
    real.map(|root| Home { adapter, root, journal: false }).collect()
}

/// The folders of the known projects in which an agent may have history.
fn project_folders(adapter: &'static dyn Adapter, index: &IndexReader) -> Vec<PathBuf> {
    let agent = adapter.descriptor().id;
    let folders = index.project_folders(agent).unwrap_or_else(|error| {
        tracing::warn!(%error, agent, "cannot look for history in projects");
        Vec::new()
    });
    folders.into_iter().map(PathBuf::from).collect()
}
