//! Checks of a directory or a bucket.

use super::{ObjectHub, Place};
use crate::hub::doctor::try_rules;
use crate::hub::{Aspect, HubCheck};

pub(super) async fn doctor(hub: &ObjectHub) -> Vec<HubCheck> {
    let mut checks = match hub.place {
        // On this machine alone the rules would hold, which proves nothing.
        Place::Copied(by) => vec![HubCheck::weak(Aspect::CompareAndSet, no_rule(by))],
        Place::Directory | Place::EncryptedBucket | Place::PlainBucket => try_rules(hub).await,
    };
    checks.extend(by_place(hub.place));
    checks
}

/// The limits of a folder that is copied between machines.
pub(super) fn no_rule(by: &str) -> String {
    format!(
        "{by} copies this directory between machines and lets two of them create the same name. \
         Sessions can be seen through it; leases, remote approvals and changes of the roster \
         cannot go through it. Use a bucket or a server for those."
    )
}

fn by_place(place: Place) -> Vec<HubCheck> {
    match place {
        Place::Directory => vec![
            HubCheck::unknown(
                Aspect::CreateIfAbsent,
                "It was tried on this machine only. Whether the directory is on a network share \
                 or is copied between machines by another program cannot be seen. A program that \
                 copies files keeps no rule between machines: do not use its folder as a hub.",
            ),
            HubCheck::good(Aspect::Durability, "Everything is flushed to the disk (fsync)."),
            HubCheck::unknown(
                Aspect::Copies,
                "A directory is one copy, unless its disk makes more.",
            ),
        ],
        Place::Copied(_) => vec![HubCheck::unknown(
            Aspect::Durability,
            "When what is written arrives elsewhere, the program that copies it decides.",
        )],
        Place::EncryptedBucket => vec![
            HubCheck::good(Aspect::Transport, "The way to the bucket is encrypted (TLS)."),
            HubCheck::unknown(Aspect::Durability, "What a bucket promises, its maker says."),
        ],
        Place::PlainBucket => vec![
            HubCheck::weak(
                Aspect::Transport,
                "The way to the bucket is not encrypted. What is sealed stays sealed; who listens \
                 sees names, sizes and times. Use https.",
            ),
            HubCheck::unknown(Aspect::Durability, "What a bucket promises, its maker says."),
        ],
    }
}
