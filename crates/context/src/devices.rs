//! The names of devices.

use crate::atomic_write::atomic_write;
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use taffrail_model::{DeviceId, replication};
use taffrail_store::StoreError;

/// The file of remembered names, next to the folders of other devices' items.
const NAMES: &str = "names.json";

/// The names of other devices. Clones share them: a daemon learns those of devices that join while it runs.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<RwLock<BTreeMap<DeviceId, String>>>);

impl Names {
    /// Adds names, and replaces those of devices that have another one now.
    pub fn learn(&self, more: impl IntoIterator<Item = (DeviceId, String)>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).extend(more);
    }

    /// All names, by device.
    #[must_use]
    pub fn all(&self) -> BTreeMap<DeviceId, String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn get(&self, device: &DeviceId) -> Option<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(device).cloned()
    }

    fn device_named(&self, is: impl Fn(&str) -> bool) -> Option<DeviceId> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(_, name)| is(name)).map(|(id, _)| id.clone())
    }
}

impl FromIterator<(DeviceId, String)> for Names {
    fn from_iter<T: IntoIterator<Item = (DeviceId, String)>>(all: T) -> Self {
        Self(Arc::new(RwLock::new(all.into_iter().collect())))
    }
}

/// The names of devices.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    /// This device; `None` until it has a name.
    pub here: Option<String>,
    /// The other devices.
    pub others: Names,
}

/// A device that the user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Device {
    /// This device.
    Here,
    /// Another device.
    Other(DeviceId),
}

impl Devices {
    /// The device of a session, by the locator of its history: its name, or its id if it has none;
    /// `None` for this device while it has no name.
    #[must_use]
    pub fn name_at(&self, locator: &str) -> Option<String> {
        match replication::device_of(locator) {
            Some(device) => Some(self.name_of(&device)),
            None => self.here.clone(),
        }
    }

    /// The name of another device.
    #[must_use]
    pub fn name_of(&self, device: &DeviceId) -> String {
        self.others.get(device).unwrap_or_else(|| device.to_string())
    }

    /// Resolves a device: `here`, its name, or its id if it published items here.
    ///
    /// # Errors
    /// When no device has this name.
    pub fn meant(&self, data: &Path, word: &str) -> Result<Device, Error> {
        let is = |name: &str| name.eq_ignore_ascii_case(word);
        if is("here") || self.here.as_deref().is_some_and(is) {
            return Ok(Device::Here);
        }
        let named = self.others.device_named(is);
        let told = replication::is_name(word) && data.join(replication::FOLDER).join(word).is_dir();
        let other = named.or_else(|| told.then(|| DeviceId::new(word)));
        other.map(Device::Other).ok_or_else(|| Error::UnknownDevice(word.to_owned()))
    }
}

/// Remembers the names of devices outside this device's team whose history was restored.
pub fn keep_names(data: &Path, names: &BTreeMap<DeviceId, String>) -> Result<(), Error> {
    let all: BTreeMap<_, _> = kept_names(data).into_iter().chain(names.clone()).collect();
    let bytes = serde_json::to_vec(&all).map_err(|error| Error::Bug(error.to_string()))?;
    let path = data.join(replication::FOLDER).join(NAMES);
    Ok(atomic_write(&path, &bytes).map_err(StoreError::from)?)
}

/// The remembered names; empty if they cannot be read.
pub fn kept_names(data: &Path) -> BTreeMap<DeviceId, String> {
    let bytes = std::fs::read(data.join(replication::FOLDER).join(NAMES)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// The placeholder for a text that stays on its device.
pub fn kept_text(devices: &Devices, locator: &str) -> String {
    let name = devices.name_at(locator);
    format!("(text stays on {})", name.as_deref().unwrap_or("its device"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_goes_by_its_name_or_its_id() {
        let laptop = DeviceId::new("dev-1");
        let devices = Devices {
            here: Some("tower".into()),
            others: [(laptop.clone(), "laptop".to_owned())].into_iter().collect(),
        };
        let data = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(data.path().join("remote/dev-2")).unwrap();
        let check = |word: &str, expected: Option<Device>| {
            assert_eq!(devices.meant(data.path(), word).ok(), expected, "{word}");
        };
        check("here", Some(Device::Here));
        check("Tower", Some(Device::Here));
        check("laptop", Some(Device::Other(laptop)));
        check("dev-2", Some(Device::Other(DeviceId::new("dev-2"))));
        check("phone", None);
        check("../remote", None);
        let named = |locator: &str| devices.name_at(locator);
        assert_eq!(named("relay:dev-1/x").as_deref(), Some("laptop"));
        assert_eq!(named("relay:dev-2/x").as_deref(), Some("dev-2"));
        assert_eq!(named("toy:x").as_deref(), Some("tower"));
        assert_eq!(Devices::default().name_at("toy:x"), None);
        assert_eq!(kept_text(&devices, "relay:dev-1/x"), "(text stays on laptop)");
    }
}
