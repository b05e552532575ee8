//! `taffrail link CODE` on the second device: joins with the code, and uses the same hub.

use super::super::confirmation::asked;
use super::super::{Context, hub};
use super::DeviceArgs;
use super::daemon::renewed;
use super::first::{check_words_are_seen, random};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::json;
use taffrail_context::Settings;
use taffrail_devices::hubs;
use taffrail_devices::hubs::{HubStanding, HubState};
use taffrail_devices::pairing::Knock;
use taffrail_env as env;
use taffrail_team::{Beginning, own_name};
use taffrail_tui::terminal::line;

pub(super) fn run(code: &str, wish: &DeviceArgs, context: &Context) -> Result<(), CliError> {
    if wish.hub.is_some() {
        return Err(CliError::usage("the code names the hub", "omit --hub"));
    }
    check_words_are_seen(wish)?;
    let mut settings = context.settings.clone();
    if let Some(file) = &wish.credentials {
        settings.hub.credentials = Some(context.env.here.join(file));
    }
    let name = match (&wish.name, own_name(&settings)) {
        (None, Some(known)) => known,
        _ => wish.name_or(&settings.host),
    };
    let user = context.env.user();
    let begin = Beginning { name: &name, user: &user, random: env::drawn()? };
    let knock = Knock::open(&settings, code, &begin)?;
    if !is_meant(&knock, wish) {
        return Err(CliError::refused(
            "this device did not join: you did not confirm the six words",
            "nothing was changed; the code is still good",
        ));
    }
    knock.ask(&settings, &random)?;
    say(&format!("The six words of this device: {}", knock.guest.words));
    say(&format!("Confirm them on {}. Waiting for its answer ...", line(&knock.guest.inviter)));
    knock.enter(&settings, &random)?;
    settings.hub.url = Some(knock.url.clone());
    hub::keep(context, &settings)?;
    fetch_roster(&settings);
    finish(&knock, &settings, context)
}

fn is_meant(knock: &Knock, wish: &DeviceArgs) -> bool {
    let guest = &knock.guest;
    let (inviter, user) = (line(&guest.inviter), line(&guest.user));
    say(&format!("{inviter} invites this device. Its six words: {}", guest.inviter_words));
    say(&format!(
        "This device joins as one of {user}: those devices see its sessions, it sees theirs."
    ));
    if guest.leaves_own_team {
        say("This device leaves its own team, which has no other device.");
    }
    wish.yes || asked(&format!("Are these the words on the screen of {inviter}?"))
}

/// The roster of a large team is on the hub and not in the answer. Best effort: a server that does not
/// know this device so far lets it in later, and what keeps it out is said below.
fn fetch_roster(settings: &Settings) {
    if let Err(error) = hubs::publish_roster(settings) {
        tracing::debug!(%error, "the roster is not fetched so far");
    }
}

/// The device is in: what is left to do is said, and no failure.
fn finish(knock: &Knock, settings: &Settings, context: &Context) -> Result<(), CliError> {
    let standing = hubs::look(settings)?;
    let daemon = renewed(context);
    let inviter = line(&knock.guest.inviter);
    if context.json {
        let mut out = Out::new();
        out.json_line(&json!({
            "schema_version": 1, "device": knock.guest.inviter, "words": knock.guest.inviter_words,
            "hub": settings.hub.url, "state": standing.state.as_str(), "error": standing.error,
            "daemon": daemon.as_str(),
        }))?;
        return out.end();
    }
    say(&format!("This device is in the team of {inviter}, and uses its hub."));
    say(daemon.said());
    trouble(&standing, &inviter).iter().for_each(|it| say(it));
    Ok(())
}

/// What keeps this device from the hub for now, and what to do.
fn trouble(standing: &HubStanding, inviter: &str) -> Option<String> {
    let why = standing.error.as_deref().unwrap_or("no answer");
    match standing.state {
        HubState::Reached | HubState::Starting => None,
        HubState::Unreachable | HubState::Failing | HubState::Removed => Some(format!(
            "The hub does not let this device in so far: {}\nRun on {inviter} what it needs; this device \
             tries again by itself.",
            line(why)
        )),
    }
}
