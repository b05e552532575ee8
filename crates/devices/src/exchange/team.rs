//! Changes to the team. If a hub is in use, it decides their order.

use crate::error::DevicesError;
use crate::error::HubFault;
use crate::hubs;
use crate::hubs::block_on;
use taffrail_api::{SCHEMA_VERSION, TeamChange};
use taffrail_context::Settings;
use taffrail_sync::exchange::publish_roster;
use taffrail_sync::roster::Entry;
use taffrail_team::Change;

/// Saves a change to the team. If a hub is in use, the change goes there first, applied to the
/// newest roster on it. Returns the number of the entry.
///
/// # Errors
/// When the hub does not answer or refuses; nothing is changed then.
pub fn keep_change(settings: &Settings, change: &Change) -> Result<TeamChange, DevicesError> {
    if settings.hub.url.is_none() {
        taffrail_team::keep(settings, change)?;
        return Ok(told(change.entry()));
    }
    let own = taffrail_team::own(settings)?;
    let (op, now) = (&change.entry().statement.op, (settings.now)());
    let roster = block_on(async {
        let url = hubs::address(settings)?;
        let hub = hubs::open(settings, &url, own.roster.team(), &own.secret).await?;
        let made = publish_roster(&hub, &own.roster, own.secret.identity(), |newest| {
            newest.with(op.clone(), &own.signer(), now).map(|(roster, _)| roster)
        });
        Ok(made.await.map_err(HubFault::from)?)
    })?;
    taffrail_team::take_in(settings, &roster)?;
    // The last entry is the change that was just made.
    Ok(told(roster.entries().last().unwrap_or(change.entry())))
}

fn told(entry: &Entry) -> TeamChange {
    let said = &entry.statement;
    TeamChange { schema_version: SCHEMA_VERSION, entry: said.n, epoch: said.epoch }
}
