//! The user's other devices: the hub, the items published to it and applied from it, requests
//! answered on other devices, shares, and sessions that move.

mod device_list;
mod error;
pub mod exchange;
pub mod hubs;
mod link;
pub mod pairing;
pub mod replication;
mod shares;
pub mod ssh;
pub mod teleport;

pub use device_list::{device_names, devices};
pub use error::{DevicesError, HubFault, PairingError, ShareError, TeleportError};
pub use link::{Accept, ExchangeHandle, ExchangeState, Notifier};
pub use shares::{check_writable, revoke, share, shares};
