//! Teleport through the hub.

use super::super::completions::session_ids;
use super::{Also, about_pack, meant, put};
use crate::cli::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::{line, pad};
use crate::{rim, when};
use clap::ValueHint;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_api::{ErrorKind, Parcel};
use taffrail_daemon::teleport::{Extras, UnpackWish};
use taffrail_daemon::{Target, fetch, hold, parcels, resolve, under_lease};
use taffrail_model::{SessionId, hash};

/// Leave a session on the hub, for your other devices
#[derive(Debug, clap::Args)]
pub(super) struct PushArgs {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Other devices or users than your own
    #[arg(long, value_name = "DEVICE|EMAIL", num_args = 1.., value_delimiter = ',')]
    to: Vec<String>,
    /// Leave behind what was not committed
    #[arg(long)]
    no_patch: bool,
}

/// Bring a session from the hub, and go on with it here
#[derive(Debug, clap::Args)]
pub(super) struct PullArgs {
    /// The beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// The folder the session goes on in; nothing is cloned into it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: PathBuf,
    #[command(flatten)]
    also: Also,
    /// Only say what would be written, and where
    #[arg(long)]
    dry_run: bool,
}

/// List the sessions on the hub
#[derive(Debug, clap::Args)]
pub(super) struct LsArgs {}

/// Hold the lease over a session, so that no other device pulls it
#[derive(Debug, clap::Args)]
pub(super) struct LeaseArgs {
    /// The beginning of its id
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// For so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    hold: u64,
}

pub(super) fn push(args: &PushArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let target = meant(&args.id, context)?;
    let told = taffrail_daemon::push(&context.settings, &target, (&args.to, !args.no_patch))?;
    if json {
        return Out::new().json(&told);
    }
    let mut out = Out::new();
    out.line(&told.session_id)?;
    out.end()?;
    for text in about_pack(&told) {
        say(&text);
    }
    let id = told.session_id.get(..8).unwrap_or_default();
    say(&format!("it is on the hub; elsewhere: taffrail teleport pull {id} --project DIR"));
    Ok(())
}

pub(super) fn pull(args: &PullArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let parcel = newest(&args.id, context)?;
    let session = session_of(&parcel.session_id)?;
    let bring = || brought(&parcel, args, json, context);
    match args.dry_run {
        true => bring(),
        false => under_lease(&context.settings, session, bring),
    }
}

fn brought(
    parcel: &Parcel,
    args: &PullArgs,
    json: bool,
    context: &Context,
) -> Result<(), CliError> {
    let file = fetch(&context.settings, parcel)?;
    let project: &Path = &context.rim.here.join(&args.project);
    let Also { patch, plan, fork } = args.also;
    let with = Extras { patch, plan };
    let wish = UnpackWish { project, dry_run: args.dry_run, with, fork };
    put(file.path(), &wish, json, context)
}

/// The newest bundle of the one session whose id begins like this.
fn newest(id: &str, context: &Context) -> Result<Parcel, CliError> {
    let all = parcels(&context.settings)?;
    let mut meant: Vec<Parcel> =
        all.into_iter().filter(|it| it.session_id.starts_with(id)).collect();
    let first = meant.first().map(|it| it.session_id.clone()).unwrap_or_default();
    if meant.iter().any(|it| it.session_id != first) {
        return Err(CliError::usage(format!("`{id}` begins several ids"), "type more of the id"));
    }
    if meant.is_empty() {
        return Err(CliError {
            kind: ErrorKind::NotFound,
            message: format!("no session on the hub begins with `{id}`"),
            hint: Some(
                "`taffrail teleport ls` lists them; `teleport push` leaves one there".into(),
            ),
        });
    }
    Ok(meant.swap_remove(0))
}

fn session_of(text: &str) -> Result<SessionId, CliError> {
    let odd = || CliError::usage(format!("`{text}` is no id"), "taffrail teleport ls");
    hash::from_hex(text).map(SessionId::from_bytes).ok_or_else(odd)
}

pub(super) fn list(_: &LsArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let all = parcels(&context.settings)?;
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "parcels": all}));
    }
    if all.is_empty() {
        say("nothing is on the hub; `taffrail teleport push ID` leaves a session there");
    }
    for it in &all {
        let id = it.session_id.get(..8).unwrap_or_default();
        let ago = when::ago(it.at, rim::now());
        out.line(&format!("{id}  {}  {ago} ago", pad(&line(&it.device), 16)))?;
    }
    out.end()
}

pub(super) fn lease(args: &LeaseArgs, context: &Context) -> Result<(), CliError> {
    let target = match &context.client {
        Some(client) => Target::Id(context.id(client, &args.id)?),
        None => context.target(&args.id)?,
    };
    let row = resolve(&context.settings, &target)?;
    let mut failed = Ok(());
    hold(&context.settings, row.id, Duration::from_secs(args.hold), |held| {
        let mut out = Out::new();
        let text = format!("held until {}, number {}", held.until, held.token.number());
        failed = out.line(&text).and_then(|_| out.end());
    })?;
    failed
}
