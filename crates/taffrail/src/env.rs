//! The environment of the process: the only module that reads the environment, the clock and random
//! bytes.
#![expect(clippy::disallowed_methods, reason = "this is the module the lint points to")]

use anyhow::Context;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Component, PathBuf};
use std::sync::Arc;
use taffrail_config::Config;
use taffrail_context::{Devices, HubSettings, Settings, add_own_agents};
use taffrail_devices::device_names;
use taffrail_model::{Ahead, DeviceId, Timestamp, hash};
use taffrail_tui::pager::Pager;
use taffrail_tui::when::Clock;
use zeroize::Zeroizing;

/// The name of our folder in each place.
const OURS: &str = "taffrail";
/// The variable for the data folder, and its default below the home.
const DATA: (&str, &str) = ("XDG_DATA_HOME", ".local/share");
/// The same for the state folder.
const STATE: (&str, &str) = ("XDG_STATE_HOME", ".local/state");

/// What the process was started with.
#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) variables: HashMap<String, String>,
    pub(crate) user_home: PathBuf,
    pub(crate) here: PathBuf,
    /// The reader's time zone: `TZ`, else the system's, else UTC.
    pub(crate) zone: TimeZone,
}

impl Env {
    /// Reads the environment once.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let variables = variables();
        let user_home = home(&variables).context(match variables.contains_key("HOME") {
            true => "HOME must be an absolute path",
            false => "HOME is not set, so there is nowhere to look",
        })?;
        // Without a current folder, only `.` has no meaning.
        let here = std::env::current_dir().unwrap_or_default();
        Ok(Self { variables, user_home, here, zone: TimeZone::system() })
    }

    /// The current instant in the reader's time zone.
    pub(crate) fn clock(&self) -> Clock {
        Clock { now: now(), zone: self.zone.clone() }
    }

    /// One of our own folders: from the variable, or its default below the home.
    fn folder(&self, variable: &str, below: &str) -> PathBuf {
        let set = named(&self.variables, variable);
        set.unwrap_or_else(|| self.user_home.join(below)).join(OURS)
    }

    /// Our configuration folder.
    pub(crate) fn config_folder(&self) -> PathBuf {
        self.folder("XDG_CONFIG_HOME", ".config")
    }

    /// A folder that a variable names by an absolute path.
    pub(crate) fn named(&self, variable: &str) -> Option<PathBuf> {
        named(&self.variables, variable)
    }

    /// Where programs keep the user's configuration.
    pub(crate) fn config_home(&self) -> PathBuf {
        self.named("XDG_CONFIG_HOME").unwrap_or_else(|| self.user_home.join(".config"))
    }

    /// Where programs keep the user's data.
    pub(crate) fn data_home(&self) -> PathBuf {
        self.named(DATA.0).unwrap_or_else(|| self.user_home.join(DATA.1))
    }

    /// The configuration file.
    pub(crate) fn config_path(&self) -> PathBuf {
        self.config_folder().join("config.toml")
    }

    /// Where systemd looks for the user's own units.
    pub(crate) fn user_units(&self) -> PathBuf {
        let config = self.config_folder();
        config.parent().unwrap_or(&self.user_home).join("systemd/user")
    }

    /// Our data folder.
    pub(crate) fn data_folder(&self) -> PathBuf {
        self.folder(DATA.0, DATA.1)
    }

    /// Our state folder: notes that we could do without.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.folder(STATE.0, STATE.1)
    }

    /// The folder of the daemon's socket.
    pub(crate) fn runtime_folder(&self) -> PathBuf {
        let set = self.variables.get("XDG_RUNTIME_DIR").map(PathBuf::from);
        let set = set.filter(|path| path.is_absolute());
        set.map_or_else(|| self.state_folder().join("run"), |path| path.join("taffrail"))
    }

    /// The name of the current user.
    pub(crate) fn user(&self) -> String {
        let set = ["USER", "LOGNAME"].into_iter().filter_map(|it| self.variables.get(it));
        let mut set = set.filter(|it| !it.trim().is_empty());
        set.next().cloned().unwrap_or_else(|| "me".to_owned())
    }

    /// The pager for long output; `None` if it is turned off.
    pub(crate) fn pager(&self) -> Option<Pager> {
        let set = self.variables.get("TAFFRAIL_PAGER").or_else(|| self.variables.get("PAGER"));
        let command = set.map_or("less -FRX", String::as_str).trim().to_owned();
        let dumb = self.variables.get("TERM").is_some_and(|terminal| terminal == "dumb");
        let less = if self.variables.contains_key("LESS") { None } else { Some("FRX") };
        let is_wanted = !dumb && !command.is_empty() && command != "cat";
        is_wanted.then_some(Pager { command, less })
    }

    /// The settings for all other crates.
    pub(crate) fn settings(&self, config: &Config) -> Settings {
        add_own_agents(&self.config_folder());
        let settings = self.settings_of(config);
        Settings { devices: device_names(&settings), ..settings }
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
            notices: config.notifications.settings(&self.user_home, local_minute),
            // If the system does not report a boot id, every boot counts as the same: the next read of its
            // source then finds a lost batch.
            boot_id: crate::system::boot_id(),
            new_device: new_device(),
            devices: Devices::default(),
            sync: config.sync.settings(&self.user_home, config.hub.url.is_some()),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            history_folders: config.history_folders(&self.user_home),
            servers: config.servers(),
            hub: HubSettings { draw: Some(draw), ..config.hub(&self.user_home) },
            held_unattended: config.held_unattended(&self.user_home),
            prices: Arc::new(config.prices(&self.data_folder())),
            budgets: config.budgets(&self.user_home),
            ahead: local_offset,
            kept_up: false,
            now: Timestamp::now,
        }
    }
}

