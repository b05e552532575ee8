//! `taffrail link`: another device, with a short code; or a session's link to its process and files.

mod daemon;
mod first;
mod host;
mod qr;
mod second;
mod session;

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use clap::ValueHint;
pub(super) use session::Action;
use taffrail_devices::ssh::SshHost;
use taffrail_model::caller::Right;

/// Link another device, or show a session's process and files
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail link --hub nats://10.0.0.5
      on the first device: make keys, use this hub, print a code, and wait
  taffrail link nats://10.0.0.5:4222#k7qf-9m2x-w4tz-p8hr-3n6d
      on the second device: join with that code
  taffrail link                          a code for one more device
  taffrail link ssh://ann@tower
      the board of a host without any hub, read-only, through one SSH connection
  taffrail link ssh://tower --answer     also answer its requests for approval
  taffrail link @last
      a session: its process, its history, and whether it can be resumed
  taffrail link 3f2a --json              in the form of the binding contract
  taffrail link 3f2a --operations        attempts to resume it
  taffrail link join 3f2a 91c0           3f2a replaces 91c0
  taffrail link split 91c0               undo the join
  taffrail link archive 3f2a
      keep it for history only; `resume` does not offer it
", after_help = "\
A code lets one device in, within ten minutes. Both screens show six words for each
device: compare them before you agree. docs/devices.md says what happens inside.
A host of ssh:// needs Taffrail and your SSH key, and no hub.
")]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Code that `taffrail link` printed on the other device; a host as ssh://USER@HOST:PORT; or a session: its id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "CODE|HOST|ID", add = session_ids())]
    id: Option<String>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    host: host::HostArgs,
    /// List the attempts to resume a session, and how each ended
    #[arg(long, requires = "id")]
    operations: bool,
}

// A plain comment: a documented one would become the help of the command.
// What is said about this device and its hub.
#[derive(Debug, clap::Args)]
struct DeviceArgs {
    /// Hub of the devices: `file:///DIR`, `s3://BUCKET/PREFIX`, `nats://HOST`, ... [default: the one in use]
    #[arg(long, value_name = "ADDRESS")]
    hub: Option<String>,
    /// File with credentials for the hub, if not this device's own key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    credentials: Option<String>,
    /// Name of this device [default: its host name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Do not ask whether the six words match
    #[arg(long, short)]
    yes: bool,
}

/// What a word on the command line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// A code is to be made.
    NewCode,
    /// It is a code.
    Code,
    /// It is a host that SSH reaches.
    Host,
    /// It is a session.
    Session,
}

impl DeviceArgs {
    fn is_given(&self) -> bool {
        self.hub.is_some() || self.credentials.is_some() || self.name.is_some() || self.yes
    }

    /// The name for a device that has none.
    fn name_or(&self, host: &str) -> String {
        let short = host.split('.').next().unwrap_or_default();
        let usual = if short.is_empty() { "device" } else { short };
        self.name.clone().unwrap_or_else(|| usual.to_owned())
    }
}

impl Args {
    fn meaning(&self) -> Meaning {
        let is_code = |id: &String| id.contains('#') || id.contains("://");
        match &self.id {
            None => Meaning::NewCode,
            Some(id) if SshHost::is_meant(id) || self.host.is_given() => Meaning::Host,
            Some(id) if is_code(id) || self.device.is_given() => Meaning::Code,
            Some(_) => Meaning::Session,
        }
    }
}

/// The right that the arguments need: a person lets a device in and answers requests, a script may read another host with
/// its user's SSH key, and everybody may see a session.
pub(super) fn right(matches: &clap::ArgMatches) -> Right {
    use clap::FromArgMatches;
    let Ok(args) = Args::from_arg_matches(matches) else { return Right::Decide };
    match args.meaning() {
        _ if args.action.is_some() => Right::Script,
        Meaning::NewCode | Meaning::Code => Right::Decide,
        Meaning::Host if args.host.answer => Right::Decide,
        Meaning::Host => Right::Script,
        Meaning::Session => Right::Read,
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let id = args.id.as_deref().unwrap_or_default();
    match (&args.action, args.meaning()) {
        (Some(action), _) => session::repair(action, context),
        (None, Meaning::NewCode) => first::run(&args.device, context),
        (None, Meaning::Code) => second::run(id, &args.device, context),
        (None, Meaning::Host) if args.device.is_given() => Err(CliError::usage(
            "a host of ssh:// needs no hub, no name and no words to compare",
            "omit --hub, --credentials, --name and --yes",
        )),
        (None, Meaning::Host) => host::run(id, &args.host, context),
        (None, Meaning::Session) => session::show(id, args.operations, context),
    }
}
