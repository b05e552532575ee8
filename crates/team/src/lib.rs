//! This device and the team it is in: what `sync` decides, kept in files of this device's own.
//!
//! A change of the team is made in two steps. It is signed first and comes as a [`Change`]; then it
//! is kept. Whoever shares a hub appends its entry there in between, and keeps it only if that was
//! taken. Without a hub changes are carried by hand, and one that would fork what is known here is
//! refused.

mod change;
mod error;
mod files;
mod join;
mod local_device;
mod new_device;
mod roster_notice;

pub use change::{
    Change, Recovered, init_device, keep, name_admin, recovery, recovery_key, remove,
    resolve_recipients, rotate, take_in,
};
pub use error::DeviceError;
pub use join::{Asking, Joined, Vouched, approve, invite, join, vouch};
pub use local_device::{Edition, ThisDevice, known, newer_roster, own, own_name};
pub use new_device::Beginning;
pub use roster_notice::{doctor_checks, notice_of};
