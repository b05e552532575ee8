//! `taffrail device`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim;
use crate::terminal::{line, pad};
use serde::Serialize;
use std::io::{self, BufRead, IsTerminal};
use taffrail_api::{DeviceList, DeviceRow, SCHEMA_VERSION};
use taffrail_daemon::devices::{self, Asking, Beginning, Change, Joined};
use taffrail_daemon::keep_change;
use unicode_width::UnicodeWidthStr;

/// The columns of a role.
const ROLE: usize = 7;

/// This device, its keys, and the team of devices it seals to
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail device init --name laptop    keys for this device, and a team of its own
  taffrail device invite                on the one: a word for one more device
  taffrail device join INVITE           on the other: answer it
  taffrail device approve REQUEST       on the one again, after comparing six words
  taffrail device ls                    who is in the team
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Init(InitArgs),
    /// The devices of the team, with their six words
    Ls,
    /// Make a word that lets one more device ask to come in; it is secret, and good for three days
    Invite {
        /// Whose device it is for; yours, if nothing is said
        #[arg(long = "for", value_name = "EMAIL")]
        user: Option<String>,
    },
    Join(JoinArgs),
    Approve(ApproveArgs),
    /// Take a device out; what is sealed from then on is closed to it
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Let a device change the team, too
    Admin {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Make this device's keys, and a team of it alone
#[derive(Debug, clap::Args)]
struct InitArgs {
    /// What people call it
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Whose it is; your name on this machine, if nothing is said
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
}

/// Answer an invite, and print the word to be carried back; a team of one's own is given up for it
#[derive(Debug, clap::Args)]
struct JoinArgs {
    /// The word that was made there
    #[arg(value_name = "INVITE")]
    invite: String,
    /// What people call this device, where it has no name yet
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Let the device in that answers an invite of this one
#[derive(Debug, clap::Args)]
struct ApproveArgs {
    /// The word that came back
    #[arg(value_name = "REQUEST")]
    request: String,
    /// The six words were compared: do not ask
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Serialize)]
struct Invited {
    schema_version: u32,
    invite: String,
}

#[derive(Debug, Serialize)]
struct Asked {
    schema_version: u32,
    request: String,
    inviter: String,
    inviter_words: String,
    words: String,
    user: String,
    left_own_team: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let json = args.json;
    match &args.what {
        None | Some(What::Ls) => list(json, context),
        Some(What::Init(args)) => init(args, json, context),
        Some(What::Invite { user }) => invite(user.as_deref(), json, context),
        Some(What::Join(args)) => join(args, json, context),
        Some(What::Approve(args)) => approve(args, json, context),
        Some(What::Remove { name }) => {
            let change = devices::remove(&context.settings, name)?;
            changed(context, &change, (&format!("{name} is out of the team"), json))
        }
        Some(What::Admin { name }) => {
            let change = devices::name_admin(&context.settings, name)?;
            changed(context, &change, (&format!("{name} may change the team now"), json))
        }
    }
}

fn init(args: &InitArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let user = args.user.clone().unwrap_or_else(|| context.rim.user());
    let begin = Beginning { name: &args.name, user: &user, random: rim::drawn()? };
    devices::init_device(&context.settings, &begin, *rim::drawn::<16>()?)?;
    let told = devices::devices(&context.settings)?;
    if json {
        return Out::new().json(&told);
    }
    say(&format!("{} is ready, in a team of its own. Its six words:", line(&args.name)));
    let mut out = Out::new();
    out.line(&told.this.words)?;
    out.end()
}

fn list(json: bool, context: &Context) -> Result<(), CliError> {
    let told = devices::devices(&context.settings)?;
    if json {
        return Out::new().json(&told);
    }
    let mut out = Out::new();
    for text in rows(&told) {
        out.line(&text)?;
    }
    out.end()?;
    if told.this.state == "waiting" {
        say(&format!("{} waits to be let in: {}", line(&told.this.name), told.this.words));
    }
    Ok(())
}

fn rows(told: &DeviceList) -> Vec<String> {
    let names: Vec<_> = told.devices.iter().map(named).collect();
    let users: Vec<_> = told.devices.iter().map(|it| line(&it.user)).collect();
    let wide = |all: &[String]| all.iter().map(|it| it.width()).max().unwrap_or_default();
    let (name_width, user_width) = (wide(&names), wide(&users));
    let parts = told.devices.iter().zip(names.iter().zip(&users));
    let told = parts.map(|(it, (name, user))| {
        let (name, user) = (pad(name, name_width), pad(user, user_width));
        format!("{name}  {user}  {}  {}", pad(role(it), ROLE), it.words)
    });
    told.collect()
}

fn named(it: &DeviceRow) -> String {
    let this = if it.this { " (this one)" } else { "" };
    format!("{}{this}", line(&it.name))
}

fn role(it: &DeviceRow) -> &str {
    if it.removed.is_some() { "removed" } else { &it.role }
}

fn invite(user: Option<&str>, json: bool, context: &Context) -> Result<(), CliError> {
    let invite = devices::invite(&context.settings, user, rim::secret()?)?;
    if json {
        return Out::new().json(&Invited { schema_version: SCHEMA_VERSION, invite });
    }
    let mut out = Out::new();
    out.line(&invite)?;
    out.end()?;
    say(
        "carry it where only the invited person reads it, and run there: taffrail device join INVITE",
    );
    Ok(())
}

fn join(args: &JoinArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let (user, random) = (context.rim.user(), rim::drawn()?);
    let name = args.name.as_deref();
    let begin = name.map(|name| Beginning { name, user: &user, random });
    let joined = devices::join(&context.settings, &args.invite, begin.as_ref())?;
    let Joined { request, inviter, inviter_words, words, user, left_own_team } = joined;
    if json {
        let schema_version = SCHEMA_VERSION;
        return Out::new().json(&Asked {
            schema_version,
            request,
            inviter,
            inviter_words,
            words,
            user,
            left_own_team,
        });
    }
    let mut out = Out::new();
    out.line(&request)?;
    out.end()?;
    if left_own_team {
        say("the team of this device alone was given up for it");
    }
    say(&format!("{} invites. Compare its six words there: {inviter_words}", line(&inviter)));
    say(&format!("this device's are: {words}"));
    say("carry the word back, and run there: taffrail device approve REQUEST");
    Ok(())
}

fn approve(args: &ApproveArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let Asking { name, user, words, change } = devices::approve(&context.settings, &args.request)?;
    say(&format!("{} of {} asks to come in. Its six words: {words}", line(&name), line(&user)));
    if !args.yes && !is_agreed("Are these the words on its own screen? [y/N]") {
        say("nobody was let in");
        return Ok(());
    }
    changed(context, &change, (&format!("{} is in the team", line(&name)), json))
}

/// Keeps a change of the team, and says what it was. With a hub, the hub takes it first.
pub(super) fn changed(
    context: &Context,
    change: &Change,
    (done, json): (&str, bool),
) -> Result<(), CliError> {
    let kept = keep_change(&context.settings, change)?;
    if json {
        return Out::new().json(&kept);
    }
    let how = match &context.settings.hub.url {
        Some(_) => "the hub tells the others",
        None => "the next bundle from here tells the others",
    };
    say(&format!("{done}; {how}"));
    Ok(())
}

/// Who sits at a terminal is asked; a program has decided already.
fn is_agreed(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return true;
    }
    say(question);
    let mut answer = String::new();
    // Whoever hangs up does not agree.
    io::stdin().lock().read_line(&mut answer).ok();
    matches!(answer.trim(), "y" | "Y" | "yes")
}
