//! The devices of the team, as the user interfaces show them.

use crate::error::DevicesError;
use crate::hubs::{self, HubState};
use taffrail_api::{DeviceList, DeviceRow, OwnDevice, SCHEMA_VERSION};
use taffrail_context::Settings;
use taffrail_context::{Devices, kept_names};
use taffrail_model::DeviceId;
use taffrail_sync::Roster;
use taffrail_sync::roster::{Member, Role};
use taffrail_team::{ThisDevice, known, own, own_name};

/// Lists this device and its team.
///
/// # Errors
/// When this device has no keys yet, or its files cannot be read.
pub fn devices(settings: &Settings) -> Result<DeviceList, DevicesError> {
    let own = own(settings)?;
    let mut devices: Vec<_> = own.roster.members().map(|it| row(it, &own)).collect();
    devices.sort_by_key(|it| it.joined);
    Ok(DeviceList {
        schema_version: SCHEMA_VERSION,
        team: own.roster.team().to_string(),
        epoch: own.roster.epoch(),
        this: this(settings, &own),
        recovery: own.roster.recovery(&own.user).map(ToString::to_string),
        devices,
    })
}

/// The known names of devices; empty if no file can be read.
#[must_use]
pub fn device_names(settings: &Settings) -> Devices {
    let roster = known(settings);
    let members = roster.iter().flat_map(names_in);
    let others = kept_names(&settings.data).into_iter().chain(members).collect();
    Devices { here: own_name(settings), others }
}

/// The names of the team's devices.
pub(crate) fn names_in(roster: &Roster) -> impl Iterator<Item = (DeviceId, String)> {
    roster.members().map(|it| (it.device.id.clone(), it.device.name.clone()))
}

fn this(settings: &Settings, own: &ThisDevice) -> OwnDevice {
    let state = match own.member() {
        None => "waiting",
        Some(member) if member.is_current() && !is_shut_out(settings) => "in",
        Some(_) => "removed",
    };
    OwnDevice {
        id: own.id.to_string(),
        name: own.name.clone(),
        user: own.user.clone(),
        words: own.secret.keys().fingerprint().to_string(),
        state: state.to_owned(),
    }
}

/// True if the roster on the hub is no longer sealed to this device. The local roster does not
/// contain that removal.
fn is_shut_out(settings: &Settings) -> bool {
    let noted = hubs::standing(settings).ok().flatten();
    noted.is_some_and(|it| it.state == HubState::Removed)
}

fn row(member: &Member, own: &ThisDevice) -> DeviceRow {
    let role = match member.role {
        Role::Member => "member",
        Role::Admin => "admin",
    };
    DeviceRow {
        id: member.device.id.to_string(),
        name: member.device.name.clone(),
        user: member.device.user.clone(),
        words: member.device.keys.fingerprint().to_string(),
        role: role.to_owned(),
        this: member.device.id == own.id,
        joined: member.joined.n,
        removed: member.left.map(|left| left.n),
    }
}
