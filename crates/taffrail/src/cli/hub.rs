//! `taffrail hub`

use super::{Context, TEMPLATE, config};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::line;
use clap::Subcommand;
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use taffrail_api::ErrorKind;
use taffrail_daemon::hubs::{self, Aspect, HubCheck, Level, NatsPlan};

/// The shared place between your devices
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail hub use file:///srv/taffrail       a directory all of them reach
  taffrail hub use s3://bucket/taffrail       a bucket
  taffrail hub use nats://127.0.0.1:4222      a NATS server of yours
  taffrail hub doctor                         what is safe about it, and what is not
  taffrail hub config --out nats.conf         a configuration for a NATS server
  taffrail hub leave                          nothing leaves this device any more
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say how it stands with the hub
    Status,
    /// Use the hub at an address
    Use(UseArgs),
    /// Use none
    Leave,
    /// Check what is safe about it and what is not
    Doctor,
    /// Write a configuration for a NATS server, with every device of the team
    Config(ConfigArgs),
}

#[derive(Debug, clap::Args)]
struct UseArgs {
    /// `file:///DIR`, `s3://BUCKET/PREFIX`, `gs://BUCKET`, `az://CONTAINER?account=NAME`, `nats://HOST` or `tls://HOST`
    address: String,
    /// A file with what lets us in, if not this device's own key
    #[arg(long, value_name = "FILE")]
    credentials: Option<String>,
    /// Use it although it was not reached, or is not sound
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
struct ConfigArgs {
    /// Where the server listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:4222")]
    listen: String,
    /// Certificate and key (PEM), needed beyond this machine
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"])]
    tls: Option<Vec<PathBuf>>,
    /// Where the server keeps everything
    #[arg(long, value_name = "DIR", default_value = "/var/lib/nats")]
    store: PathBuf,
    /// The port it tells about itself at, on its own machine
    #[arg(long, value_name = "PORT", default_value_t = 8222)]
    monitor: u16,
    /// The most gigabytes it keeps
    #[arg(long, value_name = "GB", default_value_t = 20)]
    gigabytes: u32,
    /// Write it to a file that is not there yet
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None | Some(Action::Status) => status(args.json, context),
        Some(Action::Use(wish)) => enter(wish, args.json, context),
        Some(Action::Leave) => leave(context),
        Some(Action::Doctor) => doctor(args.json, context),
        Some(Action::Config(wish)) => configuration(wish, context),
    }
}

/// Which hub is in use, and what waits for it.
fn status(json: bool, context: &Context) -> Result<(), CliError> {
    let waiting = hubs::waiting(&context.settings)?;
    let url = context.settings.hub.url.as_deref();
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "hub": url, "waiting": waiting}));
    }
    match url {
        None => out.line("No hub is in use; nothing leaves this device.")?,
        Some(url) => out.line(&format!("{}: {waiting} not there yet", line(url)))?,
    };
    out.end()
}

/// Tries the hub and, if it is sound, remembers it.
fn enter(wish: &UseArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let mut settings = context.settings.clone();
    settings.hub.url = Some(wish.address.clone());
    if let Some(file) = &wish.credentials {
        settings.hub.credentials = Some(context.rim.here.join(file));
    }
    let checks = hubs::check(&settings);
    let is_sound = checks.as_ref().is_ok_and(|it| it.iter().all(|it| it.level != Level::Bad));
    if !wish.force && !is_sound {
        return Err(unsound(checks?));
    }
    let path = context.rim.config_path();
    config::write(&path, "hub.url", &quoted(&wish.address))?;
    if let Some(file) = &settings.hub.credentials {
        config::write(&path, "hub.credentials", &quoted(&file.to_string_lossy()))?;
    }
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "hub": wish.address, "checks": told(&checks.unwrap_or_default())}));
    }
    for check in checks.unwrap_or_default().iter().filter(|it| it.level != Level::Good) {
        say(&format!("{} {}", mark(check.level), line(&check.message)));
    }
    out.line(&format!("This device now uses {}.", line(&wish.address)))?;
    if context.client.is_some() {
        say("The daemon that runs takes it up at its next start: taffrail daemon restart");
    }
    out.end()
}

