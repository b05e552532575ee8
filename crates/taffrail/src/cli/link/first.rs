//! `taffrail link` on the first device: makes it ready, prints a code, and lets one device in.

use super::super::confirmation::{asked, has_terminal};
use super::super::{Context, hub};
use super::DeviceArgs;
use super::daemon::renewed;
use super::qr;
use super::qr::Rest;
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::json;
use taffrail_context::Settings;
use taffrail_devices::DevicesError;
use taffrail_devices::hubs;
use taffrail_devices::pairing::{Host, Visitor};
use taffrail_env as env;
use taffrail_team::{Beginning, DeviceError};
use taffrail_tui::terminal::line;
use zeroize::Zeroizing;

pub(super) fn run(wish: &DeviceArgs, context: &Context) -> Result<(), CliError> {
    check_words_are_seen(wish)?;
    let settings = ready(wish, context)?;
    hubs::publish_roster(&settings)?;
    let host = Host::open(&settings, &random)?;
    show(&host, &settings, context)?;
    let visitor = host.wait(&settings)?;
    if !is_meant(&visitor, wish) {
        host.refuse(&visitor, "nobody there confirmed the six words", &random)?;
        return Err(CliError::refused(
            format!("{} was not let in: you did not confirm its six words", name_of(&visitor)),
            "if the words differ, somebody else used the code. Run `taffrail link` for another",
        ));
    }
    host.admit(&settings, &visitor, &random)?;
    finish(&visitor, &host, &settings, context)
}

/// Random bytes for the meeting.
pub(super) fn random() -> Result<[u8; 32], DevicesError> {
    env::secret().map_err(|error| taffrail_context::Error::File(error.to_string()).into())
}

/// Whoever compares no words lets in whoever has seen the code.
pub(super) fn check_words_are_seen(wish: &DeviceArgs) -> Result<(), CliError> {
    if wish.yes || has_terminal() {
        return Ok(());
    }
    Err(CliError::refused(
        "comparing the six words needs a terminal",
        "run it at a terminal; or --yes, if whoever sees the code may join",
    ))
}

/// The settings with the hub: makes the keys and takes up the hub, where either is missing.
fn ready(wish: &DeviceArgs, context: &Context) -> Result<Settings, CliError> {
    let mut settings = context.settings.clone();
    let before = settings.hub.clone();
    settings.hub.url = wish.hub.clone().or(before.url.clone());
    if let Some(file) = &wish.credentials {
        settings.hub.credentials = Some(context.env.here.join(file));
    }
    // A wrong address is said before anything is made.
    let address = hubs::address(&settings).map_err(|error| match settings.hub.url {
        Some(_) => error.into(),
        None => no_hub(),
    })?;
    settings.hub.url = Some(address.to_string());
    make_keys(wish, context)?;
    let now = (&settings.hub.url, &settings.hub.credentials);
    if now != (&before.url, &before.credentials) {
        hub::take_up(context, &settings)?;
    }
    Ok(settings)
}

fn no_hub() -> CliError {
    CliError::usage(
        "two devices meet at a hub, and none is in use",
        "name one with --hub: a directory that both reach (file:///DIR), a bucket (s3://BUCKET), \
         or a NATS server of yours (nats://HOST); docs/hub.md says how to start one",
    )
}

/// Makes this device's keys and a team of its own, if it has none.
fn make_keys(wish: &DeviceArgs, context: &Context) -> Result<(), CliError> {
    let (name, user) = (wish.name_or(&context.settings.host), context.env.user());
    let begin = Beginning { name: &name, user: &user, random: env::drawn()? };
    match taffrail_team::init_device(&context.settings, &begin, *env::drawn::<16>()?) {
        Ok(()) => Ok(()),
        Err(DeviceError::Made(known)) if wish.name.as_ref().is_none_or(|it| *it == known) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Prints the code: alone on stdout, so that it can be piped.
fn show(host: &Host, settings: &Settings, context: &Context) -> Result<(), CliError> {
    let code: Zeroizing<String> = host.code();
    let mut out = Out::new();
    if context.json {
        out.json_line(&json!({
            "code": *code, "schema_version": 1, "words": host.words, "until": host.until,
        }))?;
        return out.end();
    }
    let command = Zeroizing::new(format!("taffrail link '{}'", *code));
    let lines = qr::shown(&code, Rest::of(&command, hubs::is_near(settings)));
    out.lines(lines.into_iter().flatten())?;
    say("Run this on the other device, within ten minutes:");
    out.line(&command)?;
    out.end()?;
    if hubs::is_near(settings) {
        say("The address of the hub leads to this machine only: other machines do not reach it.");
    }
    say(&format!("The six words of this device: {}", host.words));
    say("Waiting for the other device ...");
    Ok(())
}

fn name_of(visitor: &Visitor) -> String {
    line(&visitor.asks.name)
}

fn is_meant(visitor: &Visitor, wish: &DeviceArgs) -> bool {
    let (name, user) = (name_of(visitor), line(&visitor.asks.user));
    say(&format!("{name} of {user} asks to join. Its six words: {}", visitor.asks.words));
    wish.yes || asked(&format!("Are these the words on the screen of {name}?"))
}

fn finish(
    visitor: &Visitor,
    host: &Host,
    settings: &Settings,
    context: &Context,
) -> Result<(), CliError> {
    let daemon = renewed(context);
    let name = name_of(visitor);
    if context.json {
        let mut out = Out::new();
        out.json_line(&json!({
            "schema_version": 1, "device": visitor.asks.name, "words": visitor.asks.words,
            "hub": settings.hub.url, "daemon": daemon.as_str(), "configure_server": host.is_guarded(),
        }))?;
        return out.end();
    }
    say(&format!("{name} is in the team."));
    say(daemon.said());
    if host.is_guarded() {
        say(&format!(
            "The server does not know {name} so far. Update its configuration and reload it:"
        ));
        say("  taffrail hub config --out FILE && nats-server --signal reload");
    }
    Ok(())
}
