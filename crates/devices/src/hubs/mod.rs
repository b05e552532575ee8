//! The hub of this device's team: which one it is, and how we authenticate.

mod credentials;
mod health;
mod relocation;
mod report;
pub mod server_file;

pub use health::{HeardDevice, HubStanding, HubState, heard, look, noted, standing};
pub use health::{doctor_check, note};
pub(crate) use relocation::{Arrival, Followed, arrived, last_followed, note_followed};
pub use relocation::{ByHand, MovePlan, Moved, by_hand, cancel_move, move_plan, move_team};
pub use report::{Disk, Lag, Report, disk, report};
pub use taffrail_sync::hub::{
    Aspect, HubCheck, Level, NatsPlan, Removal, ServerCertificate, TeamUsers, pin_of,
};

use crate::error::{DevicesError, HubFault};
use server_file::ServerOptions;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::exchange::fetch_roster;
use taffrail_sync::hub::{
    AnyHub, Credentials, Hub, HubUrl, LateHub, Megabytes, Team, account_conf, cell_conf, nats_conf,
};
use taffrail_sync::keys::DeviceSecret;
use taffrail_sync::{Roster, TeamId};

/// The address of the hub in use.
///
/// # Errors
/// When no hub is in use, or the configured address is invalid.
pub fn address(settings: &Settings) -> Result<HubUrl, HubFault> {
    let url = settings.hub.address().ok_or(HubFault::None)?;
    Ok(HubUrl::parse(&url)?)
}

/// What this device shows a hub to be let in.
///
/// # Errors
/// When the file of credentials cannot be used.
pub(crate) fn secrets(
    settings: &Settings,
    url: &HubUrl,
    secret: &DeviceSecret,
) -> Result<Credentials, HubFault> {
    let file = settings.hub.credentials.as_deref();
    credentials::credentials(url, file, secret, &settings.variables)
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
    let credentials = secrets(settings, url, secret)?;
    Ok(AnyHub::open(url, &Team::new(team.to_string())?, &credentials).await?)
}

/// The place of segments and bundles beside the hub, if one is named. It is opened when it is first
/// needed: the hub works while that place is away.
///
/// # Errors
/// When its address or its credentials are invalid.
pub fn blob_place(
    settings: &Settings,
    team: &TeamId,
    secret: &DeviceSecret,
) -> Result<Option<AnyHub>, HubFault> {
    let Some(blobs) = settings.hub.blobs.as_deref() else { return Ok(None) };
    let url = HubUrl::parse(blobs)?;
    let file = settings.hub.blob_credentials.as_deref();
    let credentials = credentials::credentials(&url, file, secret, &settings.variables)?;
    let late = LateHub::new(url, Team::new(team.to_string())?, credentials);
    Ok(Some(AnyHub::Late(late)))
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
        let mut checks = hub.doctor().await;
        if let Some(blobs) = blob_place(settings, own.roster.team(), &own.secret)? {
            let of_blobs =
                |it: HubCheck| HubCheck { message: format!("blobs: {}", it.message), ..it };
            checks.extend(blobs.doctor().await.into_iter().map(of_blobs));
        }
        Ok(checks)
    })
}

/// Sees to it that the hub in use has the roster as this device knows it.
///
/// # Errors
/// When no hub is in use, it cannot be reached, or its roster is another one.
pub fn publish_roster(settings: &Settings) -> Result<(), DevicesError> {
    let own = taffrail_team::own(settings)?;
    let url = address(settings)?;
    let roster = block_on(async {
        let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
        let roster = fetch_roster(&hub, &own.roster, own.secret.identity()).await;
        Ok(roster.map_err(HubFault::from)?)
    })?;
    Ok(taffrail_team::take_in(settings, &roster)?)
}

/// Whether the address of the hub in use leads to this machine, wherever it is read.
#[must_use]
pub fn is_near(settings: &Settings) -> bool {
    let Ok(HubUrl::Nats(servers)) = address(settings) else { return false };
    let near = ["127.", "localhost:", "[::1]:"];
    servers.hosts.iter().all(|it| near.iter().any(|near| it.starts_with(near)))
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

/// Generates a NATS server configuration for this team, and for others if the options name a number of
/// streams.
///
/// # Errors
/// When this device is not in a team.
pub fn configuration(
    settings: &Settings,
    asked: &ServerOptions,
    others: Vec<TeamUsers>,
) -> Result<String, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let team = Team::new(own.roster.team().to_string()).map_err(HubFault::from)?;
    if let Some(quota) = asked.quota {
        let teams = teams(&team, &own.roster, others);
        return Ok(account_conf(&teams, Megabytes(quota), &asked.plan(Removal::ByAdmins)));
    }
    let Some(streams) = asked.streams else {
        let keeps = settings.hub.keep_days.is_some() || settings.hub.keep_bytes.is_some();
        let retention = if keeps { Removal::ByAdmins } else { Removal::Nobody };
        return Ok(nats_conf(&team, &own.roster, &asked.plan(retention)));
    };
    let teams = teams(&team, &own.roster, others);
    Ok(cell_conf(&teams, streams, &asked.plan(Removal::Nobody)))
}

fn teams(team: &Team, roster: &Roster, others: Vec<TeamUsers>) -> Vec<TeamUsers> {
    [TeamUsers::of(team, roster)].into_iter().chain(others).collect()
}

/// What the operator of a server needs to admit this team.
///
/// # Errors
/// When this device is not in a team.
pub fn team_users(settings: &Settings) -> Result<TeamUsers, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let team = Team::new(own.roster.team().to_string()).map_err(HubFault::from)?;
    Ok(TeamUsers::of(&team, &own.roster))
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
