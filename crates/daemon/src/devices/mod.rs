//! This device and the team it is in: what `sync` decides, kept in files of this device's own.
//!
//! A change of the team is made in two steps. It is signed first and comes as a [`Change`]; then it
//! is kept. Whoever shares a hub appends its entry there in between, and keeps it only if that was
//! taken. Without a hub changes are carried by hand, and one that would fork what is known here is
//! refused.

mod coming_in;
mod error;
mod files;
mod listing;
mod own;
mod team;

pub use coming_in::{Asking, Beginning, Joined, approve, invite, join};
pub use error::DeviceError;
pub use listing::{device_names, devices};
pub use team::{
    Change, Recovered, init_device, keep, name_admin, recovery, recovery_key, remove, rotate,
};

pub(crate) use own::{Edition, Own, newer_roster, own, own_name};
pub(crate) use team::{take_in, whom};
