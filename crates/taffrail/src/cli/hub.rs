//! `taffrail hub`

mod server;
mod status;

pub(super) use status::{REMOVED, mark as mark_trouble};

use super::{Context, TEMPLATE, config};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::Subcommand;
use serde_json::{Value, json};
use taffrail_api::ErrorKind;
use taffrail_devices::hubs;
use taffrail_devices::hubs::{Aspect, HubCheck, Level};
use taffrail_tui::terminal::line;

/// Connect devices through a hub, and show its status
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail hub use file:///srv/taffrail       a directory all devices reach
  taffrail hub use s3://bucket/taffrail       a bucket
  taffrail hub use nats://127.0.0.1:4222      a NATS server of yours
  taffrail hub doctor
      check whether the hub is safe to use
  taffrail hub
      its connection, and when each device last sent something
  taffrail hub config --out nats.conf
      write or update the configuration of a NATS server
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
    /// Disconnect from the hub
    Leave,
    /// Check whether the hub is safe to use
    Doctor,
    /// Write the configuration of a NATS server, with every device of the team
    Config(server::ConfigArgs),
}

#[derive(Debug, clap::Args)]
struct UseArgs {
    /// `file:///DIR`, `s3://BUCKET/PREFIX`, `gs://BUCKET`, `az://CONTAINER?account=NAME`, `nats://HOST` or `tls://HOST`
    address: String,
    /// File with credentials, if not this device's own key
    #[arg(long, value_name = "FILE")]
    credentials: Option<String>,
    /// Connect even if the hub cannot be reached or a check fails
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None | Some(Action::Status) => status::status(context),
        Some(Action::Use(wish)) => enter(wish, context),
        Some(Action::Leave) => leave(context),
        Some(Action::Doctor) => doctor(context),
        Some(Action::Config(wish)) => server::run(wish, context),
    }
}

/// Tries the hub and, if it is sound, remembers it.
fn enter(wish: &UseArgs, context: &Context) -> Result<(), CliError> {
    let mut settings = context.settings.clone();
    settings.hub.url = Some(wish.address.clone());
    if let Some(file) = &wish.credentials {
        settings.hub.credentials = Some(context.env.here.join(file));
    }
    let checks = hubs::check(&settings);
    let is_sound = checks.as_ref().is_ok_and(|it| it.iter().all(|it| it.level != Level::Bad));
    if !wish.force && !is_sound {
        return Err(unsound(checks?));
    }
    let path = context.env.config_path();
    config::write(&path, "hub.url", &quoted(&wish.address))?;
    if let Some(file) = &settings.hub.credentials {
        config::write(&path, "hub.credentials", &quoted(&file.to_string_lossy()))?;
    }
    let mut out = Out::new();
    if context.json {
        return out.json(&json!({"schema_version": 1, "hub": wish.address, "checks": told(&checks.unwrap_or_default())}));
    }
    for check in checks.unwrap_or_default().iter().filter(|it| it.level != Level::Good) {
        say(&format!("{} {}", sign(check.level), line(&check.message)));
    }
    out.line(&format!("This device now uses {}.", line(&wish.address)))?;
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
    config::unset(&context.env.config_path(), "hub")?;
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
    let checks = match hubs::check(&context.settings).map_err(CliError::from) {
        Ok(checks) => checks,
        // A hub that cannot be asked at all is the first problem.
        Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::TimedOut) => {
            vec![unreached(error)]
        }
        Err(error) => return Err(error),
    };
    let mut out = Out::new();
    if context.json {
        out.json(&json!({"schema_version": 1, "checks": told(&checks)}))?;
    } else {
        for check in &checks {
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
    }
}
