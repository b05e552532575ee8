//! The hub of this device's team: which one it is, and how we authenticate.

mod credentials;
mod health;
pub mod server_file;

pub use health::{HeardDevice, HubStanding, HubState, heard, look, noted, standing};
pub use health::{doctor_check, note};
pub use taffrail_sync::hub::{Aspect, HubCheck, Level, NatsPlan, ServerCertificate, pin_of};

use crate::error::{DevicesError, HubFault};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::TeamId;
use taffrail_sync::hub::{AnyHub, Hub, HubUrl, Team, nats_conf};
use taffrail_sync::keys::DeviceSecret;

/// The address of the hub in use.
///
/// # Errors
/// When no hub is in use, or the configured address is invalid.
pub fn address(settings: &Settings) -> Result<HubUrl, HubFault> {
    let url = settings.hub.url.as_deref().ok_or(HubFault::None)?;
    Ok(HubUrl::parse(url)?)
}

/// Opens a hub for a team, as this device.
///
/// # Errors
/// When authentication fails, or the hub does not answer.
pub async fn open(
    settings: &Settings,
    url: &HubUrl,
    team: &TeamId,
    secret: &DeviceSecret,
) -> Result<AnyHub, HubFault> {
    let file = settings.hub.credentials.as_deref();
    let credentials = credentials::credentials(url, file, secret, &settings.variables)?;
    Ok(AnyHub::open(url, &Team::new(team.to_string())?, &credentials).await?)
}

/// Checks that the hub in use supports what we need, and reports what is safe about it and what is
/// not.
///
/// # Errors
/// When no hub is in use, or it cannot be asked.
pub fn check(settings: &Settings) -> Result<Vec<HubCheck>, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let url = address(settings)?;
    block_on(async {
        let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
        Ok(hub.doctor().await)
    })
}

/// How many items wait for the hub.
///
/// # Errors
/// When the ledger cannot be read.
pub fn waiting(settings: &Settings) -> Result<u64, DevicesError> {
    let Some(mut ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(0) };
    let streams = ledger.streams().map_err(HubFault::from)?;
    Ok(streams.iter().map(|it| (it.last - it.sealed) + (it.batches - it.appended)).sum())
}

/// Generates a NATS server configuration for this team.
///
/// # Errors
/// When this device is not in a team.
pub fn configuration(settings: &Settings, plan: &NatsPlan) -> Result<String, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let team = Team::new(own.roster.team().to_string()).map_err(HubFault::from)?;
    Ok(nats_conf(&team, &own.roster, plan))
}

/// The users whose recovery key cannot be added to a server, because it was made before that was
/// possible.
///
/// # Errors
/// When this device is not in a team.
pub fn without_recovery_door(settings: &Settings) -> Result<Vec<String>, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let doors = own.roster.recovery_nats_keys().filter(|(_, door)| door.is_none());
    Ok(doors.map(|(user, _)| user.to_owned()).collect())
}

/// Runs a future to its end, for a command that does nothing else.
pub fn block_on<T>(work: impl Future<Output = Result<T, DevicesError>>) -> Result<T, DevicesError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Error::File(error.to_string()))?.block_on(work)
}
