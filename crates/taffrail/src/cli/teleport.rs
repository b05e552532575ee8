//! `taffrail teleport`

mod through;

use super::completions::session_ids;
use super::events::catch_up;
use super::handoff::quoted;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_api::{ImportReport, ImportedFile, PackReport, PatchFile};
use taffrail_devices::teleport::{
    Arrived, Extras, PackWish, UnpackWish, events_here, pack, unpack,
};
use taffrail_ingest::Scope;
use taffrail_tui::numbers::{bytes, counted};
use taffrail_tui::terminal::line;

/// How long a daemon may take to read what came.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Move a session to another device, sealed
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail teleport pack @last --to tower --out fix.bundle
  taffrail teleport unpack fix.bundle --project ~/src/app --dry-run
  taffrail teleport unpack fix.bundle --project ~/src/app --patch
  taffrail teleport push @last
      upload it to the hub, for your other devices
  taffrail teleport pull 3f2a --project ~/src/app
  taffrail teleport pack 3f2a --to ann@example.org --redacted --out read.bundle
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Pack(PackArgs),
    Unpack(UnpackArgs),
    Push(through::PushArgs),
    Pull(through::PullArgs),
    /// List the sessions on the hub
    Ls,
    Lease(through::LeaseArgs),
}

/// Pack a session into one sealed file for devices of the team
#[derive(Debug, clap::Args)]
struct PackArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Device name, or user for all devices of that user; separate several with commas
    #[arg(long, value_name = "DEVICE|EMAIL", required = true, value_delimiter = ',')]
    to: Vec<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Leave out uncommitted changes
    #[arg(long)]
    no_patch: bool,
    /// Pack only the conversation, to read and not to resume; replaces known kinds of secrets and
    /// reduces paths to names
    #[arg(long)]
    redacted: bool,
}

/// Unpack a session so that its own agent can resume it
#[derive(Debug, clap::Args)]
struct UnpackArgs {
    /// Bundle to unpack
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Project folder in which the session continues; nothing is cloned into it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: PathBuf,
    #[command(flatten)]
    also: Also,
    /// Only list the files that would be written
    #[arg(long)]
    dry_run: bool,
}

/// What else is done.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct Also {
    /// Put the uncommitted changes on a new branch `taffrail/ID`
    #[arg(long)]
    patch: bool,
    /// Apply the changes to the folder instead of a branch
    #[arg(long, requires = "patch")]
    here: bool,
    /// Include this path, which is left out by default: a link, a program, or settings of an agent, an
    /// editor or git; repeatable
    #[arg(long, value_name = "PATH", requires = "patch")]
    take: Vec<String>,
    /// Write the plan, if the project has none
    #[arg(long)]
    plan: bool,
    /// Import it as a separate session, if it also continued here
    #[arg(long)]
    fork: bool,
}

impl Also {
    fn extras(&self) -> Extras {
        let Self { patch, here, plan, .. } = *self;
        Extras { patch, here, plan, named: self.take.clone() }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        What::Pack(wish) => packed(wish, context),
        What::Unpack(wish) => unpacked(wish, context),
        What::Push(wish) => through::push(wish, context),
        What::Pull(wish) => through::pull(wish, context),
        What::Ls => through::list(context),
        What::Lease(wish) => through::lease(wish, context),
    }
}

fn packed(args: &PackArgs, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let wish = PackWish {
        to: &args.to,
        out: &context.env.here.join(&args.out),
        replace: args.force,
        with_patch: !args.no_patch,
        redacted: args.redacted,
    };
    let told = pack(&context.settings, &target, &wish)?;
    if context.json {
        return Out::new().json(&told);
    }
    Out::print(&line(&told.file))?;
    for text in about_pack(&told) {
        say(&text);
    }
    Ok(())
}

fn about_pack(told: &PackReport) -> Vec<String> {
    let names: Vec<_> = told.to.iter().map(|it| line(it)).collect();
    let held = match told.redacted {
        true => "what was said, redacted".to_owned(),
        false => {
            let workers = counted(told.workers as u64, "sub-agent");
            format!("{} with {workers}", counted(told.files as u64, "file"))
        }
    };
    let mut out =
        vec![format!("{}: {held}; only {} can open it", bytes(told.bytes), names.join(", "))];
    if let Some(patch) = &told.patch {
        out.push(format!("uncommitted changes included: {}", bytes(patch.bytes)));
        let behind = patch.left_behind.len() as u64;
        if behind > 0 {
            out.push(format!("{} left out: not text, or too large", counted(behind, "file")));
        }
    }
    if told.plan_files > 0 {
        out.push(format!("{} of the plan", counted(told.plan_files as u64, "file")));
    }
    if let Some(executor) = &told.running {
        out.push(format!(
            "its agent still runs here ({}): the bundle lacks what it does from now on. Quit it before \
             you continue elsewhere",
            line(executor)
        ));
    }
    out
}