/// A TOML text.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn unsound(checks: Vec<HubCheck>) -> CliError {
    let bad = checks.into_iter().find(|it| it.level == Level::Bad);
    CliError {
        kind: ErrorKind::Refused,
        message: bad.map_or_else(|| "the hub is not sound".to_owned(), |it| it.message),
        hint: Some("mend it, or use it nevertheless with --force".to_owned()),
    }
}

fn leave(context: &Context) -> Result<(), CliError> {
    config::unset(&context.rim.config_path(), "hub")?;
    say("This device uses no hub any more. What is there stays there, sealed.");
    if context.client.is_some() {
        say("The daemon that runs leaves it at its next start: taffrail daemon restart");
    }
    Ok(())
}

fn doctor(json: bool, context: &Context) -> Result<(), CliError> {
    let checks = hubs::check(&context.settings)?;
    let mut out = Out::new();
    if json {
        out.json(&json!({"schema_version": 1, "checks": told(&checks)}))?;
    } else {
        for check in &checks {
            let (mark, name) = (mark(check.level), name(check.aspect));
            out.line(&format!("{mark} {name}: {}", line(&check.message)))?;
        }
        out.end()?;
    }
    match checks.iter().any(|it| it.level == Level::Bad) {
        true => Err(CliError::silent(ErrorKind::Refused)),
        false => Ok(()),
    }
}

fn told(checks: &[HubCheck]) -> Vec<Value> {
    let one = |it: &HubCheck| {
        let level = match it.level {
            Level::Good => "good",
            Level::Unknown => "unknown",
            Level::Weak => "weak",
            Level::Bad => "bad",
        };
        json!({"aspect": name(it.aspect), "level": level, "message": it.message})
    };
    checks.iter().map(one).collect()
}

fn mark(level: Level) -> &'static str {
    match level {
        Level::Good => "✓ ok     ",
        Level::Unknown => "? unknown",
        Level::Weak => "! weak   ",
        Level::Bad => "✕ bad    ",
    }
}

fn name(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Reached => "reached",
        Aspect::Version => "version",
        Aspect::CreateIfAbsent => "create-if-absent",
        Aspect::CompareAndSet => "compare-and-set",
        Aspect::Durability => "durability",
        Aspect::Copies => "copies",
        Aspect::Transport => "transport",
        Aspect::Payload => "payload",
    }
}

fn configuration(wish: &ConfigArgs, context: &Context) -> Result<(), CliError> {
    let tls = wish.tls.as_deref().and_then(|it| Some((it.first()?.clone(), it.get(1)?.clone())));
    let is_near =
        ["127.0.0.1:", "localhost:", "[::1]:"].iter().any(|it| wish.listen.starts_with(it));
    if tls.is_none() && !is_near {
        return Err(CliError {
            kind: ErrorKind::Refused,
            message: "a server that others reach needs a certificate".to_owned(),
            hint: Some("--tls CERT KEY, or --listen 127.0.0.1:4222".to_owned()),
        });
    }
    let plan = NatsPlan {
        listen: wish.listen.clone(),
        monitor: wish.monitor,
        store: wish.store.clone(),
        tls,
        gigabytes: wish.gigabytes,
    };
    let text = hubs::configuration(&context.settings, &plan)?;
    let mut out = Out::new();
    let Some(file) = &wish.out else {
        out.line(text.trim_end())?;
        return out.end();
    };
    let mut options = std::fs::OpenOptions::new();
    let mut made = options.create_new(true).write(true).mode(0o600).open(file)?;
    made.write_all(text.as_bytes())?;
    made.sync_all()?;
    out.line(&format!("Wrote {}. Then:", file.display()))?;
    out.line(&format!("  nats-server -c {} -t       says whether it is sound", file.display()))?;
    out.line(&format!(
        "  nats-server -c {}          runs it; it must own {}",
        file.display(),
        wish.store.display()
    ))?;
    out.line("  nats-server --signal reload     after devices came or went, with a new file")?;
    out.end()
}
