//! `taffrail teleport`

mod through;

use super::completions::session_ids;
use super::events::{catch_up, refresh};
use super::handoff::quoted;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::numbers::{bytes, counted};
use crate::output::{Out, say};
use crate::terminal::line;
use clap::ValueHint;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_api::{Arrival, ArrivedFile, Packed};
use taffrail_daemon::teleport::{Arrived, Extras, PackWish, UnpackWish, events_here, pack, unpack};
use taffrail_daemon::{Scope, Target};

/// How long a daemon may take to read what came.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Carry a session to another device, sealed, and go on with it there
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail teleport pack @last --to tower --out fix.bundle
  taffrail teleport unpack fix.bundle --project ~/src/app --dry-run
  taffrail teleport unpack fix.bundle --project ~/src/app --patch
  taffrail teleport push @last                    for your other devices, by the hub
  taffrail teleport pull 3f2a --project ~/src/app
  taffrail teleport pack 3f2a --to ann@example.org --redacted --out to-read.bundle
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Pack(PackArgs),
    Unpack(UnpackArgs),
    Push(through::PushArgs),
    Pull(through::PullArgs),
    Ls(through::LsArgs),
    Lease(through::LeaseArgs),
}

/// Pack a session into one sealed file, for devices of the team
#[derive(Debug, clap::Args)]
struct PackArgs {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// A device by its name, or a user for all devices of that user; several with commas
    #[arg(long, value_name = "DEVICE|EMAIL", required = true, value_delimiter = ',')]
    to: Vec<String>,
    /// The file to make
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Leave behind what was not committed
    #[arg(long)]
    no_patch: bool,
    /// Only what was said, to be read and not resumed: known kinds of secrets are taken out, and
    /// paths are reduced to names
    #[arg(long)]
    redacted: bool,
}

/// Unpack a session where its own agent goes on with it
#[derive(Debug, clap::Args)]
struct UnpackArgs {
    /// The bundle
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The folder the session goes on in; nothing is cloned into it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: PathBuf,
    #[command(flatten)]
    also: Also,
    /// Only say what would be written, and where
    #[arg(long)]
    dry_run: bool,
}

/// What else is done.
#[derive(Debug, clap::Args)]
struct Also {
    /// Apply what was not committed there
    #[arg(long)]
    patch: bool,
    /// Put the plan there, where there is none
    #[arg(long)]
    plan: bool,
    /// Take it as a session of its own, where it went on here, too
    #[arg(long)]
    fork: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        What::Pack(wish) => packed(wish, args.json, context),
        What::Unpack(wish) => unpacked(wish, args.json, context),
        What::Push(wish) => through::push(wish, args.json, context),
        What::Pull(wish) => through::pull(wish, args.json, context),
        What::Ls(wish) => through::list(wish, args.json, context),
        What::Lease(wish) => through::lease(wish, context),
    }
}

/// The session that is meant, indexed as it stands now.
fn meant(id: &str, context: &Context) -> Result<Target, CliError> {
    if let Some(client) = &context.client {
        return Ok(Target::Id(context.id(client, id)?));
    }
    let target = context.target(id)?;
    refresh(context, &target)?;
    Ok(target)
}

fn packed(args: &PackArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let target = meant(&args.id, context)?;
    let wish = PackWish {
        to: &args.to,
        out: &context.rim.here.join(&args.out),
        replace: args.force,
        with_patch: !args.no_patch,
        redacted: args.redacted,
    };
    let told = pack(&context.settings, &target, &wish)?;
    if json {
        return Out::new().json(&told);
    }
    let mut out = Out::new();
    out.line(&line(&told.file))?;
    out.end()?;
    for text in about_pack(&told) {
        say(&text);
    }
    Ok(())
}

fn about_pack(told: &Packed) -> Vec<String> {
    let names: Vec<_> = told.to.iter().map(|it| line(it)).collect();
    let held = match told.redacted {
        true => "what was said, redacted".to_owned(),
        false => {
            let workers = counted(told.workers as u64, "worker");
            format!("{} with {workers}", counted(told.files as u64, "file"))
        }
    };
    let mut out =
        vec![format!("{}: {held}; only {} can open it", bytes(told.bytes), names.join(", "))];
    if let Some(patch) = &told.patch {
        out.push(format!("what is not committed goes along: {}", bytes(patch.bytes)));
        let behind = patch.left_behind.len() as u64;
        if behind > 0 {
            out.push(format!("{} stayed behind: not text, or too large", counted(behind, "file")));
        }
    }
    if told.plan_files > 0 {
        out.push(format!("{} of the plan", counted(told.plan_files as u64, "file")));
    }
    out
}

