//! The environment of the process: the only crate that reads the environment, the clock and random
//! bytes.
#![expect(clippy::disallowed_methods, reason = "this is the crate the lint points to")]

mod folders;
mod program;
mod random;
mod system;
mod zone;

pub use folders::{config_folder, data_folder, state_folder, user_home, variable};
pub use program::{arguments, close_memory, own_path, program};
pub use random::{drawn, nonce, secret};

use folders::{DATA, OURS, STATE, home, variables};
use jiff::tz::TimeZone;
use random::{draw, new_device};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_config::Config;
use taffrail_context::{Devices, HubSettings, NoticeSettings, Settings, add_own_agents};
use taffrail_devices::device_names;
use taffrail_model::{Ahead, Timestamp};
use taffrail_tui::pager::Pager;
use taffrail_tui::when::Clock;
use zone::zone;

/// Why the process cannot know its surroundings.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// `HOME` is missing.
    #[error("HOME is not set, so there is nowhere to look")]
    NoHome,
    /// `HOME` is a relative path.
    #[error("HOME must be an absolute path")]
    RelativeHome,
    /// The system does not say where this program is.
    #[error("the path of this program is unknown: {0}")]
    NoProgram(#[source] std::io::Error),
    /// The system gives no random bytes.
    #[error("cannot read random bytes from the system: {0}")]
    NoRandomness(#[source] std::io::Error),
}

/// What the process was started with.
#[derive(Debug)]
pub struct Env {
    /// The variables that are text.
    pub variables: HashMap<String, String>,
    /// The user's home.
    pub user_home: PathBuf,
    /// The current folder; empty if the process has none.
    pub here: PathBuf,
    /// The reader's time zone: `TZ`, else the system's, else UTC.
    pub zone: TimeZone,
}

impl Env {
    /// Reads the environment once.
    ///
    /// # Errors
    /// If the home of the user is unknown.
    pub fn read() -> Result<Self, EnvError> {
        let variables = variables();
        let user_home = home(&variables).ok_or(match variables.contains_key("HOME") {
            true => EnvError::RelativeHome,
            false => EnvError::NoHome,
        })?;
        // Without a current folder, only `.` has no meaning.
        let here = std::env::current_dir().unwrap_or_default();
        let zone = zone(&variables);
        Ok(Self { variables, user_home, here, zone })
    }

    /// The current instant in the reader's time zone.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock { now: now(), zone: self.zone.clone() }
    }

    /// One of our own folders: from the variable, or its default below the home.
    fn folder(&self, variable: &str, below: &str) -> PathBuf {
        let set = folders::named(&self.variables, variable);
        set.unwrap_or_else(|| self.user_home.join(below)).join(OURS)
    }

    /// Our configuration folder.
    #[must_use]
    pub fn config_folder(&self) -> PathBuf {
        self.folder("XDG_CONFIG_HOME", ".config")
    }

    /// A folder that a variable names by an absolute path.
    #[must_use]
    pub fn named(&self, variable: &str) -> Option<PathBuf> {
        folders::named(&self.variables, variable)
    }

    /// Where programs keep the user's configuration.
    #[must_use]
    pub fn config_home(&self) -> PathBuf {
        self.named("XDG_CONFIG_HOME").unwrap_or_else(|| self.user_home.join(".config"))
    }

    /// Where programs keep the user's data.
    #[must_use]
    pub fn data_home(&self) -> PathBuf {
        self.named(DATA.0).unwrap_or_else(|| self.user_home.join(DATA.1))
    }

    /// The configuration file.
    #[must_use]
    pub fn config_path(&self) -> PathBuf {
        self.config_folder().join("config.toml")
    }

    /// Where systemd looks for the user's own units.
    #[must_use]
    pub fn user_units(&self) -> PathBuf {
        let config = self.config_folder();
        config.parent().unwrap_or(&self.user_home).join("systemd/user")
    }

    /// Our data folder.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.folder(DATA.0, DATA.1)
    }

    /// Our state folder: notes that we could do without.
    #[must_use]
    pub fn state_folder(&self) -> PathBuf {
        self.folder(STATE.0, STATE.1)
    }

    /// The folder of the daemon's socket.
    #[must_use]
    pub fn runtime_folder(&self) -> PathBuf {
        let set = self.variables.get("XDG_RUNTIME_DIR").map(PathBuf::from);
        let set = set.filter(|path| path.is_absolute());
        set.map_or_else(|| self.state_folder().join("run"), |path| path.join("taffrail"))
    }

    /// The name of the current user.
    #[must_use]
    pub fn user(&self) -> String {
        let set = ["USER", "LOGNAME"].into_iter().filter_map(|it| self.variables.get(it));
        let mut set = set.filter(|it| !it.trim().is_empty());
        set.next().cloned().unwrap_or_else(|| "me".to_owned())
    }

    /// The pager for long output; `None` if it is turned off.
    #[must_use]
    pub fn pager(&self) -> Option<Pager> {
        let set = self.variables.get("TAFFRAIL_PAGER").or_else(|| self.variables.get("PAGER"));
        let command = set.map_or("less -FRX", String::as_str).trim().to_owned();
        let dumb = self.variables.get("TERM").is_some_and(|terminal| terminal == "dumb");
        let less = if self.variables.contains_key("LESS") { None } else { Some("FRX") };
        let is_wanted = !dumb && !command.is_empty() && command != "cat";
        is_wanted.then_some(Pager { command, less })
    }

    /// The settings for all other crates.
    #[must_use]
    pub fn settings(&self, config: &Config) -> Settings {
        add_own_agents(&self.config_folder());
        let settings = self.settings_of(config);
        Settings { devices: device_names(&settings), ..settings }
    }

    fn notices(&self, config: &Config) -> NoticeSettings {
        let push = config.notifications.wants_push().then(|| self.state_folder());
        let notices = config.notifications.settings(&self.user_home, local_minute);
        NoticeSettings { push, ..notices }
    }

    fn settings_of(&self, config: &Config) -> Settings {
        Settings {
            data: self.data_folder(),
            config: self.config_folder(),
            runtime: self.runtime_folder(),
            user_home: self.user_home.clone(),
            variables: self.variables.clone(),
            added_homes: config.homes(&self.user_home),
            excluded: config.exclude.clone(),
            archive: config.archive(),
            retention: config.retention(),
            run: config.run.settings(),
            status: config.status.settings(),
            summary: config.summary(&self.user_home, nonce),
            notices: self.notices(config),
            public_url: config.web.public_url.clone(),
            // If the system does not report a boot id, every boot counts as the same: the next read of its
            // source then finds a lost batch.
            boot_id: system::boot_id(),
            new_device: new_device(),
            devices: Devices::default(),
            sync: config.sync.settings(&self.user_home, config.hub.url.is_some()),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            history_folders: config.history_folders(&self.user_home),
            servers: config.servers(),
            hub: HubSettings { draw: Some(draw), ..config.hub(&self.user_home) },
            held_unattended: config.held_unattended(&self.user_home),
            go_on_at_reset: config.go_on_at_reset(&self.user_home),
            prices: Arc::new(config.prices(&self.data_folder())),
            budgets: config.budgets(&self.user_home),
            meaning: config.search.settings(),
            ahead: local_offset,
            kept_up: false,
            now: Timestamp::now,
        }
    }
}

