//! Devices and their team.

use serde::{Deserialize, Serialize};

/// This device and its team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceList {
    /// The version of this document.
    pub schema_version: u32,
    /// The team, by its id.
    pub team: String,
    /// How often the keys were renewed.
    pub epoch: u64,
    /// This device.
    pub this: OwnDevice,
    /// The recovery recipient of this device's user; `null` where there is none.
    pub recovery: Option<String>,
    /// The devices that are or were in the team, as they came.
    pub devices: Vec<DeviceRow>,
}

/// This device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnDevice {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Its six words.
    pub words: String,
    /// `in` the team, `waiting` to be let in, or `removed`.
    pub state: String,
}

/// A device that is or was in the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRow {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Its six words.
    pub words: String,
    /// `admin`, or `member`.
    pub role: String,
    /// It is this one.
    pub this: bool,
    /// The entry of the roster that let it in.
    pub joined: u64,
    /// The entry that took it out, if one did.
    pub removed: Option<u64>,
}

/// What the commands that change a team say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamChange {
    /// The version of this document.
    pub schema_version: u32,
    /// The entry of the roster that says so.
    pub entry: u64,
    /// The epoch that holds from there on.
    pub epoch: u64,
}
