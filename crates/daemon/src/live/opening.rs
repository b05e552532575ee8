//! Opening eyes on the places sources are in.

use super::by_root;
use super::eye::{self, Given};
use super::looping::{HOMES_TIME, Loop};
use super::watch::WATCHES;
use crate::DaemonError;
use std::time::Instant;

impl Loop {
    /// Opens an eye on every place that has none.
    pub(super) fn open_eyes(&mut self) -> Result<(), DaemonError> {
        self.next_homes = Instant::now() + HOMES_TIME;
        for (root, homes) in by_root(self.settings.eyes()) {
            if self.eyes.iter().any(|eye| eye.root == root) {
                continue;
            }
            let given = Given {
                settings: self.settings.clone(),
                rules: self.rules.clone(),
                device: self.device.as_str().to_owned(),
                wakes: self.to_self.clone(),
                budget: WATCHES / 4,
            };
            let eye = eye::open(self.eyes.len(), homes, given)?;
            self.handle.note_eye(self.eyes.len(), &eye);
            self.eyes.push(eye);
        }
        Ok(())
    }
}
