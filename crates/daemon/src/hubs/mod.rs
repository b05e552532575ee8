//! The hub of this device's team: which one it is, and how we are let in.

mod credentials;

pub use taffrail_sync::hub::{Aspect, HubCheck, Level, NatsPlan};

use crate::{DaemonError, Settings, devices};
use std::path::PathBuf;
use taffrail_model::exchange::{Outbox, StorageFault};
use taffrail_store::Ledger;
use taffrail_sync::TeamId;
use taffrail_sync::exchange::{ExchangeError, RosterFault};
use taffrail_sync::hub::{AnyHub, Hub, HubError, HubUrl, NameError, Team, UrlError, nats_conf};
use taffrail_sync::keys::DeviceSecret;

/// What the user says of the hub.
#[derive(Debug, Clone, Default)]
pub struct HubSettings {
    /// Where it is; without one, nothing leaves this machine.
    pub url: Option<String>,
    /// A file with what lets us in, if not this device's own key.
    pub credentials: Option<PathBuf>,
    /// Where random bytes come from; without it nothing is sealed.
    pub draw: Option<fn(&mut [u8])>,
}

/// Why there is no hub.
#[derive(Debug, thiserror::Error)]
pub enum HubFault {
    /// None was named.
    #[error("no hub is in use")]
    None,
    /// Nothing can be drawn, and what is sealed needs chance.
    #[error("no random bytes can be had, so nothing is sealed")]
    NoChance,
    /// The key opens the team's roster, and is not the recovery key of anybody in it any more.
    #[error("this recovery key is nobody's any more: another took its place")]
    NobodysKey,
    /// The address is none.
    #[error(transparent)]
    Address(#[from] UrlError),
    /// The team has an odd name.
    #[error(transparent)]
    Team(#[from] NameError),
    /// The file of credentials cannot be used.
    #[error("{0}: {1}")]
    Credentials(String, String),
    /// It did not answer, or refused.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// What goes through it was not carried.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// The roster on it was not fetched or changed.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// What waits for it could not be kept.
    #[error(transparent)]
    Storage(#[from] StorageFault),
}

/// The address in use.
///
/// # Errors
/// When none is, or what is written is no address.
pub fn address(settings: &Settings) -> Result<HubUrl, HubFault> {
    let url = settings.hub.url.as_deref().ok_or(HubFault::None)?;
    Ok(HubUrl::parse(url)?)
}

/// Opens a hub for a team, as this device.
///
/// # Errors
/// When we are not let in, or it does not answer.
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

/// Tries what the hub in use must do, and says what is safe about it and what is not.
///
/// # Errors
/// When none is in use, or we cannot even ask.
pub fn check(settings: &Settings) -> Result<Vec<HubCheck>, DaemonError> {
    let own = devices::own(settings)?;
    let url = address(settings)?;
    block_on(async {
        let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
        Ok(hub.doctor().await)
    })
}

/// How many things wait to be carried to the hub.
///
/// # Errors
/// When the ledger cannot be read.
pub fn waiting(settings: &Settings) -> Result<u64, DaemonError> {
    let Some(mut ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(0) };
    let streams = ledger.streams().map_err(HubFault::from)?;
    Ok(streams.iter().map(|it| (it.last - it.sealed) + (it.batches - it.appended)).sum())
}

/// A configuration for a NATS server of this team.
///
/// # Errors
/// When this device is in no team.
pub fn configuration(settings: &Settings, plan: &NatsPlan) -> Result<String, DaemonError> {
    let own = devices::own(settings)?;
    let team = Team::new(own.roster.team().to_string()).map_err(HubFault::from)?;
    Ok(nats_conf(&team, own.roster.members(), plan))
}

/// Runs something that waits, for a command that does nothing else.
pub(crate) fn block_on<T>(
    work: impl Future<Output = Result<T, DaemonError>>,
) -> Result<T, DaemonError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| DaemonError::File(error.to_string()))?.block_on(work)
}
