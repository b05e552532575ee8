//! `taffrail share`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::{fit, line, pad};
use crate::{rim, when};
use taffrail_api::{ReceivedRow, ShareChange, ShareList, ShareReaders, ShareRow};
use taffrail_daemon::{Target, revoke, share, shares};

/// The columns of a list.
const WIDTH: usize = 100;
/// The columns of names.
const NAMES: usize = 24;

/// Let others of your team read one session, and nothing else
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail share 3f2a --with bob@example.org      all devices of Bob's
  taffrail share @last --with tower               one device
  taffrail share ls                               what is shared, and with whom
  taffrail share revoke 3f2a                      its readers delete it

They see its history and what follows, read-only, sealed to them: known kinds of secrets are taken
out, and paths are reduced to names. What they read they may have kept: revoking cannot undo that.

")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", required = true, add = session_ids())]
    id: Option<String>,
    /// A device by its name, or a user for all devices of that user; several with commas
    #[arg(long, value_name = "EMAIL|DEVICE", required = true, value_delimiter = ',')]
    with: Vec<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List what is shared from here, and what others share with this device
    Ls,
    /// Share it no more: its readers delete what they hold of it; what they copied stays theirs
    Revoke {
        /// A share as `share ls` names it, or a session for all its shares
        #[arg(value_name = "SHARE|SESSION")]
        name: String,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match (&args.what, &args.id) {
        (Some(What::Ls), _) => list(args.json, context),
        (Some(What::Revoke { name }), _) => revoked(name, args.json, context),
        (None, Some(id)) => shared(id, args, context),
        (None, None) => Err(CliError::usage("no session is named", "taffrail share --help")),
    }
}

fn shared(id: &str, args: &Args, context: &Context) -> Result<(), CliError> {
    let target = match &context.client {
        Some(client) => Target::Id(context.id(client, id)?),
        None => {
            let target = context.target(id)?;
            refresh(context, &target)?;
            target
        }
    };
    let done = share(&context.settings, &target, &args.with)?;
    changed(&done, args.json, |it| format!("{} read it from now on", readers(&it.with)))
}

fn revoked(name: &str, json: bool, context: &Context) -> Result<(), CliError> {
    let done = revoke(&context.settings, name)?;
    changed(&done, json, |it| {
        let who = readers(&it.with);
        format!("{who} delete it, and hear no more of it; what was read may have been kept")
    })
}

/// Says what was done, and what is still to be.
fn changed(
    done: &ShareChange,
    json: bool,
    told: impl Fn(&ShareRow) -> String,
) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(done);
    }
    for it in &done.shares {
        out.line(&it.id)?;
    }
    out.end()?;
    for it in &done.shares {
        say(&told(it));
    }
    if !done.carried {
        say("no daemon runs: it is carried when one does (`taffrail daemon start`)");
    }
    Ok(())
}

fn readers(it: &ShareReaders) -> String {
    let names: Vec<_> = it.users.iter().chain(&it.devices).map(|it| line(it)).collect();
    names.join(", ")
}

fn list(json: bool, context: &Context) -> Result<(), CliError> {
    let told = shares(&context.settings)?;
    let mut out = Out::new();
    if json {
        return out.json(&told);
    }
    for text in rows(&told) {
        out.line(&fit(&text, WIDTH))?;
    }
    out.end()?;
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
    let since = when::ago(it.since, rim::now());
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
