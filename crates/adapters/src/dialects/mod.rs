//! What an agent shares with its forks: one dialect, several agents.

pub(crate) mod pi_session;
