//! The readers of a stream.

use crate::bytes::Digest;
use crate::keys::Recipient;
use crate::roster::{Audience, Roster};
use crate::signing::{Purpose, digest};
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// Users with all their devices, and single devices. The writer is always a reader.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Readers {
    /// All devices of these users, and their recovery recipients.
    #[serde(default)]
    pub users: Vec<String>,
    /// These devices.
    #[serde(default)]
    pub devices: Vec<DeviceId>,
}

impl Readers {
    /// The devices of one user.
    #[must_use]
    pub fn user(name: impl Into<String>) -> Self {
        Self { users: vec![name.into()], devices: Vec::new() }
    }

    /// The stored form.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Lists of words always serialize.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses what `to_text` wrote; anything else means no readers.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The recipients of a key, sorted and without duplicates.
    pub(super) fn recipients(&self, roster: &Roster, writer: &DeviceId) -> Vec<Recipient> {
        let users: Vec<&str> = self.users.iter().map(String::as_str).collect();
        let mut all = roster.recipients(Audience::Users(&users));
        let single = self.devices.iter().chain([writer]).filter_map(|id| roster.member(id));
        let current = single.filter(|member| member.is_current());
        all.extend(current.map(|member| member.device.keys.recipient().clone()));
        all.sort_by_cached_key(ToString::to_string);
        all.dedup();
        all
    }
}

/// Identifies the recipients of a key.
pub(super) fn mark(recipients: &[Recipient]) -> Digest {
    let words: Vec<String> = recipients.iter().map(ToString::to_string).collect();
    let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
    digest(Purpose::Readers, &words)
}
