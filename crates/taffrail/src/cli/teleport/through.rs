//! Teleport through the hub.

use super::super::completions::session_ids;
use super::super::index::bytes;
use super::{Also, about_pack, put};
use crate::cli::Context;
use crate::error::CliError;
use crate::output::{Out, columns, is_terminal, say};
use clap::ValueHint;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_api::HubBundle;
use taffrail_devices::exchange::{fetch, hold, parcels, under_lease};
use taffrail_devices::teleport::UnpackWish;
use taffrail_env as env;
use taffrail_model::{SessionId, hash};
use taffrail_query::resolve::resolve;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when;

/// Upload a session to the hub, for your other devices
#[derive(Debug, clap::Args)]
pub(super) struct PushArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Devices or users, instead of your own devices
    #[arg(long, value_name = "DEVICE|EMAIL", num_args = 1.., value_delimiter = ',')]
    to: Vec<String>,
    /// Leave out uncommitted changes
    #[arg(long)]
    no_patch: bool,
}

/// Download a session from the hub, to resume it here
#[derive(Debug, clap::Args)]
pub(super) struct PullArgs {
    /// Session id or a prefix of it, as `teleport ls` lists it
    #[arg(value_name = "ID")]
    id: String,
    /// Project folder in which the session continues; nothing is cloned into it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: PathBuf,
    #[command(flatten)]
    also: Also,
    /// Only list the files that would be written
    #[arg(long)]
    dry_run: bool,
}

/// Hold the lease of a session, so that no other device pulls or resumes it
#[derive(Debug, clap::Args)]
pub(super) struct LeaseArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    hold: u64,
}

pub(super) fn push(args: &PushArgs, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let told =
        taffrail_devices::exchange::push(&context.settings, &target, (&args.to, !args.no_patch))?;
    if context.json {
        return Out::new().json(&told);
    }
    Out::print(&told.session_id)?;
    for text in about_pack(&told) {
        say(&text);
    }
    let id = told.session_id.get(..8).unwrap_or_default();
    say(&format!("it is on the hub; on another device: taffrail teleport pull {id} --project DIR"));
    Ok(())
}

pub(super) fn pull(args: &PullArgs, context: &Context) -> Result<(), CliError> {
    let parcel = newest(&args.id, context)?;
    let session = session_of(&parcel.session_id)?;
    let bring = || brought(&parcel, args, context);
    match args.dry_run {
        true => bring(),
        false => under_lease(&context.settings, session, bring),
    }
}

fn brought(parcel: &HubBundle, args: &PullArgs, context: &Context) -> Result<(), CliError> {
    let file = fetch(&context.settings, parcel)?;
    let project: &Path = &context.env.here.join(&args.project);
    let (with, fork) = (args.also.extras(), args.also.fork);
    let wish = UnpackWish { project, dry_run: args.dry_run, with, fork };
    put(file.path(), &wish, context)
}

/// The newest bundle of the one session whose id begins like this.
fn newest(id: &str, context: &Context) -> Result<HubBundle, CliError> {
    let all = parcels(&context.settings)?;
    let mut meant: Vec<HubBundle> =
        all.into_iter().filter(|it| it.session_id.starts_with(id)).collect();
    let first = meant.first().map(|it| it.session_id.clone()).unwrap_or_default();
    if meant.iter().any(|it| it.session_id != first) {
        return Err(CliError::usage(
            format!("`{id}` is ambiguous: it matches several sessions"),
            "type more of the id",
        ));
    }
    if meant.is_empty() {
        return Err(CliError::not_found(
            format!("no session on the hub begins with `{id}`"),
            "`taffrail teleport ls` lists them. On the device it is on, `taffrail teleport push` leaves \
                 it there; a device that is off has to be switched on for that",
        ));
    }
    Ok(meant.swap_remove(0))
}

fn session_of(text: &str) -> Result<SessionId, CliError> {
    let odd = || CliError::usage(format!("`{text}` is not a session id"), "taffrail teleport ls");
    hash::from_hex(text).map(SessionId::from_bytes).ok_or_else(odd)
}

pub(super) fn list(context: &Context) -> Result<(), CliError> {
    let all = parcels(&context.settings)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&json!({"schema_version": 1, "parcels": all}));
    }
    if all.is_empty() {
        say("the hub has no session; `taffrail teleport push ID` uploads one");
    }
    let width = if is_terminal() { columns() } else { usize::MAX };
    // Only the newest bundle of each session is pulled.
    for it in all.iter().filter(|it| it.bytes.is_some()) {
        let pushes = all.iter().filter(|other| other.session_id == it.session_id).count();
        out.line(&fit(&row(it, pushes), width))?;
    }
    out.end()
}

fn row(it: &HubBundle, pushes: usize) -> String {
    let id = it.session_id.get(..8).unwrap_or_default();
    let ago = when::ago(it.at, env::now());
    let size = it.bytes.map(bytes).unwrap_or_default();
    let project = it.project.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = line(project.rsplit('/').next().unwrap_or(project));
    let title = it.title.as_deref().map_or("(not known here)".to_owned(), line);
    let times = if pushes > 1 { format!("  ({pushes} pushes)") } else { String::new() };
    format!(
        "{id}  {}  {ago:>4} ago  {size:>9}  {project}  {title}{times}",
        pad(&line(&it.device), 12)
    )
}

pub(super) fn lease(args: &LeaseArgs, context: &Context) -> Result<(), CliError> {
    let row = resolve(&context.settings, &context.found(&args.id)?)?;
    let mut failed = Ok(());
    hold(&context.settings, row.id, Duration::from_secs(args.hold), |held| {
        let (mut out, number) = (Out::new(), held.token.number());
        if context.json {
            failed = out.json(&json!({"schema_version": 1, "session_id": row.id, "until": held.until, "number": number}));
            return;
        }
        let text = format!("held until {}, number {number}", held.until);
        failed = out.line(&text).and_then(|_| out.end());
    })?;
    failed
}
