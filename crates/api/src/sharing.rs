//! Sessions shared by this device, and with it.

use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// Sessions shared by this device, and with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareList {
    /// The version of this document.
    pub schema_version: u32,
    /// Sessions shared by this device, the oldest first.
    pub shared: Vec<ShareRow>,
    /// Sessions that others share with this device.
    pub received: Vec<ReceivedRow>,
}

/// A session that this device shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareRow {
    /// The id of the share.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Who reads it.
    pub with: ShareReaders,
    /// Since when.
    pub since: Timestamp,
    /// `shared`, or `revoked` until its readers know.
    pub state: String,
}

/// Who reads a share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareReaders {
    /// Users, with all their devices.
    pub users: Vec<String>,
    /// Single devices, by name.
    pub devices: Vec<String>,
}

/// A session that somebody shares with this device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedRow {
    /// The session, by its id here.
    pub session_id: String,
    /// Its id on its own device.
    pub session_id_there: Option<String>,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// The device it is on.
    pub device: String,
    /// The user of that device, if the team knows it.
    pub user: Option<String>,
}

/// The result of sharing or revoking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareChange {
    /// The version of this document.
    pub schema_version: u32,
    /// The shares that changed.
    pub shares: Vec<ShareRow>,
    /// A daemon runs and carries it; otherwise that is done when one does.
    pub carried: bool,
}
