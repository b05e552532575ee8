//! Linux.

/// The id of this boot; empty if the system does not report one.
pub(crate) fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Closes the memory of this process to other processes of the user.
pub(crate) fn close_memory_to_others() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // Best effort: if this fails, memory is as open as that of every other program.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).ok();
}
