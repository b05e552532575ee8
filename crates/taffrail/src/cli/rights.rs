//! The right that a command needs: an agent reads, a script sends, a person decides.

use super::{Context, link};
use crate::error::CliError;
use clap::ArgMatches;
use taffrail_api::{AttemptBody, Done};
use taffrail_approvals::{Attempt, SCRIPTS_KEY, note_attempt, own_caller, scripts};
use taffrail_model::caller::{Caller, Right, Who};

/// The rights of commands that do more than read; a name covers all subcommands that are not listed.
const RIGHTS: &[(&str, Right)] = &[
    ("approve", Right::Decide),
    ("deny", Right::Decide),
    ("rules add", Right::Decide),
    ("rules rm", Right::Decide),
    ("config set", Right::Decide),
    ("prices import", Right::Decide),
    ("hooks install", Right::Decide),
    ("hooks uninstall", Right::Decide),
    ("mcp install", Right::Decide),
    ("mcp uninstall", Right::Decide),
    ("setup", Right::Decide),
    ("service", Right::Decide),
    ("uninstall", Right::Decide),
    ("forget", Right::Decide),
    ("capture on", Right::Decide),
    ("capture off", Right::Decide),
    ("archive prune", Right::Decide),
    ("restore", Right::Decide),
    ("device", Right::Decide),
    ("device ls", Right::Read),
    ("key", Right::Decide),
    ("hub use", Right::Decide),
    ("hub move", Right::Decide),
    ("hub leave", Right::Decide),
    ("share", Right::Decide),
    ("share ls", Right::Read),
    ("teleport", Right::Decide),
    ("teleport ls", Right::Read),
    ("web", Right::Decide),
    ("token", Right::Decide),
    ("telemetry", Right::Decide),
    ("send", Right::Script),
    ("commits notes", Right::Script),
    ("queue add", Right::Script),
    ("queue rm", Right::Script),
    ("queue stop", Right::Script),
    ("resume", Right::Script),
    ("new", Right::Script),
    ("stop", Right::Decide),
    ("document resume", Right::Script),
    ("state resume", Right::Script),
    ("away", Right::Script),
    ("link join", Right::Script),
    ("link split", Right::Script),
    ("link archive", Right::Script),
    ("notifications test", Right::Script),
    ("backup", Right::Script),
    ("rebuild", Right::Script),
    ("daemon stop", Right::Script),
    ("daemon restart", Right::Script),
];

/// Lets a command go on that its caller may run; what is refused is written down.
pub(super) fn check(matches: &ArgMatches) -> Result<(), CliError> {
    let (path, last) = path_of(matches);
    let right = needed(&path, last);
    if right == Right::Read {
        return Ok(());
    }
    let who = own_caller();
    if who.caller == Caller::Person {
        return Ok(());
    }
    let context = Context::new(false)?;
    if who.caller.may(right, scripts(&context.settings)) {
        return Ok(());
    }
    note(&context, (&path, last), &who);
    Err(refusal(&path, &who))
}

/// The words of a command, and what was given to the last of them.
fn path_of(matches: &ArgMatches) -> (String, &ArgMatches) {
    let (mut path, mut last) = (Vec::new(), matches);
    while let Some((name, below)) = last.subcommand() {
        path.push(name);
        last = below;
    }
    (path.join(" "), last)
}

