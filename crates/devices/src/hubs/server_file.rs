//! The configuration file of a NATS server: what it was asked with, what changed in it, and what to
//! do with it.

use super::{NatsPlan, Removal, pin_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How every file of ours begins.
pub const MADE: &str = "# Made by `taffrail hub config`";
/// How the line begins that remembers what it was asked with.
const ASKED: &str = "# Asked with: ";
/// How the line of a user begins, which names its device.
const DEVICE: &str = "      # ";

/// What was asked for, as the file remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerOptions {
    /// The address at which it listens.
    pub listen: String,
    /// How devices reach it.
    pub host: Option<String>,
    /// The certificate and its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Where it stores its data.
    pub store: PathBuf,
    /// Its monitoring port.
    pub monitor: u16,
    /// The most it stores.
    pub gigabytes: u32,
    /// The number of streams of each kind that several teams share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u16>,
    /// The most megabytes that each team stores, in an account of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<u32>,
    /// The files of the other teams, which `taffrail hub team` wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<PathBuf>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:4222".to_owned(),
            host: None,
            tls: None,
            store: PathBuf::from("/var/lib/nats"),
            monitor: 8222,
            gigabytes: 20,
            streams: None,
            quota: None,
            teams: Vec::new(),
        }
    }
}

impl ServerOptions {
    /// Only programs of its own machine reach it.
    #[must_use]
    pub fn is_near(&self) -> bool {
        ["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|it| self.listen.starts_with(it))
    }

    /// What its configuration is made from.
    #[must_use]
    pub fn plan(&self, retention: Removal) -> NatsPlan {
        let Self { listen, tls, store, monitor, gigabytes, .. } = self.clone();
        NatsPlan { listen, monitor, store, tls, gigabytes, retention }
    }

    /// The host and the port that devices use.
    #[must_use]
    pub fn place(&self) -> (String, &str) {
        let (host, port) = self.listen.rsplit_once(':').unwrap_or((&self.listen, "4222"));
        let is_any = matches!(host, "0.0.0.0" | "[::]" | "");
        let shown = if is_any { "HOST" } else { host };
        (self.host.clone().unwrap_or_else(|| shown.to_owned()), port)
    }
}

/// What the file was asked with; the usual, where it does not say.
#[must_use]
pub fn remembered(text: &str) -> ServerOptions {
    let line = text.lines().find_map(|it| it.strip_prefix(ASKED));
    line.and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

/// A configuration with the line that remembers what it was asked with.
///
/// # Errors
/// A path in the options is not UTF-8.
pub fn with_options(text: &str, asked: &ServerOptions) -> Result<String, serde_json::Error> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    Ok(format!("{first}\n{ASKED}{}\n{rest}", serde_json::to_string(asked)?))
}

/// A path that the configuration names, seen from its folder.
#[must_use]
pub fn beside(file: &Path, path: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(path)
}

/// What is another than before; `called` gives the name of a device.
#[must_use]
pub fn changes(before: &str, now: &str, called: &dyn Fn(&str) -> String) -> Vec<String> {
    let (old, new) = (devices(before), devices(now));
    let admitted = new.keys().filter(|it| !old.contains_key(*it));
    let removed = old.keys().filter(|it| !new.contains_key(*it));
    let is_other = |it: &&String| old.get(*it).is_some_and(|was| Some(was) != new.get(*it));
    let mut said: Vec<_> = admitted.map(|it| format!("admits {}", called(it))).collect();
    said.extend(removed.map(|it| format!("removes {}", called(it))));
    let other = new.keys().filter(is_other).map(|it| format!("new permissions for {}", called(it)));
    said.extend(other);
    said.extend((remembered(before) != remembered(now)).then(|| "new options".to_owned()));
    said
}

/// The users of a configuration, with what they may do.
fn devices(text: &str) -> BTreeMap<String, Vec<&str>> {
    let mut out: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut last = None;
    for line in text.lines() {
        match line.strip_prefix(DEVICE) {
            Some(name) => last = Some(name.to_owned()),
            None => out.entry(last.clone().unwrap_or_default()).or_default().push(line),
        }
    }
    out.remove("");
    out
}

/// What to do with it.
#[must_use]
pub fn steps(asked: &ServerOptions, file: &Path, is_new: bool) -> Vec<String> {
    let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_new {
        let signal = "nats-server --signal reload";
        return vec![format!("Copy it to the server and reload it: {signal}")];
    }
    let pin = asked.tls.as_ref().and_then(|(it, _)| std::fs::read(beside(file, it)).ok());
    let pin = pin.as_deref().and_then(pin_of);
    let (host, port) = asked.place();
    let scheme = if asked.tls.is_some() { "tls" } else { "nats" };
    let settings = [("pin", pin), ("streams", asked.streams.map(|it| it.to_string()))];
    let settings = settings.into_iter().filter_map(|(name, it)| Some(format!("{name}={}", it?)));
    let settings = settings.collect::<Vec<_>>().join("&");
    let settings = if settings.is_empty() { settings } else { format!("?{settings}") };
    let mut out = vec!["Then, in the folder it is in on the server:".to_owned()];
    if let Some((certificate, key)) = asked.tls.as_ref().filter(|(it, _)| it.is_relative()) {
        let (certificate, key) = (certificate.display(), key.display());
        out.insert(0, format!("Copy it to the server together with {certificate} and {key}."));
    }
    out.extend([
        format!("  nats-server -c {name} -t       checks it"),
        format!(
            "  nats-server -c {name}          starts it; the server must own {}",
            asked.store.display()
        ),
        "On each device, an admin device of the team first:".to_owned(),
        format!("  taffrail hub use '{scheme}://{host}:{port}{settings}'"),
        "When devices join or leave, write it again and run: nats-server --signal reload"
            .to_owned(),
    ]);
    out
}
