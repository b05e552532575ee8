//! `taffrail hub config`: the configuration of a NATS server, and a certificate if it needs one.

use super::super::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use clap::ValueHint;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::ErrorKind as IoKind;
use std::path::{Path, PathBuf};
use taffrail_devices::device_names;
use taffrail_devices::hubs;
use taffrail_devices::hubs::{NatsPlan, ServerCertificate, pin_of};
use taffrail_model::DeviceId;
use taffrail_setup::replace;

/// How every file of ours begins.
const MADE: &str = "# Made by `taffrail hub config`";
/// How the line begins that remembers what it was asked with.
const ASKED: &str = "# Asked with: ";
/// How the line of a user begins, which names its device.
const DEVICE: &str = "      # ";

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Address at which the server listens [default: 127.0.0.1:4222]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// Name or address by which your devices reach the server
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Your certificate and key (PEM); a server for other machines gets one if you give none
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"], value_hint = ValueHint::FilePath)]
    tls: Option<Vec<PathBuf>>,
    /// Folder where the server stores its data [default: /var/lib/nats]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Monitoring port, on the server's loopback address [default: 8222]
    #[arg(long, value_name = "PORT")]
    monitor: Option<u16>,
    /// Largest amount of data it stores, in gigabytes [default: 20]
    #[arg(long, value_name = "GB")]
    gigabytes: Option<u32>,
    /// Write to this file, or update a file that `hub config` wrote, with its options
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// What was asked for, as the file remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ServerOptions {
    listen: String,
    host: Option<String>,
    tls: Option<(PathBuf, PathBuf)>,
    store: PathBuf,
    monitor: u16,
    gigabytes: u32,
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
        }
    }
}

impl ServerOptions {
    /// What the options say, and where they say nothing, what the file remembers.
    fn of(args: &ConfigArgs, before: Self) -> Self {
        let pair = args.tls.as_deref();
        let tls = pair.and_then(|it| Some((it.first()?.clone(), it.get(1)?.clone())));
        Self {
            listen: args.listen.clone().unwrap_or(before.listen),
            host: args.host.clone().or(before.host),
            tls: tls.or(before.tls),
            store: args.store.clone().unwrap_or(before.store),
            monitor: args.monitor.unwrap_or(before.monitor),
            gigabytes: args.gigabytes.unwrap_or(before.gigabytes),
        }
    }

    fn is_near(&self) -> bool {
        ["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|it| self.listen.starts_with(it))
    }

    fn plan(&self) -> NatsPlan {
        let Self { listen, tls, store, monitor, gigabytes, .. } = self.clone();
        NatsPlan { listen, monitor, store, tls, gigabytes }
    }

    /// The host and the port that devices use.
    fn place(&self) -> (String, &str) {
        let (host, port) = self.listen.rsplit_once(':').unwrap_or((&self.listen, "4222"));
        let is_any = matches!(host, "0.0.0.0" | "[::]" | "");
        let shown = if is_any { "HOST" } else { host };
        (self.host.clone().unwrap_or_else(|| shown.to_owned()), port)
    }
}

pub(super) fn run(args: &ConfigArgs, context: &Context) -> Result<(), CliError> {
    let file = args.out.as_ref().map(|it| context.env.here.join(it));
    let before = file.as_deref().map(read).transpose()?.flatten();
    let mut asked = ServerOptions::of(args, before.as_deref().map(remembered).unwrap_or_default());
    let mut made = None;
    if asked.tls.is_none() && !asked.is_near() {
        made = Some(certified(&mut asked, file.as_deref())?);
    }
    let text = written(&asked, context)?;
    let mut out = Out::new();
    let Some(file) = file else {
        if context.json {
            return out.json(&json!({"schema_version": 1, "file": null, "config": text}));
        }
        out.line(text.trim_end())?;
        return out.end();
    };
    if let Some(certificate) = &made {
        keep_certificate(certificate, &asked, &file)?;
    }
    let is_new = before.is_none();
    replace(&file, &text)?;
    if context.json {
        return out.json(&json!({"schema_version": 1, "file": file, "config": text}));
    }
    match before {
        None => out.line(&format!("Wrote {}.", file.display()))?,
        Some(before) => out.line(&changed(&before, &text, &file, context))?,
    };
    out.lines(steps(&asked, &file, is_new))?;
    without_door(context)
}

/// Whose recovery key does not open the server.
fn without_door(context: &Context) -> Result<(), CliError> {
    for user in hubs::without_recovery_door(&context.settings)? {
        say(&format!(
            "The recovery key of {user} is too old to open this server: \
             make another with `taffrail key recovery`, then write the configuration again."
        ));
    }
    Ok(())
}

/// The file that is there, if it is ours.
fn read(path: &Path) -> Result<Option<String>, CliError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == IoKind::NotFound => return Ok(None),
        Err(error) if error.kind() == IoKind::InvalidData => String::new(),
        Err(error) => return Err(error).with_context(|| path.display().to_string())?,
    };
    match text.starts_with(MADE) {
        true => Ok(Some(text)),
        false => Err(in_the_way(path, "and was not written by `taffrail hub config`")),
    }
}

