//! The lease over a session: which device may resume it, for a limited time.

use super::bundles::entered;
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::error::TeleportError;
use crate::hubs::block_on;
use std::time::Duration;
use taffrail_context::Settings;
use taffrail_model::{SessionId, Timestamp, hash};
use taffrail_sync::exchange::acquire_lease;
use taffrail_sync::hub::lease::{self, Held, Lease};
use taffrail_sync::hub::{AnyHub, HubError, KeyName, NameError};
use taffrail_team::ThisDevice;

/// How long a pulled or resumed session is reserved for this device, unless released earlier.
const OURS: Duration = Duration::from_secs(600);
/// How long resuming a session waits for the hub.
const PATIENCE: Duration = Duration::from_secs(3);

/// Holds the lease over a session for this long, then releases it. Calls `held` once this device
/// has the lease.
///
/// # Errors
/// `Held` when another device has the lease; when no hub is in use, or the hub does not answer.
pub fn hold(
    settings: &Settings,
    session: SessionId,
    length: Duration,
    held: impl FnOnce(&Held),
) -> Result<(), DevicesError> {
    let own = taffrail_team::own(settings)?;
    block_on(async {
        let hub = entered(settings, &own).await?;
        let key = lease_of(session).map_err(HubFault::from)?;
        let got = take(settings, &own, (&hub, &key), length).await?;
        held(&got);
        tokio::time::sleep(length).await;
        Ok(lease::release(&hub, &key, own.id.as_str()).await.map_err(HubFault::from)?)
    })
}

/// Takes the lease over a session and does some work under it. Releases the lease if the work
/// fails.
///
/// # Errors
/// `Held` when another device has the lease; when no hub is in use, or the hub does not answer; the
/// error of the work.
pub fn under_lease<T, E: From<DevicesError>>(
    settings: &Settings,
    session: SessionId,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let own = taffrail_team::own(settings).map_err(DevicesError::from)?;
    taken(settings, &own, session)?;
    work().inspect_err(|_| {
        let given = block_on(async {
            let hub = entered(settings, &own).await?;
            give_back(&hub, &own, session).await
        });
        // A lease that cannot be released expires by itself.
        if let Err(error) = given {
            tracing::info!(%error, %session, "cannot give a lease back");
        }
    })
}

fn taken(settings: &Settings, own: &ThisDevice, session: SessionId) -> Result<(), DevicesError> {
    block_on(async {
        let hub = entered(settings, own).await?;
        let key = lease_of(session).map_err(HubFault::from)?;
        take(settings, own, (&hub, &key), OURS).await.map(drop)
    })
}

/// Takes the lease over a session that is about to be resumed here. A hub that does not answer, or
/// does not support leases, does not block the resume: a lease binds only devices that can request
/// it.
///
/// # Errors
/// `Held` when another device has the lease.
pub fn ask_lease(settings: &Settings, session: SessionId) -> Result<(), DevicesError> {
    if settings.hub.url.is_none() {
        return Ok(());
    }
    let own = taffrail_team::own(settings)?;
    let asked = block_on(async {
        let asked = async {
            let hub = entered(settings, &own).await?;
            let key = lease_of(session).map_err(HubFault::from)?;
            take(settings, &own, (&hub, &key), OURS).await
        };
        Ok(tokio::time::timeout(PATIENCE, asked).await)
    })?;
    match asked {
        Ok(Err(held @ DevicesError::Teleport(TeleportError::Held { .. }))) => Err(held),
        Ok(Err(error)) => {
            tracing::info!(%error, %session, "cannot ask the hub for a lease; the session goes on");
            Ok(())
        }
        Err(_) => {
            tracing::info!(%session, "the hub gave no lease in time; the session goes on");
            Ok(())
        }
        Ok(Ok(_)) => Ok(()),
    }
}

/// Releases the lease over a session, if this device holds it.
pub(super) async fn give_back(
    hub: &AnyHub,
    own: &ThisDevice,
    session: SessionId,
) -> Result<(), DevicesError> {
    let key = lease_of(session).map_err(HubFault::from)?;
    Ok(lease::release(hub, &key, own.id.as_str()).await.map_err(HubFault::from)?)
}

fn lease_of(session: SessionId) -> Result<KeyName, NameError> {
    KeyName::new(format!("lease/{}", hash::to_hex(session.as_bytes())))
}

async fn take(
    settings: &Settings,
    own: &ThisDevice,
    (hub, key): (&AnyHub, &KeyName),
    length: Duration,
) -> Result<Held, DevicesError> {
    let now = (settings.now)();
    let length = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    let until = Timestamp::from_millisecond(now.as_millisecond().saturating_add(length));
    let until = until.unwrap_or(Timestamp::MAX);
    let (asked, times) = ((key, own.id.as_str()), (until, now));
    let got = acquire_lease(hub, &own.roster, asked, times).await;
    match got.map_err(HubFault::from)? {
        Lease::Held(held) => Ok(held),
        Lease::Taken { holder, until } => {
            let member = own.roster.members().find(|it| it.device.id.as_str() == holder);
            let holder = member.map_or(holder, |it| it.device.name.clone());
            Err(TeleportError::Held { holder, until }.into())
        }
        Lease::Free => {
            Err(HubFault::from(HubError::Refused("the lease is free".to_owned())).into())
        }
    }
}
