//! What an agent shares with its forks: one dialect, several agents.

pub(crate) mod claude_blocks;
pub(crate) mod pi_session;
pub(crate) mod qwen_chat;