fn variables() -> HashMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// A folder that a variable names by an absolute path.
fn named(variables: &HashMap<String, String>, variable: &str) -> Option<PathBuf> {
    variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn home(variables: &HashMap<String, String>) -> Option<PathBuf> {
    named(variables, "HOME")
}

/// Our data folder, for callers without an `Env`; `None` if no variable determines it.
pub(crate) fn data_folder() -> Option<PathBuf> {
    own_folder(DATA)
}

/// Our state folder, as above.
pub(crate) fn state_folder() -> Option<PathBuf> {
    own_folder(STATE)
}

/// Our configuration folder, as above.
pub(crate) fn config_folder() -> Option<PathBuf> {
    own_folder(("XDG_CONFIG_HOME", ".config"))
}

/// The user's home, as above.
pub(crate) fn user_home() -> Option<PathBuf> {
    home(&variables())
}

fn own_folder((variable, below): (&str, &str)) -> Option<PathBuf> {
    let variables = variables();
    let set = named(&variables, variable);
    Some(set.or_else(|| Some(home(&variables)?.join(below)))?.join(OURS))
}

/// A variable, for callers without an `Env`.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The arguments of the process.
pub(crate) fn arguments() -> std::env::ArgsOs {
    std::env::args_os()
}

/// A value that never repeats.
pub(crate) fn nonce() -> String {
    hash::to_hex(&chance("nonce"))
}

/// The path for calling this program again. A name that the user gave it stays valid when a newer
/// version replaces the program, so it is preferred to the real path.
pub(crate) fn own_path(env: &Env) -> anyhow::Result<PathBuf> {
    let real = std::env::current_exe().context("the path of this program is unknown")?;
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let folders = env.variables.get("PATH").map(std::env::split_paths).into_iter().flatten();
    let mut names: Vec<PathBuf> = match called.components().count() {
        0 | 1 => folders.filter(|it| it.is_absolute()).map(|it| it.join(&called)).collect(),
        _ => vec![env.here.join(&called).components().collect()],
    };
    names.retain(|it| it.is_absolute() && it.components().all(|part| part != Component::ParentDir));
    let same = |it: &PathBuf| it.canonicalize().ok() == real.canonicalize().ok();
    Ok(names.into_iter().find(same).unwrap_or(real))
}

/// Thirty-two random bytes.
pub(crate) fn secret() -> anyhow::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut it| it.read_exact(&mut bytes));
    read.context("cannot read random bytes from the system")?;
    Ok(bytes)
}

/// Random bytes, wiped when dropped.
pub(crate) fn drawn<const N: usize>() -> anyhow::Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    let mut source =
        std::fs::File::open("/dev/urandom").context("cannot read random bytes from the system")?;
    source.read_exact(bytes.as_mut_slice()).context("cannot read random bytes from the system")?;
    Ok(bytes)
}

/// Excludes the memory of this process from core files, and from other processes of the user. Only
/// for the daemon: a caller must stay inspectable, because the daemon identifies it.
pub(crate) fn close_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // A child process may raise its own limit again.
    let none = Rlimit { current: Some(0), ..getrlimit(Resource::Core) };
    // Best effort: if this fails, memory is as open as that of every other program.
    setrlimit(Resource::Core, none).ok();
    crate::system::close_memory_to_others();
}

/// The current time, for relative times on a screen.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// How this program was called: by its name, or by its absolute path.
pub(crate) fn program() -> String {
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    if called.components().count() < 2 {
        return "taffrail".to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    here.join(called).to_string_lossy().into_owned()
}

/// The minute of the day in the user's time zone.
fn local_minute(at: Timestamp) -> u16 {
    let local = at.to_zoned(TimeZone::system());
    let part = |it: i8| u16::try_from(it).unwrap_or(0);
    part(local.hour()) * 60 + part(local.minute())
}

fn local_offset() -> Ahead {
    Clock { now: now(), zone: TimeZone::system() }.ahead()
}

fn new_device() -> DeviceId {
    DeviceId::new(format!("dev-{}", hash::to_hex(&chance("device"))))
}

/// Fills a slice with random bytes. Sealing without them would betray the user, so the process
/// aborts.
fn draw(out: &mut [u8]) {
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(out));
    if read.is_err() {
        crate::output::say("taffrail: cannot read random bytes from the system");
        std::process::abort();
    }
}

fn chance(purpose: &str) -> hash::Digest16 {
    let mut bytes = [0; 32];
    // Without random bytes, the clock and our process id still distinguish two devices and two
    // calls.
    std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).ok();
    let when = Timestamp::now().as_nanosecond().to_le_bytes();
    let parts: [&[u8]; 3] = [&bytes, &when, &std::process::id().to_le_bytes()];
    hash::digest(purpose, &parts)
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
