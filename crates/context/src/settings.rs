//! Everything the parts are configured with, as plain data. Only the binary reads the environment.

mod hub;
mod notify;
mod retention;
mod summary;
mod sync;

pub use hub::HubSettings;
pub use notify::{NoticeSettings, Osc, WebhookUrl};
pub use retention::RetentionSettings;
pub use summary::SummarySettings;
pub use sync::SyncSettings;

use crate::devices::Devices;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, all, owners, remotes};
use taffrail_capture::{Home, homes, journal_homes};
use taffrail_model::facts::Projects;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_store::Boot;

/// Where things are and what time it is.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Our own data folder.
    pub data: PathBuf,
    /// Our own folder of the configuration.
    pub config: PathBuf,
    /// The folder of our sockets.
    pub runtime: PathBuf,
    /// The user's home.
    pub user_home: PathBuf,
    /// The environment, for the agents' own variables.
    pub variables: HashMap<String, String>,
    /// Homes the user added, by agent id.
    pub added_homes: HashMap<String, Vec<PathBuf>>,
    /// Projects that are not read.
    pub excluded: Vec<String>,
    /// What is kept.
    pub archive: ArchiveSettings,
    /// How long things are kept.
    pub retention: RetentionSettings,
    /// The user's own command for summaries.
    pub summary: SummarySettings,
    /// What the user is told, and where.
    pub notices: NoticeSettings,
    /// Changes with every start of the machine.
    pub boot_id: String,
    /// The name this device takes if it has none.
    pub new_device: DeviceId,
    /// The name of this machine.
    pub host: String,
    /// What devices are called.
    pub devices: Devices,
    /// What other devices are told.
    pub sync: SyncSettings,
    /// Where session files of the snapshot contract are; empty for the usual places.
    pub history_folders: Vec<PathBuf>,
    /// Projects whose requests are held although nobody sits at the agent.
    pub held_unattended: Vec<PathBuf>,
    /// Agents whose own servers are joined, by id.
    pub servers: Vec<String>,
    /// The hub between devices.
    pub hub: HubSettings,
    /// A daemon keeps the index up: what is asked is answered from it as it is.
    pub kept_up: bool,
    /// The clock.
    pub now: fn() -> Timestamp,
}

/// What the archive may keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveSettings {
    /// Copies are kept at all.
    pub enabled: bool,
    /// Projects nothing is kept of.
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
    /// The settings of a machine that is all below one folder, with nothing chosen. Callers replace
    /// what they choose.
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
            summary: SummarySettings::default(),
            notices: NoticeSettings::default(),
            boot_id: "boot".to_owned(),
            new_device: DeviceId::new("device"),
            host: "north".to_owned(),
            devices: Devices::default(),
            sync: SyncSettings::default(),
            history_folders: Vec::new(),
            held_unattended: Vec::new(),
            servers: Vec::new(),
            hub: HubSettings::default(),
            kept_up: false,
            now,
        }
    }

    /// Every agent's homes on this machine.
    #[must_use]
    pub fn homes(&self) -> Vec<Home> {
        let of = |adapter: &'static dyn Adapter| {
            let added = self.added_homes.get(adapter.descriptor().id);
            let added = added.map(Vec::as_slice).unwrap_or_default();
            homes(adapter, &self.user_home, &self.variables, added)
        };
        owners().flat_map(of).collect()
    }

    /// Every place events come from: the agents' homes, our journal, and what other devices sent.
    #[must_use]
    pub fn watched_homes(&self) -> Vec<Home> {
        let mut out = self.homes();
        out.extend(journal_homes(&self.data));
        // Before the first run there is no folder of ours.
        if let Ok(root) = self.data.canonicalize() {
            out.extend(remotes().map(|adapter| Home {
                adapter,
                root: root.clone(),
                journal: false,
            }));
        }
        out
    }

    /// What the writer needs to know of this start of the machine.
    #[must_use]
    pub fn boot(&self) -> Boot {
        let resumes = all().iter().filter(|it| it.resumes_by_id());
        let resumes = resumes.map(|it| it.descriptor().id.to_owned());
        Boot {
            id: self.boot_id.clone(),
            new_device: self.new_device.clone(),
            resumable: resumes.collect::<HashSet<_>>(),
        }
    }

    /// The projects the user does not want read.
    #[must_use]
    pub fn left_out(&self) -> Projects {
        Projects::new(&self.excluded)
    }
}
