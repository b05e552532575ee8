//! `taffrail device`

use super::confirmation::agreed;
use super::hub::REMOVED;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use serde::Serialize;
use taffrail_env as env;
use taffrail_tui::terminal::{line, pad};

use taffrail_api::{DeviceList, DeviceRow, SCHEMA_VERSION};
use taffrail_devices::exchange::keep_change;
use taffrail_team::{Asking, Beginning, Change, Joined, Vouched};
use unicode_width::UnicodeWidthStr;

/// The columns of a role.
const ROLE: usize = 7;

/// Manage this device, its keys and its team
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail device init --name laptop
      create keys and a team for this device
  taffrail device invite                on the first device: print an invite
  taffrail device join INVITE           on the second device: print a request
  taffrail device approve REQUEST
      on the first device, after comparing six words
  taffrail device ls                    the devices of the team
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Init(InitArgs),
    /// List the devices of the team with their six-word fingerprints
    Ls,
    /// Print an invite for one more device; it is secret and valid for three days
    Invite {
        /// User who owns the new device [default: you]
        #[arg(long = "for", value_name = "EMAIL")]
        user: Option<String>,
    },
    Join(JoinArgs),
    /// Admit a device that accepted an invite of this device
    Approve(RequestArgs),
    /// Vouch for another device of yours that an admin of another user admits
    Vouch(RequestArgs),
    /// Remove a device from the team; it cannot open anything sealed later
    Remove {
        /// Name of the device
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Make a device an admin of the team
    Admin {
        /// Name of the device
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Create the keys of this device and a team with this device alone
#[derive(Debug, clap::Args)]
struct InitArgs {
    /// Name of this device
    #[arg(long, value_name = "NAME")]
    name: String,
    /// User who owns it [default: your user name on this machine]
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
}

/// Accept an invite and print a request for the inviting device; replaces a team of this device alone
#[derive(Debug, clap::Args)]
struct JoinArgs {
    /// Invite printed by the other device; `-` reads it from standard input
    #[arg(value_name = "INVITE")]
    invite: String,
    /// Name of this device; required if it has none
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

// A plain comment: a documented one would become the help of the commands.
// A device's request, and whether the words were compared.
#[derive(Debug, clap::Args)]
struct RequestArgs {
    /// Request printed by `device join`
    #[arg(value_name = "REQUEST")]
    request: String,
    /// Do not ask whether the six words match
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Serialize)]
struct VouchedFor {
    schema_version: u32,
    request: String,
    name: String,
    words: String,
}

#[derive(Debug, Serialize)]
struct Invited {
    schema_version: u32,
    invite: String,
}

#[derive(Debug, Serialize)]
struct JoinDocument {
    schema_version: u32,
    request: String,
    inviter: String,
    inviter_words: String,
    words: String,
    user: String,
    left_own_team: bool,
    hub: Option<String>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        None | Some(What::Ls) => list(context),
        Some(What::Init(args)) => init(args, context),
        Some(What::Invite { user }) => invite(user.as_deref(), context),
        Some(What::Join(args)) => join(args, context),
        Some(What::Approve(args)) => approve(args, context),
        Some(What::Vouch(args)) => vouch(args, context),
        Some(What::Remove { name }) => {
            let change = taffrail_team::remove(&context.settings, name)?;
            changed(context, &change, &format!("{name} is removed from the team"))?;
            tell_of_server(
                context,
                "Until then the device can still connect and read sealed items",
            );
            Ok(())
        }
        Some(What::Admin { name }) => {
            let change = taffrail_team::name_admin(&context.settings, name)?;
            changed(context, &change, &format!("{name} is an admin of the team now"))
        }
    }
}

fn init(args: &InitArgs, context: &Context) -> Result<(), CliError> {
    let user = args.user.clone().unwrap_or_else(|| context.env.user());
    let begin = Beginning { name: &args.name, user: &user, random: env::drawn()? };
    taffrail_team::init_device(&context.settings, &begin, *env::drawn::<16>()?)?;
    let told = taffrail_devices::devices(&context.settings)?;
    if context.json {
        return Out::new().json(&told);
    }
    say(&format!("{} is ready, in a team of its own. Its six words:", line(&args.name)));
    Out::print(&told.this.words)
}

fn list(context: &Context) -> Result<(), CliError> {
    let told = taffrail_devices::devices(&context.settings)?;
    if context.json {
        return Out::new().json(&told);
    }
    let mut out = Out::new();
    out.lines(rows(&told))?;
    match told.this.state.as_str() {
        "waiting" => {
            say(&format!("{} waits to be approved: {}", line(&told.this.name), told.this.words));
        }
        "removed" => say(REMOVED),
        _ => {}
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

fn invite(user: Option<&str>, context: &Context) -> Result<(), CliError> {
    let invite = taffrail_team::invite(&context.settings, user, env::secret()?)?;
    if context.json {
        return Out::new().json(&Invited { schema_version: SCHEMA_VERSION, invite });
    }
    Out::print(&invite)?;
    say(
        "send it to the new device by a private channel, and run there: taffrail device join INVITE",
    );
    Ok(())
}

fn join(args: &JoinArgs, context: &Context) -> Result<(), CliError> {
    let (user, random) = (context.env.user(), env::drawn()?);
    let name = args.name.as_deref();
    let begin = name.map(|name| Beginning { name, user: &user, random });
    let invite = match args.invite.as_str() {
        "-" => std::io::read_to_string(std::io::stdin().lock())?,
        invite => invite.to_owned(),
    };
    let joined = taffrail_team::join(&context.settings, invite.trim(), begin.as_ref())?;
    let Joined { request, inviter, inviter_words, words, user, left_own_team, hub } = joined;
    if context.json {
        let schema_version = SCHEMA_VERSION;
        return Out::new().json(&JoinDocument {
            schema_version,
            request,
            inviter,
            inviter_words,
            words,
            user,
            left_own_team,
            hub,
        });
    }
    Out::print(&request)?;
    if left_own_team {
        say("this device left its own team");
    }
    say(&format!(
        "{} invites this device. Compare its six words on its screen: {inviter_words}",
        line(&inviter)
    ));
    say(&format!("the six words of this device: {words}"));
    say("send the request back, and run there: taffrail device approve REQUEST");
    if let Some(hub) = hub.filter(|_| context.settings.hub.url.is_none()) {
        say(&format!("then use the hub of the team here: taffrail hub use '{}'", line(&hub)));
    }
    Ok(())
}

fn approve(args: &RequestArgs, context: &Context) -> Result<(), CliError> {
    let Asking { name, user, words, change } =
        taffrail_team::approve(&context.settings, &args.request)?;
    say(&format!("{} of {} asks to join. Its six words: {words}", line(&name), line(&user)));
    if !args.yes && !agreed("Are these the words on its own screen?") {
        say("the device was not added");
        return Ok(());
    }
    changed(context, &change, &format!("{} is in the team", line(&name)))?;
    tell_of_server(context, "Until then the server refuses the device");
    Ok(())
}

fn vouch(args: &RequestArgs, context: &Context) -> Result<(), CliError> {
    let Vouched { name, words, request } = taffrail_team::vouch(&context.settings, &args.request)?;
    say(&format!("{} asks to join as a device of yours. Its six words: {words}", line(&name)));
    say("It will read all your sessions and can answer their requests.");
    if !args.yes && !agreed("Are these the words on its own screen?") {
        say("you did not vouch for the device");
        return Ok(());
    }
    if context.json {
        let schema_version = SCHEMA_VERSION;
        return Out::new().json(&VouchedFor { schema_version, request, name, words });
    }
    Out::print(&request)?;
    say("send this request to the admin who made the invite: taffrail device approve REQUEST");
    Ok(())
}

/// A NATS server knows devices by its configuration, which somebody has to update.
fn tell_of_server(context: &Context, until: &str) {
    let hub = &context.settings.hub;
    let is_server = |it: &String| it.starts_with("nats://") || it.starts_with("tls://");
    if context.json || hub.credentials.is_some() || !hub.url.as_ref().is_some_and(is_server) {
        return;
    }
    say("if `taffrail hub config` wrote the configuration of the server, update it and reload:");
    say("  taffrail hub config --out FILE && nats-server --signal reload");
    say(&format!("{until}."));
}

/// Keeps a change of the team, and says what it was. With a hub, the hub takes it first.
pub(super) fn changed(context: &Context, change: &Change, done: &str) -> Result<(), CliError> {
    let kept = keep_change(&context.settings, change)?;
    if context.json {
        return Out::new().json(&kept);
    }
    let how = match &context.settings.hub.url {
        Some(_) => "the hub informs the other devices",
        None => "the next bundle from here informs the other devices",
    };
    say(&format!("{done}; {how}"));
    Ok(())
}
