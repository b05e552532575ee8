//! What only the operating system knows: which boot this is, and how to close our memory to others.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod here;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod here;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "unsupported.rs"]
mod here;

pub(crate) use here::{boot_id, close_memory_to_others};
