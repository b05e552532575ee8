//! What a stat reveals about a file: its fingerprint, and whether it may be read.

use crate::Refusal;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;
use taffrail_model::observed::Fingerprint;

/// Our user, asked once: a home may have many thousands of files.
static OUR_USER: LazyLock<u32> = LazyLock::new(|| rustix::process::geteuid().as_raw());

/// Why a file may not be read; `None` if it may.
pub(crate) fn refusal(metadata: &Metadata) -> Option<Refusal> {
    if metadata.is_symlink() {
        Some(Refusal::Link)
    } else if !metadata.is_file() {
        Some(Refusal::NotRegular)
    } else if metadata.uid() != *OUR_USER {
        Some(Refusal::ForeignOwner)
    } else {
        None
    }
}

/// The fingerprint of a file itself, without its side files.
pub(crate) fn fingerprint(metadata: &Metadata) -> Fingerprint {
    Fingerprint {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        modified_ns: metadata.mtime().saturating_mul(1_000_000_000) + metadata.mtime_nsec(),
        beside: 0,
    }
}
