//! Browsers that subscribed to Web Push.

use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;
use utoipa::ToSchema;

/// The key by which push services know us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushKey {
    /// The version of this document.
    pub schema_version: u32,
    /// The public half: an uncompressed point of P-256 in base64url, 87 letters.
    pub public_key: String,
}

/// A browser that subscribes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushBody {
    /// The address of its push service.
    pub endpoint: String,
    /// Its keys.
    pub keys: PushKeys,
    /// A random word by which the same browser is known again.
    pub device: String,
    /// A name for people.
    pub name: String,
}

/// The keys of a subscription, in base64url.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushKeys {
    /// The browser's public key.
    pub p256dh: String,
    /// Its authentication secret.
    pub auth: String,
}

/// A browser that subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The host of its push service.
    pub service: String,
    /// Since when.
    #[schema(value_type = String)]
    pub since: Timestamp,
}

/// Every browser that subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushList {
    /// The version of this document.
    pub schema_version: u32,
    /// The browsers, the oldest first.
    pub subscriptions: Vec<PushRow>,
}