/// The current time, for relative times on a screen.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The minute of the day in the user's time zone.
fn local_minute(at: Timestamp) -> u16 {
    let local = at.to_zoned(TimeZone::system());
    let part = |it: i8| u16::try_from(it).unwrap_or(0);
    part(local.hour()) * 60 + part(local.minute())
}

/// The current instant in the system's time zone.
#[must_use]
pub fn clock() -> Clock {
    Clock { now: now(), zone: TimeZone::system() }
}

fn local_offset() -> Ahead {
    clock().ahead()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_ours_then_everyones_then_less() {
        let check = |variables: &[(&str, &str)], expected: Option<(&str, Option<&str>)>| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let variables = variables.iter().map(owned).collect();
            let (user_home, here) = (PathBuf::new(), PathBuf::new());
            let env = Env { variables, user_home, here, zone: TimeZone::UTC };
            let pager = env.pager();
            let told = pager.as_ref().map(|it| (it.command.as_str(), it.less));
            assert_eq!(told, expected);
        };
        check(&[], Some(("less -FRX", Some("FRX"))));
        check(&[("LESS", "-i")], Some(("less -FRX", None)));
        check(&[("PAGER", "more")], Some(("more", Some("FRX"))));
        check(&[("PAGER", "more"), ("TAFFRAIL_PAGER", "most")], Some(("most", Some("FRX"))));
        check(&[("PAGER", "more"), ("TAFFRAIL_PAGER", "")], None);
        check(&[("TAFFRAIL_PAGER", "cat")], None);
        check(&[("PAGER", "")], None);
        check(&[("TERM", "dumb")], None);
    }
}
