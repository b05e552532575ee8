//! What the fold looks up by: without it, a roster of thousands of devices costs millions of
//! comparisons.

use super::Device;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::DeviceId;

/// Names and users of current devices, and the keys of all devices there ever were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    names: BTreeMap<String, DeviceId>,
    users: BTreeMap<String, BTreeSet<DeviceId>>,
    signing: BTreeSet<[u8; 32]>,
    recipients: BTreeSet<String>,
    /// How many current devices are admins.
    pub(super) admins: usize,
}

impl Index {
    /// The current device with a name; case does not count.
    pub(super) fn named(&self, name: &str) -> Option<&DeviceId> {
        self.names.get(&name.to_lowercase())
    }

    /// The current devices of a user.
    pub(super) fn devices_of(&self, user: &str) -> impl Iterator<Item = &DeviceId> {
        self.users.get(user).into_iter().flatten()
    }

    /// The users of current devices.
    pub(super) fn users(&self) -> impl Iterator<Item = &str> {
        self.users.keys().map(String::as_str)
    }

    /// Whether one of the keys of a device is or was in the team.
    pub(super) fn knows_key_of(&self, device: &Device) -> bool {
        self.signing.contains(device.keys.signing().as_bytes())
            || self.recipients.contains(&device.keys.recipient().to_string())
    }

    pub(super) fn add(&mut self, device: &Device) {
        self.names.insert(device.name.to_lowercase(), device.id.clone());
        self.users.entry(device.user.clone()).or_default().insert(device.id.clone());
        self.signing.insert(*device.keys.signing().as_bytes());
        self.recipients.insert(device.keys.recipient().to_string());
    }

    /// The device is no longer in the team; its keys stay known.
    pub(super) fn remove(&mut self, device: &Device) {
        self.names.remove(&device.name.to_lowercase());
        let Some(own) = self.users.get_mut(&device.user) else { return };
        own.remove(&device.id);
        if own.is_empty() {
            self.users.remove(&device.user);
        }
    }
}
