//! `taffrail notifications`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::json;
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_notify::{Channel, Tried, try_channels};
use taffrail_tui::terminal::line;

/// Test the notifications that the daemon sends
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail notifications test
      send one to every configured channel
  taffrail notifications test --channel webhook    to one channel
  taffrail notifications test --dry-run            only show the message
", after_help = "\
The daemon notifies you when a session waits for you, asks for something risky, or finishes a long job. \
By default it uses the desktop, if there is one. docs/notifications.md lists the keys.
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show the message, and send it
    Test {
        /// Only this channel: desktop, terminal, webhook, command, push, ntfy or telegram
        #[arg(long, value_name = "CHANNEL")]
        channel: Option<Channel>,
        /// Only show the message
        #[arg(long)]
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
    if context.json {
        out.json(&document(&tried))?;
    } else {
        for it in &tried {
            tell(it, &mut out)?;
        }
        out.end()?;
    }
    if tried.iter().any(|it| it.is_quiet) {
        say("quiet hours are on: the daemon would wait until they end");
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
            "no desktop session found and no notification channel configured".to_owned(),
            "set one: taffrail config set notifications.command '[\"my-program\"]'".to_owned(),
        ),
        Some(it) => (
            format!("the notification channel `{it}` is not configured"),
            format!(
                "taffrail config set notifications.{it} VALUE; docs/notifications.md has the values"
            ),
        ),
    };
    CliError::refused(message, hint)
}
