//! This device and its team: stores the decisions of `sync` in the files of this device.
//!
//! A change of the team takes two steps. It is signed first and returned as a [`Change`]; then it
//! is stored. A caller with a hub appends the entry there in between, and stores the change only if
//! the hub accepted it. Without a hub people take changes from device to device, and a change that
//! would fork the known roster is refused.

mod change;
mod error;
mod files;
mod join;
mod local_device;
mod new_device;
mod pairing;
mod roster_notice;

pub use change::{
    Change, Recovered, init_device, keep, name_admin, recovery, recovery_key, remove,
    resolve_recipients, rotate, take_in,
};
pub use error::DeviceError;
pub use join::{Asking, Joined, Vouched, approve, invite, join, vouch};
pub use local_device::{Edition, ThisDevice, known, newer_roster, own, own_name};
pub use new_device::Beginning;
pub use pairing::{
    Guest, News, PairingInvite, PairingRequest, keys_or_new, pairing_guest, pairing_invite,
    pairing_news, pairing_request,
};
pub use roster_notice::{doctor_checks, notice_of};