fn unpacked(args: &UnpackArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let file = context.rim.here.join(&args.file);
    let project: &Path = &context.rim.here.join(&args.project);
    let Also { patch, plan, fork } = args.also;
    let with = Extras { patch, plan };
    let wish = UnpackWish { project, dry_run: args.dry_run, with, fork };
    put(&file, &wish, json, context)
}

/// Unpacks a file that is here.
fn put(file: &Path, wish: &UnpackWish<'_>, json: bool, context: &Context) -> Result<(), CliError> {
    let mut arrived = unpack(&context.settings, file, wish)?;
    if matches!(arrived.arrival.state.as_str(), "unpacked" | "shared") {
        met(&mut arrived, context)?;
    }
    if json {
        return Out::new().json(&arrived.arrival);
    }
    tell(&arrived.arrival)
}

/// Has what came indexed, and counts what of it is there.
fn met(arrived: &mut Arrived, context: &Context) -> Result<(), CliError> {
    let counts = match &context.client {
        None => {
            catch_up(context, &Scope::All)?;
            events_here(&context.settings, arrived)?
        }
        Some(client) => waited(client, arrived, context)?,
    };
    if arrived.arrival.state == "unpacked" {
        arrived.arrival.events = Some(counts.0);
        arrived.arrival.events_missing = Some(counts.1);
    }
    Ok(())
}

/// A daemon finds it by itself, soon.
fn waited(
    client: &Client,
    arrived: &Arrived,
    context: &Context,
) -> Result<(usize, usize), CliError> {
    let end = Instant::now() + PATIENCE;
    loop {
        client.post::<Value>("/api/index", &serde_json::json!({}))?;
        let counts = events_here(&context.settings, arrived)?;
        if counts.1 == 0 || Instant::now() >= end {
            return Ok(counts);
        }
        std::thread::sleep(PAUSE);
    }
}

fn tell(told: &Arrival) -> Result<(), CliError> {
    let mut out = Out::new();
    for file in &told.files {
        out.line(&row(file))?;
    }
    out.line(&told.session_id)?;
    out.end()?;
    for text in about(told) {
        say(&text);
    }
    Ok(())
}

fn row(file: &ArrivedFile) -> String {
    format!("{:<6} {:>9} {}", file.action, bytes(file.bytes), line(&file.path))
}

fn about(told: &Arrival) -> Vec<String> {
    let from = line(&told.from.name);
    let id = told.session_id.get(..8).unwrap_or_default();
    let mut out = vec![match told.state.as_str() {
        "ahead" => "what is here is ahead of what came; nothing was written".to_owned(),
        "planned" => format!("from {from}; nothing was written"),
        "shared" => format!("from {from}, to be read: taffrail show {id}"),
        _ => format!("from {from}; go on with it: taffrail resume {id}"),
    }];
    if let Some(origin) = told.forked_from.as_deref().and_then(|it| it.get(..8)) {
        out.push(format!("it is a fork of {origin}, which stays as it is"));
    }
    if told.state == "unpacked" {
        out.push("it is another's word: nothing in it can allow anything".to_owned());
    }
    out.extend(missing(told));
    out.extend(patch(told));
    let plan = told.plan_files > 0 && !told.plan_put;
    out.extend(plan.then(|| "a plan came with it; --plan puts it there".to_owned()));
    out
}

fn missing(told: &Arrival) -> Option<String> {
    let (all, missing) = (told.events?, told.events_missing.filter(|it| *it > 0)?);
    Some(format!("{missing} of {all} events are not here yet; see `taffrail doctor`"))
}

fn patch(told: &Arrival) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(git) = told.git.as_ref().filter(|it| it.commit != it.commit_here) {
        let short =
            |it: &Option<String>| it.as_deref().and_then(|it| it.get(..12)).map(str::to_owned);
        let there = short(&git.commit).unwrap_or_else(|| "no commit".to_owned());
        let here = short(&git.commit_here).unwrap_or_else(|| "none".to_owned());
        let branch = git.branch.as_deref().map(line).unwrap_or_default();
        out.push(format!("it stood at {there} {branch}; here is {here}"));
    }
    match (told.patch_bytes, told.patch_applied) {
        (Some(_), true) => out.push("what was not committed was applied".to_owned()),
        (Some(size), false) => {
            let folder = quoted(&told.project);
            out.push(format!(
                "{} not committed came with it; --patch applies it in {folder}",
                bytes(size)
            ));
        }
        (None, _) => {}
    }
    out
}
