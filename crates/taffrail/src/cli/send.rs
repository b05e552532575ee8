//! `taffrail send` and `taffrail queue`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use crate::wording::receipt_says;
use crate::{rim, when};
use std::io::Read;
use taffrail_api::client::{Client, escaped};
use taffrail_api::{ErrorKind, NotifyBody, Queue, Receipt};

/// Send a prompt to a session that runs in tmux or under `taffrail run`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail send 3f2a \"now run the tests\"
  taffrail send @last - < prompt.md      what standard input says
It goes in when the session waits for a prompt; until then it waits in the session's queue. A session of
another device takes it where that device allows it (`sync.remote`), and the receipt comes from there.
")]
pub(super) struct Args {
    /// The beginning of its id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// What to say; - reads standard input
    #[arg(value_name = "TEXT")]
    text: String,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Prompts that wait for a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail queue 3f2a add \"then update the changelog\"
  taffrail queue 3f2a ls
  taffrail queue 3f2a rm 9c1d
They go in one at a time, each when the session waits for a prompt, and never on a guess.
")]
pub(super) struct QueueArgs {
    /// The beginning of its id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    #[command(subcommand)]
    what: What,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Add a prompt at the end
    Add {
        /// What to say; - reads standard input
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Show what waits
    Ls,
    /// Take a prompt back
    Rm {
        /// The beginning of its id, as `ls` shows it
        #[arg(value_name = "MESSAGE")]
        message: String,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    send(&args.id, &args.text, args.json, context)
}

/// Sends a prompt and tells what became of it.
pub(super) fn send(id: &str, text: &str, json: bool, context: &Context) -> Result<(), CliError> {
    let client = daemon(context)?;
    let id = context.id(client, id)?;
    let path = format!("/api/sessions/{}/controls/notify", escaped(&id));
    let receipt: Receipt = client.post(&path, &message(text)?)?;
    told(&receipt, json)?;
    match receipt.delivery_state.as_str() {
        "failed" => Err(failed(&receipt)),
        _ => Ok(()),
    }
}

pub(super) fn run_queue(args: &QueueArgs, context: &Context) -> Result<(), CliError> {
    let client = daemon(context)?;
    let id = context.id(client, &args.id)?;
    let path = format!("/api/sessions/{}/queue", escaped(&id));
    match &args.what {
        What::Add { text } => told(&client.post::<Receipt>(&path, &message(text)?)?, args.json),
        What::Ls => list(&client.get(&path)?, args.json),
        What::Rm { message } => {
            let path = format!("/api/receipts/{}", escaped(message));
            let receipt: Receipt = client.delete(&path)?;
            match args.json {
                true => Out::new().json(&receipt),
                false => say(&format!("{} is taken back", receipt.correlation_id)),
            }
        }
    }
}

fn daemon(context: &Context) -> Result<&Client, CliError> {
    context.client.as_ref().ok_or_else(|| CliError {
        kind: ErrorKind::DaemonUnreachable,
        message: "no daemon runs: only it can deliver a prompt".to_owned(),
        hint: Some("taffrail daemon start".to_owned()),
    })
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
        // That is an error, which says why.
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
        out.line("nothing waits for it")?;
    }
    for it in &queue.messages {
        let age = when::ago(it.accepted_at, rim::now());
        let text = line(it.text.as_deref().unwrap_or_default());
        let reason = it.reason.as_deref().map(|it| format!("  ({})", line(it))).unwrap_or_default();
        out.line(&format!(
            "{} {age:>4} {:<9} {text}{reason}",
            it.correlation_id, it.delivery_state
        ))?;
    }
    out.end()
}

fn say(what: &str) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(what)?;
    out.end()
}
