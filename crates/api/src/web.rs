//! Authentication of a browser.

use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, SocketAddr};
use utoipa::ToSchema;

/// The port browsers find us at, unless another is wanted.
pub const WEB_PORT: u16 = 7717;

/// Asks for a browser to be let in.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebBody {
    /// What the browser will say: 64 hexadecimal digits nobody can guess.
    pub code: String,
    /// The loopback address to open where none is open.
    #[serde(default = "usual")]
    #[schema(value_type = String)]
    pub address: SocketAddr,
}

fn usual() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, WEB_PORT).into()
}

/// Where a browser is let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The address, as `http://127.0.0.1:7717`.
    pub url: String,
    /// The same under the address of the user's own tunnel, if one is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
}
