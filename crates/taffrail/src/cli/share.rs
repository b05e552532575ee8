//! `taffrail share`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::{ReceivedRow, ShareChange, ShareList, ShareReaders, ShareRow};
use taffrail_devices::{revoke, share, shares};
use taffrail_env as env;
use taffrail_query::resolve::resolve;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when;

/// The columns of a list.
const WIDTH: usize = 100;
/// The columns of names.
const NAMES: usize = 24;

/// Let others of your team read one session
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail share 3f2a --with bob@example.org      every device of Bob
  taffrail share @last --with tower               one device
  taffrail share ls                               shared sessions and readers
  taffrail share revoke 3f2a                      stop sharing it

Readers see the session's past and future, read-only and sealed to them.
Taffrail replaces known kinds of secrets and reduces paths to names. Readers may
have kept what they read: revoking cannot undo that.

")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", required = true, add = session_ids())]
    id: Option<String>,
    /// Device name, or user for all devices of that user; separate several with commas
    #[arg(long, value_name = "EMAIL|DEVICE", required = true, value_delimiter = ',')]
    with: Vec<String>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List sessions shared from here and sessions that others share with this device
    Ls,
    /// Stop sharing; the readers' devices delete the session
    Revoke {
        /// Share, as `share ls` names it, or session for all its shares: its id, @last, @waiting or .
        #[arg(value_name = "SHARE|SESSION")]
        name: String,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match (&args.what, &args.id) {
        (Some(What::Ls), _) => list(context),
        (Some(What::Revoke { name }), _) => revoked(name, context),
        (None, Some(id)) => shared(id, args, context),
        (None, None) => Err(CliError::usage("no session is named", "taffrail share --help")),
    }
}

fn shared(id: &str, args: &Args, context: &Context) -> Result<(), CliError> {
    let done = share(&context.settings, &context.found(id)?, &args.with)?;
    changed(&done, context, |it| format!("{} can read it from now on", readers(&it.with)))
}

fn revoked(name: &str, context: &Context) -> Result<(), CliError> {
    let is_word = name.starts_with('@') || name == ".";
    let session = is_word.then(|| context.found(name)).transpose()?;
    let session = session.map(|it| resolve(&context.settings, &it)).transpose()?;
    let name = session.map_or_else(|| name.to_owned(), |it| it.id.to_string());
    let done = revoke(&context.settings, &name)?;
    changed(&done, context, |it| {
        let who = readers(&it.with);
        format!("{who} will delete it and receive nothing more; they may have kept what they read")
    })
}

/// Says what was done, and what is still to be.
fn changed(
    done: &ShareChange,
    context: &Context,
    told: impl Fn(&ShareRow) -> String,
) -> Result<(), CliError> {
    let mut out = Out::new();
    if context.json {
        return out.json(done);
    }
    out.lines(done.shares.iter().map(|it| &it.id))?;
    for it in &done.shares {
        say(&told(it));
    }
    if !done.carried {
        say("no daemon runs: the change is sent when one does (`taffrail daemon start`)");
    }
    Ok(())
}

fn readers(it: &ShareReaders) -> String {
    let names: Vec<_> = it.users.iter().chain(&it.devices).map(|it| line(it)).collect();
    names.join(", ")
}

fn list(context: &Context) -> Result<(), CliError> {
    let told = shares(&context.settings)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&told);
    }
    out.lines(rows(&told).iter().map(|text| fit(text, WIDTH)))?;
    if told.shared.is_empty() && told.received.is_empty() {
        say("nothing is shared; `taffrail share ID --with EMAIL` lets others read one session");
    }
    Ok(())
}

fn rows(told: &ShareList) -> Vec<String> {
    let from_here = told.shared.iter().map(given);
    from_here.chain(told.received.iter().map(received)).collect()
}

fn given(it: &ShareRow) -> String {
    let with = pad(&format!("to {}", readers(&it.with)), NAMES);
    let since = when::ago(it.since, env::now());
    let state = if it.state == "shared" { format!("{since} ago") } else { it.state.clone() };
    format!(
        "{}  {with}  {}  {}  {}",
        id(&it.session_id),
        pad(&state, 8),
        it.id,
        title(it.title.as_deref())
    )
}

fn received(it: &ReceivedRow) -> String {
    let user = it.user.as_ref().map_or(String::new(), |it| format!(" of {}", line(it)));
    let from = pad(&format!("from {}{user}", line(&it.device)), NAMES);
    format!("{}  {from}  {}", id(&it.session_id), title(it.title.as_deref()))
}

fn id(text: &str) -> String {
    text.chars().take(8).collect()
}

fn title(text: Option<&str>) -> String {
    text.map_or("(no title)".to_owned(), line)
}
