//! `taffrail send` and `taffrail queue`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::io::Read;
use taffrail_api::client::{Client, escaped};
use taffrail_api::{ErrorKind, NotifyBody, Queue, Receipt, RemovedPrompts};
use taffrail_env as env;
use taffrail_tui::phrases::receipt_says;
use taffrail_tui::terminal::line;
use taffrail_tui::when;

/// Send a prompt to a session in tmux or under `taffrail run`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail send 3f2a \"now run the tests\"
  taffrail send @last - < prompt.md      read the prompt from stdin
Taffrail types the prompt when the session waits for one; until then the prompt
stays in the session's queue. A session on another device takes it if that
device allows it (`sync.remote`); the receipt comes from there.
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Prompt; - reads it from stdin
    #[arg(value_name = "TEXT")]
    text: String,
}

/// Manage the prompts that wait for a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail queue add 3f2a \"then update the changelog\"
  taffrail queue ls 3f2a
  taffrail queue rm 3f2a 9c1d
  taffrail queue add 3f2a \"go on\" --at-reset
Taffrail sends them one at a time, each when the session waits for a prompt. A
prompt with a time goes in once, and only if the session got no other prompt,
does not work and asks nothing then.
")]
pub(super) struct QueueArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Args)]
struct Whose {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Add a prompt at the end of the queue
    Add {
        #[command(flatten)]
        whose: Whose,
        /// Prompt; - reads it from stdin
        #[arg(value_name = "TEXT")]
        text: String,
        /// Wait until the limit that stops the session resets, and up to 5 minutes more
        #[arg(long, conflicts_with = "at")]
        at_reset: bool,
        /// Wait until then: 30m or 2h from now, a date, or a time such as 2026-11-01T16:40:00Z
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
    /// List the waiting prompts
    Ls {
        #[command(flatten)]
        whose: Whose,
    },
    /// Remove a prompt from the queue
    Rm {
        #[command(flatten)]
        whose: Whose,
        /// Id of the prompt or a prefix of it, as `ls` shows it
        #[arg(value_name = "MESSAGE")]
        message: String,
    },
    /// Remove prompts from the queues of all sessions
    Stop {
        /// Those that wait for the reset of a limit
        #[arg(long, required = true)]
        at_reset: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    send(&args.id, &args.text, context)
}

/// Sends a prompt and tells what became of it.
pub(super) fn send(id: &str, text: &str, context: &Context) -> Result<(), CliError> {
    let client = daemon(context)?;
    let id = context.id(client, id)?;
    let path = format!("/api/sessions/{}/controls/notify", escaped(&id));
    let receipt: Receipt = client.post(&path, &message(text)?)?;
    told(&receipt, context.json)?;
    match receipt.delivery_state.as_str() {
        "failed" => Err(failed(&receipt)),
        _ => Ok(()),
    }
}

pub(super) fn run_queue(args: &QueueArgs, context: &Context) -> Result<(), CliError> {
    let client = daemon(context)?;
    let path = |whose: &Whose| -> Result<String, CliError> {
        Ok(format!("/api/sessions/{}/queue", escaped(&context.id(client, &whose.id)?)))
    };
    match &args.what {
        What::Add { whose, text, at_reset, at } => {
            let body = NotifyBody { at_reset: *at_reset, at: at.clone(), ..message(text)? };
            told(&client.post::<Receipt>(&path(whose)?, &body)?, context.json)
        }
        What::Ls { whose } => list(&client.get(&path(whose)?)?, context.json),
        What::Stop { .. } => {
            let it: RemovedPrompts = client.delete("/api/queue/at-reset")?;
            match context.json {
                true => Out::new().json(&it),
                false => say(&format!("removed {}", counted(it.removed))),
            }
        }
        What::Rm { whose, message } => {
            context.id(client, &whose.id)?;
            let path = format!("/api/receipts/{}", escaped(message));
            let receipt: Receipt = client.delete(&path)?;
            match context.json {
                true => Out::new().json(&receipt),
                false => say(&format!("removed {}", receipt.correlation_id)),
            }
        }
    }
}

/// Adds a prompt to the queue of a session.
pub(super) fn queue(id: &str, text: &str, context: &Context) -> Result<(), CliError> {
    let client = daemon(context)?;
    let path = format!("/api/sessions/{}/queue", escaped(id));
    told(&client.post::<Receipt>(&path, &message(text)?)?, context.json)
}

fn counted(prompts: u32) -> String {
    match prompts {
        1 => "1 prompt".to_owned(),
        many => format!("{many} prompts"),
    }
}

fn daemon(context: &Context) -> Result<&Client, CliError> {
    let none = || CliError::no_daemon("no daemon runs: only the daemon can deliver a prompt");
    context.client.as_ref().ok_or_else(none)
}

fn message(text: &str) -> Result<NotifyBody, CliError> {
    let text = match text {
        "-" => {
            let mut said = String::new();
            std::io::stdin().read_to_string(&mut said)?;
            said
        }
        text => text.to_owned(),
    };
    Ok(NotifyBody { text, from_peer_id: Some("cli".to_owned()), ..NotifyBody::default() })
}

fn told(it: &Receipt, json: bool) -> Result<(), CliError> {
    if json {
        return Out::new().json(it);
    }
    match it.delivery_state.as_str() {
        // The error contains the reason.
        "failed" => Ok(()),
        _ => say(&format!("{} {}", it.correlation_id, receipt_says(it))),
    }
}

fn failed(it: &Receipt) -> CliError {
    let why = it.reason.clone().unwrap_or_else(|| "it was not delivered".to_owned());
    CliError { kind: ErrorKind::Refused, message: why, hint: None }
}

fn list(queue: &Queue, json: bool) -> Result<(), CliError> {
    if json {
        return Out::new().json(queue);
    }
    let mut out = Out::new();
    if queue.messages.is_empty() {
        out.line("No prompts wait for this session.")?;
    }
    for it in &queue.messages {
        let age = when::ago(it.accepted_at, env::now());
        let text = line(it.text.as_deref().unwrap_or_default());
        let due = it.not_before.map(|it| format!("not before {it:.0}"));
        let reason = it.reason.as_deref().map(line).or(due);
        let reason = reason.map(|it| format!("  ({it})")).unwrap_or_default();
        out.line(&format!(
            "{} {age:>4} {:<9} {text}{reason}",
            it.correlation_id, it.delivery_state
        ))?;
    }
    out.end()
}

fn say(what: &str) -> Result<(), CliError> {
    Out::print(what)
}