fn unpacked(args: &UnpackArgs, context: &Context) -> Result<(), CliError> {
    let file = context.env.here.join(&args.file);
    let project: &Path = &context.env.here.join(&args.project);
    let (with, fork) = (args.also.extras(), args.also.fork);
    let wish = UnpackWish { project, dry_run: args.dry_run, with, fork };
    put(&file, &wish, context)
}

/// Unpacks a file that is here.
fn put(file: &Path, wish: &UnpackWish<'_>, context: &Context) -> Result<(), CliError> {
    let mut arrived = unpack(&context.settings, file, wish)?;
    if matches!(arrived.arrival.state.as_str(), "unpacked" | "shared") {
        met(&mut arrived, context)?;
    }
    if context.json {
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

fn tell(told: &ImportReport) -> Result<(), CliError> {
    let mut out = Out::new();
    for file in &told.files {
        out.line(&row(file))?;
    }
    for file in &told.patch_files {
        out.line(&patch_row(file))?;
    }
    out.line(&told.session_id)?;
    out.end()?;
    for text in about(told) {
        say(&text);
    }
    Ok(())
}

fn row(file: &ImportedFile) -> String {
    format!("{:<6} {:>9} {}", file.action, bytes(file.bytes), line(&file.path))
}

/// A path of what was not committed, with why it is left out.
fn patch_row(file: &PatchFile) -> String {
    let left = file.because.as_deref().filter(|_| !file.taken);
    let why = left.map(|it| format!("  left out: {it}")).unwrap_or_default();
    format!("{:<8} {}{why}", file.change, line(&file.path))
}

fn about(told: &ImportReport) -> Vec<String> {
    let from = line(&told.from.name);
    let id = told.session_id.get(..8).unwrap_or_default();
    let mut out = vec![match told.state.as_str() {
        "ahead" => "the session here is ahead of the bundle; nothing was written".to_owned(),
        "planned" => format!("from {from}; nothing was written"),
        "shared" => format!("from {from}, read-only: taffrail show {id}"),
        _ => format!("from {from}; resume it: taffrail resume {id}"),
    }];
    if let Some(origin) = told.forked_from.as_deref().and_then(|it| it.get(..8)) {
        out.push(format!("it is a fork of {origin}, which stays as it is"));
    }
    if told.state == "unpacked" {
        out.push("it comes from another device: nothing in it can allow anything".to_owned());
    }
    let aside = told.files.iter().filter_map(|it| it.set_aside.as_deref());
    out.extend(aside.map(|it| {
        format!("only bookkeeping of its agent was added here since; it is kept in {}", line(it))
    }));
    out.extend(missing(told));
    out.extend(patch(told));
    let plan = told.plan_files > 0 && !told.plan_put;
    out.extend(plan.then(|| "it has a plan; --plan writes it".to_owned()));
    out
}

fn missing(told: &ImportReport) -> Option<String> {
    let (all, missing) = (told.events?, told.events_missing.filter(|it| *it > 0)?);
    Some(format!("{missing} of {all} events are not here yet; see `taffrail doctor`"))
}

fn patch(told: &ImportReport) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(git) = told.git.as_ref().filter(|it| it.commit != it.commit_here) {
        let short =
            |it: &Option<String>| it.as_deref().and_then(|it| it.get(..12)).map(str::to_owned);
        let there = short(&git.commit).unwrap_or_else(|| "no commit".to_owned());
        let here = short(&git.commit_here).unwrap_or_else(|| "none".to_owned());
        let branch = git.branch.as_deref().map(line).unwrap_or_default();
        out.push(format!("its commit was {there} {branch}; here it is {here}"));
    }
    let left = told.patch_files.iter().filter(|it| !it.taken).count();
    match (told.patch_bytes, told.patch_applied) {
        (Some(_), true) => out.push(match told.patch_branch.as_deref() {
            Some(branch) => format!(
                "the uncommitted changes are on the branch {0}: git merge --squash {0}",
                line(branch)
            ),
            None => "the uncommitted changes were applied".to_owned(),
        }),
        (Some(size), false) => {
            let folder = quoted(&told.project);
            out.push(format!(
                "it has {} of uncommitted changes; --patch puts them on a branch of {folder}",
                bytes(size)
            ));
        }
        (None, _) => {}
    }
    out.extend((left > 0).then(|| {
        format!(
            "{left} paths are left out, because they could run something; --take PATH includes one"
        )
    }));
    out
}
