//! `taffrail hub`

mod figures;
mod relocation;
mod server;
mod status;

pub(super) use status::{HubStatus, REMOVED, heard, looked, mark as mark_trouble, state};

use super::{Context, TEMPLATE, config};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::Subcommand;
use serde_json::{Value, json};
use taffrail_api::ErrorKind;
use taffrail_context::Settings;
use taffrail_devices::hubs;
use taffrail_devices::hubs::{Aspect, HubCheck, Level, Report};
use taffrail_tui::terminal::line;

/// Connect devices through a hub, and show its status
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail hub use file:///srv/taffrail       a directory all devices reach
  taffrail hub use s3://bucket/taffrail       a bucket
  taffrail hub use nats://127.0.0.1:4222      a NATS server of yours
  taffrail hub use nats://127.0.0.1:4222 --blobs s3://bucket/taffrail
      segments and bundles in a bucket, live items on the server
  taffrail hub doctor
      check whether the hub is safe to use
  taffrail hub
      its connection, and when each device last sent something
  taffrail hub config --out nats.conf
      write or update the configuration of a NATS server
  taffrail hub move nats://tower:4222
      the team goes to another hub, and its devices follow
  taffrail hub leave
      disconnect; nothing leaves this device any more
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the connection, when each device last sent something, and what waits
    Status,
    /// Connect to the hub at an address
    Use(UseArgs),
    Move(relocation::MoveArgs),
    /// Disconnect from the hub
    Leave,
    /// Check whether the hub is safe to use
    Doctor,
    /// Write the configuration of a NATS server, with every device of the team
    Config(server::ConfigArgs),
    /// Print the team's users for the operator of a server for several teams
    Team,
}

#[derive(Debug, clap::Args)]
struct UseArgs {
    /// `file:///DIR`, `s3://BUCKET/PREFIX`, `gs://BUCKET`, `az://CONTAINER?account=NAME`, `nats://HOST` or `tls://HOST`
    address: String,
    /// File with credentials, if not this device's own key
    #[arg(long, value_name = "FILE")]
    credentials: Option<String>,
    /// Another place for segments and bundles, beside the hub: a directory or a bucket
    #[arg(long, value_name = "URL")]
    blobs: Option<String>,
    /// File with credentials for that place
    #[arg(long, value_name = "FILE", requires = "blobs")]
    blob_credentials: Option<String>,
    /// Connect even if the hub cannot be reached or a check fails
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None | Some(Action::Status) => status::status(context),
        Some(Action::Use(wish)) => enter(wish, context),
        Some(Action::Move(wish)) => relocation::run(wish, context),
        Some(Action::Leave) => leave(context),
        Some(Action::Doctor) => doctor(context),
        Some(Action::Config(wish)) => server::run(wish, context),
        Some(Action::Team) => server::team(context),
    }
}

/// Tries the hub and, if it is sound, remembers it.
fn enter(wish: &UseArgs, context: &Context) -> Result<(), CliError> {
    let mut settings = context.settings.clone();
    settings.hub.url = Some(wish.address.clone());
    if let Some(file) = &wish.credentials {
        settings.hub.credentials = Some(context.env.here.join(file));
    }
    settings.hub.blobs.clone_from(&wish.blobs);
    settings.hub.blob_credentials =
        wish.blob_credentials.as_ref().map(|it| context.env.here.join(it));
    let checks = hubs::check(&settings);
    let is_sound = checks.as_ref().is_ok_and(|it| it.iter().all(|it| it.level != Level::Bad));
    if !wish.force && !is_sound {
        return Err(unsound(checks?));
    }
    keep(context, &settings)?;
    meet(&settings);
    let mut out = Out::new();
    if context.json {
        return out.json(&json!({"schema_version": 1, "hub": wish.address, "blobs": wish.blobs, "checks": told(&checks.unwrap_or_default())}));
    }
    for check in checks.unwrap_or_default().iter().filter(|it| it.level != Level::Good) {
        say(&format!("{} {}", sign(check.level), line(&check.message)));
    }
    out.line(&format!("This device now uses {}.", line(&wish.address)))?;
    if let Some(blobs) = &wish.blobs {
        out.line(&format!("Segments and bundles go to {}.", line(blobs)))?;
    }
    if wish.address.starts_with("s3://") && settings.hub.credentials.is_none() {
        say(
            "Its keys are variables of this shell; a daemon started elsewhere does not have them. \
             Put them into a file and name it with --credentials FILE",
        );
    }
    out.end()?;
    say(match context.client.is_some() {
        true => "The running daemon uses it after a restart: taffrail daemon restart",
        false => "A daemon exchanges items with it: taffrail daemon start",
    });
    Ok(())
}

