//! The words for a worker's health, as the contract's own project uses them.

/// It works, or is done.
pub(super) const HEALTHY: &str = "healthy";
/// It should work, and nothing was heard of it for minutes.
pub(super) const STALE: &str = "stale";
/// It failed, or its process is gone.
pub(super) const DEGRADED: &str = "degraded";
/// Nothing shows it.
pub(super) const UNKNOWN: &str = "unknown";