fn right_of(path: &str) -> Right {
    let covers = |name: &str| {
        path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let named = RIGHTS.iter().filter(|(name, _)| covers(name));
    named.max_by_key(|(name, _)| name.len()).map_or(Right::Read, |(_, right)| *right)
}

/// The right that a command needs as it is called.
fn needed(path: &str, last: &ArgMatches) -> Right {
    match path {
        _ if is_dry(last) => Right::Read,
        // A session is read; a device is let in; another host is shown or answered.
        "link" => link::right(last),
        "relay" if matches!(last.try_get_one::<bool>("answer"), Ok(Some(true))) => Right::Decide,
        // A brief is read; another agent is started.
        "handoff" if last.contains_id("to") => Right::Script,
        _ => right_of(path),
    }
}

/// It only shows what it would do.
fn is_dry(last: &ArgMatches) -> bool {
    matches!(last.try_get_one::<bool>("dry_run"), Ok(Some(true)))
}

/// Writes down what was refused. It is refused whether or not that succeeds.
fn note(context: &Context, (path, last): (&str, &ArgMatches), who: &Who) {
    let is_answer = matches!(path, "approve" | "deny");
    let named = last.try_get_one::<String>("id").ok().flatten().filter(|_| is_answer);
    match &context.client {
        Some(client) => {
            let body = AttemptBody { what: path.to_owned(), approval_id: named.cloned() };
            client.post::<Done>("/api/attempts", &body).ok();
        }
        None => {
            let (what, who) = (path.to_owned(), who.clone());
            let attempt = Attempt { what, approval: None, session: None, who };
            note_attempt(&context.settings, &attempt).ok();
        }
    }
}

fn refusal(path: &str, who: &Who) -> CliError {
    let because = &who.because;
    let (message, hint) = match who.caller {
        Caller::Agent => (
            format!("an agent may not run `taffrail {path}`: {because}"),
            "run it at a terminal of your own".to_owned(),
        ),
        Caller::Unknown | Caller::Person => (
            format!("`taffrail {path}` is for a person at a terminal: {because}"),
            format!(
                "to let your scripts run it, once at a terminal: taffrail config set {SCRIPTS_KEY} true"
            ),
        ),
    };
    CliError::refused(message, hint)
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::*;

    #[test]
    fn every_name_is_a_command() {
        for (path, _) in RIGHTS {
            let all = program();
            let below = |command: Option<&clap::Command>, name: &str| {
                command.and_then(|it| it.find_subcommand(name)).is_some()
            };
            let mut words = path.split(' ');
            let first = words.next().and_then(|it| all.find_subcommand(it));
            assert!(first.is_some(), "{path}");
            assert!(words.next().is_none_or(|it| below(first, it)), "{path}");
        }
    }

    #[test]
    fn what_a_command_needs() {
        let check = |words: &str, expected: Right| {
            let words = format!("taffrail {words}");
            let matches = program().try_get_matches_from(words.split(' ')).unwrap();
            let (path, last) = path_of(&matches);
            assert_eq!(needed(&path, last), expected, "{words}");
        };
        check("ls", Right::Read);
        check("approvals", Right::Read);
        check("approvals log", Right::Read);
        check("approve 3f2a", Right::Decide);
        check("rules ls", Right::Read);
        check("rules add --allow --tool Bash", Right::Decide);
        check("hub move nats://tower", Right::Decide);
        check("hub move nats://tower --dry-run", Right::Read);
        check("hub move --cancel", Right::Decide);
        check("config get hub.url", Right::Read);
        check("config set hub.url x", Right::Decide);
        check("prices gpt-5", Right::Read);
        check("prices import x", Right::Decide);
        check("prices import x --dry-run", Right::Read);
        check("hooks install --dry-run", Right::Read);
        check("hooks install --yes", Right::Decide);
        check("mcp install --yes", Right::Decide);
        check("mcp", Right::Read);
        check("queue add 3f2a hello", Right::Script);
        check("queue ls 3f2a", Right::Read);
        check("queue stop --at-reset", Right::Script);
        check("device ls", Right::Read);
        check("device invite", Right::Decide);
        check("teleport unpack x --project y --dry-run", Right::Read);
        check("teleport unpack x --project y", Right::Decide);
        check("daemon start", Right::Read);
        check("daemon logs -f", Right::Read);
        check("daemon stop", Right::Script);
        check("run -- claude", Right::Read);
        check("new claude fix --tmux", Right::Script);
        check("new claude fix --dry-run", Right::Read);
        check("handoff 3f2a", Right::Read);
        check("handoff 3f2a --to codex", Right::Script);
        check("stop 3f2a --yes", Right::Decide);
        check("wait 3f2a", Right::Read);
        check("binding join 3f2a 91c0", Right::Script);
        check("link join 3f2a 91c0", Right::Script);
        check("link 3f2a", Right::Read);
        check("link", Right::Decide);
        check("link file:///srv/x#k7qf-9m2x-w4tz-p8hr-3n6d", Right::Decide);
        check("link 3f2a --yes", Right::Decide);
        check("link ssh://tower", Right::Script);
        check("link ssh://tower --list", Right::Script);
        check("link ssh://tower --answer", Right::Decide);
        check("relay", Right::Read);
        check("relay --answer", Right::Decide);
        check("otel", Right::Decide);
        check("notify test --dry-run", Right::Read);
    }
}
