//! `taffrail notify`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::line;
use serde_json::json;
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_daemon::{Channel, Tried, try_channels};

/// Try the notifications that the daemon sends
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail notify test                      send one to every channel that is set
  taffrail notify test --channel webhook    to one of them
  taffrail notify test --dry-run            only show what would be sent
", after_help = "\
The daemon tells you when a session waits for you, asks for something risky, or is done with a long job. \
Without a word of yours it does so on the desktop, where there is one. docs/notifications.md has the keys.
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show what is sent, and send it
    Test {
        /// Only this one: desktop, terminal, webhook or command
        #[arg(long, value_name = "CHANNEL")]
        channel: Option<Channel>,
        /// Only show it
        #[arg(long, short = 'n')]
        dry_run: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let Action::Test { channel, dry_run } = &args.action;
    let tried = try_channels(&context.settings, *channel, *dry_run);
    if tried.is_empty() {
        return Err(unset(*channel));
    }
    let mut out = Out::new();
    if args.json {
        out.json(&document(&tried))?;
    } else {
        for it in &tried {
            tell(it, &mut out)?;
        }
        out.end()?;
    }
    if tried.iter().any(|it| it.is_quiet) {
        say("these are quiet hours: the daemon would wait until they are over");
    }
    let failed: Vec<&str> =
        tried.iter().filter(|it| is_failed(it)).map(|it| it.channel.as_str()).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CliError {
            kind: ErrorKind::Failure,
            message: format!("nothing was sent by {}", failed.join(", ")),
            hint: Some("see docs/notifications.md".to_owned()),
        }),
    }
}

fn is_failed(it: &Tried) -> bool {
    matches!(it.came, Some(Err(_)))
}

fn tell(it: &Tried, out: &mut Out) -> Result<(), CliError> {
    out.line(&format!("{}:", it.channel))?;
    for shown in &it.shows {
        out.line(&format!("  {}", line(shown)))?;
    }
    match &it.came {
        Some(Ok(came)) => out.line(&format!("  sent: {}", line(came)))?,
        Some(Err(why)) => out.line(&format!("  not sent: {}", line(why)))?,
        None => out.line("  not sent, as you asked")?,
    };
    Ok(())
}

fn document(tried: &[Tried]) -> serde_json::Value {
    let row = |it: &Tried| {
        let (sent, came) = match &it.came {
            Some(Ok(came)) => (true, Some(came)),
            Some(Err(why)) => (false, Some(why)),
            None => (false, None),
        };
        json!({"channel": it.channel.as_str(), "shows": it.shows, "sent": sent, "came": came})
    };
    let channels: Vec<_> = tried.iter().map(row).collect();
    json!({"schema_version": SCHEMA_VERSION, "channels": channels})
}

fn unset(channel: Option<Channel>) -> CliError {
    let (message, hint) = match channel {
        None => (
            "there is no desktop here, and no channel is set".to_owned(),
            "taffrail config set notifications.command '[\"my-program\"]'".to_owned(),
        ),
        Some(it) => (
            format!("the channel {it} is not set"),
            format!("see docs/notifications.md for `notifications.{it}`"),
        ),
    };
    CliError { kind: ErrorKind::Refused, message, hint: Some(hint) }
}