fn in_the_way(path: &Path, why: &str) -> CliError {
    CliError::refused(
        format!("{} exists {why}", path.display()),
        "nothing was written; move it away, or name another file with --out",
    )
}

/// What the file was asked with; the usual, where it does not say.
fn remembered(text: &str) -> ServerOptions {
    let line = text.lines().find_map(|it| it.strip_prefix(ASKED));
    line.and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

fn written(asked: &ServerOptions, context: &Context) -> Result<String, CliError> {
    let text = hubs::configuration(&context.settings, &asked.plan())?;
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let asked = serde_json::to_string(asked).map_err(anyhow::Error::from)?;
    Ok(format!("{first}\n{ASKED}{asked}\n{rest}"))
}

/// A certificate for the server; the configuration names its files, which are beside it.
fn certified(
    asked: &mut ServerOptions,
    file: Option<&Path>,
) -> Result<ServerCertificate, CliError> {
    let Some(file) = file else {
        return Err(CliError::refused(
            "a server that other machines reach needs a certificate",
            "--out FILE makes one beside the file; --tls CERT KEY uses yours; --listen \
                 127.0.0.1:4222 needs none",
        ));
    };
    let stem = file.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    asked.tls = Some((format!("{stem}.cert.pem").into(), format!("{stem}.key.pem").into()));
    let (host, _) = asked.place();
    let names = if host == "HOST" { vec!["taffrail-hub".to_owned()] } else { vec![host] };
    let odd = |why| CliError::usage(format!("cannot make a certificate: {why}"), "see --host");
    ServerCertificate::made(names).map_err(odd)
}

/// Writes both files beside the configuration; what is there is not replaced.
fn keep_certificate(
    made: &ServerCertificate,
    asked: &ServerOptions,
    file: &Path,
) -> Result<(), CliError> {
    let Some((certificate, key)) = &asked.tls else { return Ok(()) };
    let (certificate, key) = (beside(file, certificate), beside(file, key));
    if let Some(there) = [&certificate, &key].into_iter().find(|it| it.symlink_metadata().is_ok()) {
        return Err(in_the_way(there, "already"));
    }
    replace(&key, &made.key)?;
    Ok(replace(&certificate, &made.certificate)?)
}

/// A path that the configuration names, seen from its folder.
fn beside(file: &Path, path: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(path)
}

/// What is another than before.
fn changed(before: &str, now: &str, file: &Path, context: &Context) -> String {
    let (old, new) = (devices(before), devices(now));
    let names = device_names(&context.settings);
    let called = |id: &str| names.name_of(&DeviceId::new(id));
    let mut said = Vec::new();
    said.extend(
        new.keys().filter(|it| !old.contains_key(*it)).map(|it| format!("admits {}", called(it))),
    );
    said.extend(
        old.keys().filter(|it| !new.contains_key(*it)).map(|it| format!("removes {}", called(it))),
    );
    let is_other = |it: &&String| old.get(*it).is_some_and(|was| Some(was) != new.get(*it));
    let other = new.keys().filter(is_other).map(|it| format!("new permissions for {}", called(it)));
    said.extend(other);
    let (was, is) = (remembered(before), remembered(now));
    said.extend((was != is).then(|| "new options".to_owned()));
    match before == now {
        true => format!("{} is up to date.", file.display()),
        false if said.is_empty() => format!("Wrote {} again.", file.display()),
        false => format!("Wrote {} again: {}.", file.display(), said.join(", ")),
    }
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
fn steps(asked: &ServerOptions, file: &Path, is_new: bool) -> Vec<String> {
    let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_new {
        let signal = "nats-server --signal reload";
        return vec![format!("Copy it to the server and reload it: {signal}")];
    }
    let pin = asked.tls.as_ref().and_then(|(it, _)| std::fs::read(beside(file, it)).ok());
    let pin = pin.as_deref().and_then(pin_of);
    let (host, port) = asked.place();
    let scheme = if asked.tls.is_some() { "tls" } else { "nats" };
    let pin = pin.map(|it| format!("?pin={it}")).unwrap_or_default();
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
        format!("  taffrail hub use '{scheme}://{host}:{port}{pin}'"),
        "When devices join or leave, write it again and run: nats-server --signal reload"
            .to_owned(),
    ]);
    out
}