/// Writes the roster to the hub, or learns from it who is in the team. A daemon does the same later, so a
/// failure is not an error: this device may be waiting for its approval.
fn meet(settings: &Settings) {
    if let Err(error) = hubs::publish_roster(settings) {
        tracing::info!(%error, "the roster was not exchanged with the hub");
    }
}

/// Tries the hub of these settings and, if it is sound, remembers it.
pub(super) fn take_up(context: &Context, settings: &Settings) -> Result<(), CliError> {
    let checks = hubs::check(settings)?;
    if checks.iter().any(|it| it.level == Level::Bad) {
        return Err(CliError {
            hint: Some("fix it, or name another hub with --hub".to_owned()),
            ..unsound(checks)
        });
    }
    keep(context, settings)
}

/// Remembers the hub of these settings.
pub(super) fn keep(context: &Context, settings: &Settings) -> Result<(), CliError> {
    let path = context.env.config_path();
    let hub = &settings.hub;
    config::write(&path, "hub.url", &quoted(hub.url.as_deref().unwrap_or_default()))?;
    if let Some(file) = &hub.credentials {
        config::write(&path, "hub.credentials", &quoted(&file.to_string_lossy()))?;
    }
    let blob_credentials =
        hub.blob_credentials.as_ref().map(|it| it.to_string_lossy().into_owned());
    for (key, value) in [("hub.blobs", &hub.blobs), ("hub.blob_credentials", &blob_credentials)] {
        match value {
            Some(value) => config::write(&path, key, &quoted(value))?,
            None => config::unset(&path, key)?,
        }
    }
    Ok(())
}

/// A TOML text.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn unsound(checks: Vec<HubCheck>) -> CliError {
    let bad = checks.into_iter().find(|it| it.level == Level::Bad);
    CliError::refused(
        bad.map_or_else(|| "the hub failed a check".to_owned(), |it| it.message),
        "fix it, or use it anyway with --force",
    )
}

fn leave(context: &Context) -> Result<(), CliError> {
    for key in ["hub.url", "hub.credentials", "hub.blobs", "hub.blob_credentials"] {
        config::unset(&context.env.config_path(), key)?;
    }
    if context.json {
        return Out::new().json(&json!({"schema_version": 1, "hub": null}));
    }
    say("This device no longer uses a hub. Sealed items stay there.");
    if context.client.is_some() {
        say("The running daemon disconnects after a restart: taffrail daemon restart");
    }
    Ok(())
}

fn doctor(context: &Context) -> Result<(), CliError> {
    let found = match hubs::report(&context.settings).map_err(CliError::from) {
        Ok(found) => found,
        // A hub that cannot be asked at all is the first problem.
        Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::TimedOut) => {
            Report { checks: vec![unreached(error)], disk: None, lag: Vec::new() }
        }
        Err(error) => return Err(error),
    };
    let Report { checks, disk, lag } = &found;
    let mut out = Out::new();
    if context.json {
        out.json(&json!({"schema_version": 1, "checks": told(checks), "disk": disk, "lag": lag}))?;
    } else {
        out.line(&figures::disk(disk.as_ref()))?;
        out.lines(lag.iter().map(figures::lag))?;
        for check in checks {
            let (mark, name) = (sign(check.level), name(check.aspect));
            out.line(&format!("{mark} {name}: {}", line(&check.message)))?;
        }
        out.end()?;
    }
    match checks.iter().any(|it| it.level == Level::Bad) {
        true => Err(CliError::silent(ErrorKind::Refused)),
        false => Ok(()),
    }
}

fn unreached(error: CliError) -> HubCheck {
    let CliError { message, hint, .. } = error;
    let message = hint.map_or(message.clone(), |hint| format!("{message}. {hint}"));
    HubCheck { aspect: Aspect::Reached, level: Level::Bad, message }
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

fn sign(level: Level) -> &'static str {
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
        Aspect::SlowConsumers => "slow-consumers",
    }
}
