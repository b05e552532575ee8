//! The umask: our own files are private, and programs that we start use the user's umask.

use rustix::fs::Mode;
use rustix::process::umask;
use std::sync::{Mutex, PoisonError};

/// The user's umask, once it is replaced.
static USERS: Mutex<Option<Mode>> = Mutex::new(None);

/// From now on only our user can access the files that this process creates.
pub fn keep_private() {
    let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
    let before = umask(Mode::from_raw_mode(0o077));
    users.get_or_insert(before);
}

/// Starts another program with the user's umask. Other threads create files meanwhile only in folders that
/// other users cannot enter.
pub fn with_users_mask<T>(start: impl FnOnce() -> T) -> T {
    let users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mask) = *users else { return start() };
    let ours = umask(mask);
    let started = start();
    umask(ours);
    started
}
