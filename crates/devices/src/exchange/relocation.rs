//! Follows the team to another hub while the daemon runs.
//!
//! The exchange finds the announcement on the hub in use. Until an admin says on the new hub that the team has
//! arrived, this device looks there from time to time and publishes where it is. Then it takes the new address
//! into its configuration, and the exchange begins again there.

use super::{PAUSE, pause};
use crate::error::{DevicesError, HubFault};
use crate::hubs::{self, Arrival, Followed};
use crate::link::ExchangeHandle;
use std::time::Duration;
use taffrail_config::{Config, with_value};
use taffrail_context::{Error, Settings};
use taffrail_model::notices::{Notice, NoticeKind};
use taffrail_setup::replace;
use taffrail_sync::exchange::{Health, Relocation, fetch_roster};
use taffrail_sync::hub::HubUrl;
use tokio::sync::watch;

/// How long a look at the new hub may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a look at the new hub.
enum Step {
    /// This device uses the new hub now.
    Done,
    /// Not so far, with what to say about it.
    Later(String),
}

/// Waits until the daemon ends or this device has followed its team, and then ends the exchange with the hub
/// that is left.
pub(super) async fn follow(
    handle: &ExchangeHandle,
    mut stops: watch::Receiver<bool>,
    end: watch::Sender<bool>,
) {
    let state = handle.state();
    let mut announced = state.announced.subscribe();
    let mut tries = 0;
    loop {
        let found = announced.borrow_and_update().clone();
        let said = match &found {
            None => None,
            Some(found) => match step(handle, found).await {
                Ok(Step::Done) => break,
                Ok(Step::Later(said)) => Some(said),
                Err(error) => Some(format!("the team moves to another hub: {error}")),
            },
        };
        state.moving.send_replace(said);
        let wait = if found.is_some() { wait(handle, tries) } else { Duration::MAX };
        tries = if found.is_some() { tries + 1 } else { 0 };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            // The sender is in the state, which outlives this.
            _ = announced.changed() => tries = 0,
            _ = stops.wait_for(|it| *it) => break,
        }
    }
    end.send_replace(true);
}

/// As for a hub that is away, but the first look comes again soon: a move takes seconds.
fn wait(handle: &ExchangeHandle, tries: u32) -> Duration {
    let mut chance = [0; 8];
    handle.settings().hub.draw.iter().for_each(|draw| draw(&mut chance));
    if tries == 0 { PAUSE } else { pause(tries, u64::from_le_bytes(chance)) }
}

async fn step(handle: &ExchangeHandle, found: &Relocation) -> Result<Step, DevicesError> {
    let settings = handle.settings();
    let own = taffrail_team::own(settings)?;
    let here = settings.hub.address().unwrap_or_default();
    let is_past = |it: &Followed| it.n > found.n || (it.n == found.n && !is_same(&it.from, &here));
    if hubs::last_followed(settings)?.as_ref().is_some_and(is_past) {
        return Ok(Step::Later("the hub shows an old announcement of a move".to_owned()));
    }
    let arrival = tokio::time::timeout(PATIENCE, hubs::arrived(settings, &own, found)).await;
    let arrival = arrival.map_err(|_| Error::File("the new hub does not answer".to_owned()))?;
    let to = match arrival? {
        Arrival::There(to) => to,
        Arrival::NotThere => {
            return Ok(Step::Later("the team moves to another hub, and is on its way".to_owned()));
        }
        Arrival::Sealed => {
            let said = "the team moves to another hub, and this device was not told its address";
            return Ok(Step::Later(format!("{said}: taffrail hub use ADDRESS")));
        }
        Arrival::ByHand(why, to) => {
            let why = why.as_str();
            return Ok(Step::Later(format!(
                "the team moves to another hub ({why}): taffrail hub use '{to}'"
            )));
        }
    };
    let hub = hubs::open(settings, &to, own.roster.team(), &own.secret).await?;
    let roster = fetch_roster(&hub, &own.roster, own.secret.identity()).await;
    taffrail_team::take_in(settings, &roster.map_err(HubFault::from)?)?;
    take_over(handle, (&to, found.n))?;
    Ok(Step::Done)
}

/// Uses the new hub from now on, here and after a restart.
fn take_over(handle: &ExchangeHandle, (to, n): (&HubUrl, u64)) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let from = settings.hub.address().unwrap_or_default();
    let to = written(settings, (&from, &to.to_string()))?;
    let at = (settings.now)();
    hubs::note_followed(settings, &Followed { n, from: from.clone(), to: to.clone(), at })?;
    settings.hub.followed.set(&to);
    handle.state().announced.send_replace(None);
    handle.state().moving.send_replace(None);
    // Noted with the new address, whatever the new exchange finds.
    handle.state().health.send_modify(|it| *it = Health::default());
    tracing::info!(n, "followed the team to another hub");
    handle.notify(Notice {
        id: format!("hub-moved-{n}"),
        at,
        kind: NoticeKind::Finding,
        title: "Your team moved to another hub".to_owned(),
        body: format!("This device followed it from {from} to {to}"),
        about: Vec::new(),
    });
    Ok(())
}

/// The new address as the configuration has it from now on. It is not written if the user chose another hub
/// meanwhile.
fn written(settings: &Settings, (from, to): (&str, &str)) -> Result<String, DevicesError> {
    let path = settings.config.join("config.toml");
    let odd = |error: &dyn std::fmt::Display| Error::File(format!("{}: {error}", path.display()));
    let config = Config::read(&path).map_err(|error| odd(&error))?;
    let text = std::fs::read_to_string(&path).map_err(|error| odd(&error))?;
    match config.hub.url.as_deref() {
        Some(it) if is_same(it, to) => return Ok(it.to_owned()),
        Some(it) if is_same(it, from) => {}
        Some(_) | None => {
            let chosen = "the configuration names another hub: taffrail daemon restart";
            return Err(Error::File(chosen.to_owned()).into());
        }
    }
    // A text in JSON is one in TOML, too.
    let value = serde_json::to_string(to).unwrap_or_default();
    let changed = with_value(&text, "hub.url", &value).map_err(|error| odd(&error))?;
    replace(&path, &changed).map_err(|error| odd(&error))?;
    Ok(to.to_owned())
}

/// Whether two texts are one address.
fn is_same(one: &str, other: &str) -> bool {
    HubUrl::parse(one).ok().is_some_and(|it| HubUrl::parse(other).ok() == Some(it))
}
