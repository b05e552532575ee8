//! The kind of every error, and what the reader can do about it. Only this module turns errors into
//! text.

use taffrail_api::ErrorKind;
use taffrail_approvals::rules::RulesError;
use taffrail_context::{Error, NewFileError, TargetError};
use taffrail_daemon::{DaemonError, NotStopped, StartError};
use taffrail_devices::HubFault;
use taffrail_devices::PairingError;
use taffrail_devices::ShareError;
use taffrail_devices::TeleportError;
use taffrail_hooks::HooksError;
use taffrail_run::WorktreeError;
use taffrail_store::StoreError;
use taffrail_sync::exchange::{RelocationFault, RosterFault};
use taffrail_sync::roster::{self, JoinFault};
use taffrail_team::DeviceError;

/// The kind of an error, and the next step.
type KindAndHint = (ErrorKind, Option<&'static str>);

const fn usage(hint: &'static str) -> KindAndHint {
    (ErrorKind::Usage, Some(hint))
}

const fn refused(hint: &'static str) -> KindAndHint {
    (ErrorKind::Refused, Some(hint))
}

const fn missing(hint: &'static str) -> KindAndHint {
    (ErrorKind::NotFound, Some(hint))
}

const fn failure(hint: &'static str) -> KindAndHint {
    (ErrorKind::Failure, Some(hint))
}

const KINDS: &str =
    "write prompt, message, thinking, call, result, tool, error, denied or a whole kind";
const CATEGORIES: &str = "write feature, fix, refactor, test, docs, question, ops or other";
const A_BUG: &str = "this is a fault of Taffrail; please report it with this message";
const A_TAG: &str = "a tag has 1 to 100 characters, none of them control characters";
const ORDERS: &str =
    "use `last`, `tokens`, `cost`, `duration` or `failures`, and `desc` or `asc` for `order`";
const FAULTS: &str = "`taffrail document validate` lists every fault and what to do about it";
const ANOTHER_ID: &str = "give the document another `session_id` to take it in";
const JOINED: &str = "`taffrail link ID` shows how sessions are joined";
const RESUME: &str = "`taffrail resume ID --dry-run` says what could be done";
const FILTERS: &str = "known: agent: branch: category: device: file: in: kind: project: since: summary: tag: topic:; quote it \
    to search for the text itself";
const NEWER: &str = "nothing was changed; upgrade Taffrail (`taffrail upgrade --check` says how), or restore a backup \
    of before: `taffrail restore FILE`";
const BUSY: &str = "wait for it to end; reading commands work meanwhile";

pub(super) fn kind_and_hint(error: &DaemonError) -> KindAndHint {
    use DaemonError as E;
    match error {
        E::Question(error) => of_question(error),
        E::Hooks(hooks) => of_hooks(hooks),
        E::Rules(rules) => of_rules(rules),
        E::Device(device) => of_device(device),
        E::Teleport(teleport) => of_teleport(teleport),
        E::Share(share) => of_share(share),
        E::Pairing(pairing) => of_pairing(pairing),
        E::Hub(hub) => of_hub(hub),
        E::NotStopped(why) => of_stop(why),
        E::Start(why) => of_start(why),
        E::Serve(_) => (ErrorKind::Refused, None),
    }
}

fn of_stop(why: &NotStopped) -> KindAndHint {
    match why {
        NotStopped::NotRunning => refused("`taffrail show ID` shows how it ended"),
        NotStopped::Remote => refused("end it on that device"),
        NotStopped::SubAgent => refused("stop the session it works for"),
        NotStopped::Elsewhere(_) => refused("end it in its own terminal"),
        NotStopped::NotTheAgent(_) => refused("`taffrail ls` shows what runs"),
    }
}

fn of_start(why: &StartError) -> KindAndHint {
    match why {
        StartError::NoFolder(_) => usage("give a folder that exists"),
        StartError::Option => usage("put a word before it"),
        StartError::NoPrompt => usage("start it without one, and type the prompt there"),
        StartError::Worktree(WorktreeError::Name(_)) => usage("`taffrail new --help`"),
        StartError::Worktree(WorktreeError::NoRepository(_)) => {
            refused("leave out the worktree, or give a folder in a repository")
        }
        StartError::Worktree(WorktreeError::Exists(_)) => {
            refused("start the agent in that folder, or choose another name")
        }
        StartError::Worktree(WorktreeError::Git(_)) | StartError::Tmux(_) => {
            (ErrorKind::Failure, None)
        }
    }
}

fn of_question(error: &Error) -> KindAndHint {
    use Error as E;
    match error {
        E::Target(target) => of_target(target),
        E::Unsent(_) => refused("`taffrail queue ID add TEXT` leaves it until it can be sent"),
        E::Scheduled(..) => refused("`taffrail queue ID ls` shows when it goes in"),
        E::NoReset(_) => {
            missing("`taffrail quota` shows what is known; `--at TIME` needs no limit")
        }
        E::PastTime(_) => usage("write a time to come, or a span from now such as 30m or 2h"),
        E::NoMessage => (ErrorKind::Usage, None),
        E::NoReceipt(_) => missing("`taffrail queue ID ls` lists what waits"),
        E::Exists(_) => refused("give a file that is not there yet"),
        E::NoFile(_) => missing("write a path from the folder you are in, or FILE:LINE"),
        E::NoLine(..) => missing("lines count from 1"),
        E::NoTurn(..) => missing("turns count from 1; the timeline of the session lists them"),
        E::NoEvent(_) => missing("take the id from a window, a search or the events"),
        E::NoRepository(_) => missing("run it in a folder of a repository"),
        E::Git(_) => failure("`git blame` in the same folder may say more"),
        E::NewFile(file) => of_file(file),
        E::UnknownKind(_) => usage(KINDS),
        E::UnknownFilter(_) => usage(FILTERS),
        E::NoQuestion => usage("type words, a \"phrase\", or a filter such as since:7d"),
        E::UnknownDevice(_) => usage("`taffrail ls --json` names the device of each session"),
        E::UnknownCategory(_) => usage(CATEGORIES),
        E::NoTime(_) => usage("write 7d, 12h, 30m, or a date such as 2026-11-01"),
        E::UnknownAgent(_) => usage("see `taffrail agents` for the ids"),
        E::NoTelemetry(_) => refused("`taffrail telemetry` shows the agents that send any"),
        E::Bug(_) => failure(A_BUG),
        E::NotConforming(_) => refused(FAULTS),
        E::Forgotten(_) => refused(ANOTHER_ID),
        E::NoPlan(_) => usage("a plan is a JSON object"),
        E::File(_) => (ErrorKind::Failure, None),
        E::NoTag(_) => usage(A_TAG),
        E::Repair(_) => refused(JOINED),
        E::NoNote | E::NoTitle => (ErrorKind::Usage, None),
        E::UnknownOrder(_) => usage(ORDERS),
        E::ForeignCursor => usage("leave `after` out to begin at the first page"),
        E::NoPeriod => usage("say `since`, too"),
        E::Unresumed(_) => refused(RESUME),
        E::Undecided(_) => refused("`taffrail approvals` lists what can be answered"),
        E::Hidden(..) => refused("look at it there; `approve --blind` allows it all the same"),
        E::NoApproval(_) => missing("`taffrail approvals --all` lists every request"),
        E::CannotStart(_) => (ErrorKind::Refused, None),
        E::Reading(_) => {
            missing("try again in a moment; `taffrail daemon status` shows how far it is")
        }
        E::Running => failure("taffrail daemon status says where it listens"),
        E::Ending => (ErrorKind::DaemonUnreachable, Some("taffrail daemon start")),
        E::Store(_) if error.is_busy() => failure(BUSY),
        E::Store(StoreError::Newer { .. }) => refused(NEWER),
        E::Storage(_) => failure("see `taffrail hub doctor`"),
        E::Store(_) | E::Archive(_) => failure("see `taffrail doctor`"),
    }
}

fn of_file(error: &NewFileError) -> KindAndHint {
    match error {
        NewFileError::NotAFile(_) => usage("name a file, or omit --out to write to stdout"),
        NewFileError::Exists(_) => usage("name another file, or replace it with --force"),
        NewFileError::Io(..) => (ErrorKind::Failure, None),
    }
}

/// The next step for a hub that does not answer.
const REACHING: &str =
    "check the address, that the server runs, and that this machine can reach it";

fn of_hub(error: &HubFault) -> KindAndHint {
    match error {
        HubFault::None => refused("`taffrail hub use ADDRESS` names one"),
        HubFault::Address(_) => usage("see `taffrail hub use --help`"),
        HubFault::Team(_) | HubFault::NoChance => failure(A_BUG),
        HubFault::NobodysKey => refused("only the recovery key that was made last opens anything"),
        HubFault::Credentials(..) => refused("`hub.credentials` names the file"),
        HubFault::Hub(hub) if hub.is_retryable() => (ErrorKind::TimedOut, Some(REACHING)),
        HubFault::Exchange(_) | HubFault::Storage(_) => failure("see `taffrail hub doctor`"),
        HubFault::Roster(RosterFault::Hub(hub)) if hub.is_retryable() => (
            ErrorKind::TimedOut,
            Some("nothing was changed; check that the hub runs and that this machine can reach it"),
        ),
        HubFault::Roster(RosterFault::Nothing) => {
            missing("give the address your devices used; see `taffrail key recover --help`")
        }
        HubFault::Roster(_) => {
            refused("nothing was changed; `taffrail device ls` shows what is known here")
        }
        HubFault::Relocation(RelocationFault::Hub(hub)) if hub.is_retryable() => {
            (ErrorKind::TimedOut, Some("the same command goes on where it broke off"))
        }
        HubFault::Relocation(RelocationFault::NotAdmin) => {
            refused("run it on an admin device; `taffrail device ls` shows who is one")
        }
        HubFault::Relocation(RelocationFault::Elsewhere(_)) => {
            refused("let that move end, or give it up first: taffrail hub move --cancel")
        }
        HubFault::Relocation(RelocationFault::Arrived) => {
            refused("`taffrail hub use ADDRESS` with the new address follows the team")
        }
        HubFault::Relocation(_) => failure("the same command goes on where it broke off"),
        // A refusal by the hub contains its own advice.
        HubFault::Hub(_) => (ErrorKind::Refused, None),
    }
}

fn of_device(error: &DeviceError) -> KindAndHint {
    use DeviceError as E;
    match error {
        DeviceError::Question(error) => of_question(error),
        E::NotMade => refused("taffrail device init --name NAME"),
        E::Made(_) => refused("`taffrail device ls` shows it and its team"),
        E::Waiting => refused("have its request approved: `taffrail device approve REQUEST` there"),
        E::Removed => refused("an admin can say why; `taffrail device ls` there names them"),
        E::NotAdmin => refused("`taffrail device ls` shows who is"),
        E::NoDevice(_) => missing("`taffrail device ls` shows those there are"),
        E::Alone => missing("`taffrail device invite` lets one more ask to come in"),
        E::OthersThere => refused("take it out of that team first, with `taffrail device remove`"),
        E::InThere => refused("there is nothing to do; see `taffrail device ls`"),
        E::NoInvite => refused("make another invite; each lets one device in, for three days"),
        E::Join(JoinFault::Roster(roster::Fault::NotVouched { .. })) => refused(
            "run `taffrail device vouch REQUEST` on a device of theirs, then approve the word it prints",
        ),
        E::Join(JoinFault::LooksLike { .. }) => {
            refused("join again under another name: `taffrail device join INVITE --name NAME`")
        }
        E::Join(_) => refused("nothing was changed; have a new invite made"),
        E::Roster(_) => {
            refused("nothing was changed; `taffrail device ls` shows what is known here")
        }
        E::Keys { .. } | E::Damaged(_) => failure("put the file back from a backup"),
        E::Unsafe { .. } => refused("only you may be able to read it"),
        E::NoRecoveryKey => {
            refused("it has two lines, or is an age file that needs `--passphrase-file`")
        }
        E::Passphrase(_) => (ErrorKind::Refused, None),
        E::Io { .. } => (ErrorKind::Failure, None),
    }
}

fn of_pairing(error: &PairingError) -> KindAndHint {
    match error {
        PairingError::Code(_) => refused("copy the whole code that `taffrail link` printed"),
        PairingError::Nobody | PairingError::Used => {
            refused("nothing was changed; run `taffrail link` on the first device for another code")
        }
        PairingError::Expired => refused("run `taffrail link` again for another code"),
        PairingError::Left => {
            refused("run `taffrail link` there again, then `taffrail link CODE` with the new code")
        }
        PairingError::Refused(_) => refused("this device is not in the team"),
        PairingError::Message(_) => refused(
            "run `taffrail link` again for another code; if this happens again, do not trust the hub",
        ),
    }
}

fn of_share(error: &ShareError) -> KindAndHint {
    use ShareError as E;
    match error {
        E::NoReader(_) => refused(
            "`taffrail device ls` shows who is in the team; `taffrail device invite --for EMAIL` asks one in",
        ),
        E::Ourselves(_) => refused("name another device, or a user"),
        E::Told(_) => refused("see it there with `taffrail ls`; `sync.exclude` keeps it here"),
        E::Elsewhere(_) => refused("run `taffrail share` there"),
        E::ReadOnly(_) => refused("ask the owner; `taffrail share ls` names them"),
        E::NotOurs => refused("`taffrail capture` lists what is not captured"),
        E::NoShare(_) => missing("`taffrail share ls` shows what is shared"),
    }
}

fn of_teleport(error: &TeleportError) -> KindAndHint {
    use TeleportError as E;
    match error {
        E::Refused(_) => refused("nothing of it was used; pack it again"),
        E::Unwritten(_) => refused("nothing was left behind"),
        E::Worker(_) => refused("pack the session it works for"),
        E::NoWay(_) => refused("--redacted packs what it said, to be read and not resumed"),
        E::Remote(_) => refused("`taffrail teleport push` it there, and pull it here"),
        E::NotWritten(_) => refused("nothing was sent; say something to it first"),
        E::Gone(_) => refused("`taffrail archive ls` shows what is kept of it"),
        E::Exists(_) => refused("name another file, or replace it with --force"),
        E::Differs(_) => refused(
            "nothing was written. If it went on in both places, `--fork` takes what came as a session of its own",
        ),
        E::Elsewhere { .. } => refused("unpack it with --project of the folder it is in"),
        E::Running(_) => refused("end it there first; nothing was written"),
        E::NotOurs { .. } | E::Contradicts(_) => refused("nothing was written"),
        E::NoFolder(_) => refused("make the folder, or clone the project there first"),
        E::Patch(_) => refused("nothing was written; omit --patch to take the session alone"),
        E::Git(_) => refused("--no-patch packs the session alone"),
        E::PlanThere(_) => refused("nothing was written; omit --plan to keep the existing one"),
        E::Absent(_) => refused("nothing was written; omit the option"),
        E::Held { .. } => refused("wait for it, or go on with it there"),
        E::Io { .. } => (ErrorKind::Failure, None),
    }
}

fn of_rules(error: &RulesError) -> KindAndHint {
    match error {
        RulesError::Unreadable(..) => (ErrorKind::Refused, Some("fix the file by hand first")),
        RulesError::NoRule(_) => (ErrorKind::Usage, Some("see `taffrail rules add --help`")),
        RulesError::NoNumber(_) => (ErrorKind::NotFound, Some("`taffrail rules ls` shows numbers")),
    }
}

fn of_hooks(error: &HooksError) -> KindAndHint {
    match error {
        HooksError::Question(error) => of_question(error),
        HooksError::Refused { .. } => (
            ErrorKind::Refused,
            Some("nothing was written; see docs/hooks.md for doing it by hand"),
        ),
        HooksError::Changed(_) => (ErrorKind::Failure, Some("run it again")),
        HooksError::Io { .. } => (ErrorKind::Failure, None),
        HooksError::NoHooks(_) => {
            (ErrorKind::Refused, Some("see `taffrail hooks status` for the agents that have them"))
        }
        HooksError::NoServers(_) => (
            ErrorKind::Refused,
            Some("register `taffrail mcp` in the agent's own settings: docs/mcp.md shows how"),
        ),
        HooksError::NoHome(_) => (
            ErrorKind::NotFound,
            Some("start the agent once, or name its home in the configuration"),
        ),
        HooksError::Program(_) => {
            (ErrorKind::Refused, Some("put the program where its path has no special characters"))
        }
        HooksError::NotEmpty(_) => {
            (ErrorKind::Refused, Some("give a folder that is not there yet"))
        }
    }
}

fn of_target(error: &TargetError) -> KindAndHint {
    match error {
        TargetError::NotFound(_) => {
            (ErrorKind::NotFound, Some("see `taffrail ls --all` for every session's id"))
        }
        TargetError::NoPeer(_) => (ErrorKind::NotFound, Some("GET /peers names those there are")),
        TargetError::ManyPeers(..) => {
            (ErrorKind::Usage, Some("name the session: GET /sessions/ID/timeline"))
        }
        TargetError::NoFile(_) => (ErrorKind::NotFound, None),
        TargetError::NotArchived(_) => {
            (ErrorKind::NotFound, Some("see `taffrail archive ls` for what is kept"))
        }
        TargetError::Ambiguous(..) => (ErrorKind::Usage, Some("type more of the id")),
        TargetError::NothingWaits => {
            (ErrorKind::NotFound, Some("`taffrail ls` lists all sessions; `@last` is the latest"))
        }
    }
}
