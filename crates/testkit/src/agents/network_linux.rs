//! Enters a network namespace of Linux.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::AsFd;

/// Moves this thread into a network.
pub(super) fn enter(network: &File) {
    move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
}
