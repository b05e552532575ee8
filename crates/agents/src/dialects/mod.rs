//! What an agent shares with its forks: one dialect, several agents.

pub(crate) mod ai_sdk;
pub(crate) mod claude_blocks;
pub(crate) mod cline_task;
mod editor_homes;
pub(crate) mod opencode_plan;
pub(crate) mod opencode_rows;
pub(crate) mod opencode_server;
pub(crate) mod pi_session;
pub(crate) mod qwen_chat;

pub(crate) use editor_homes::editor_homes;
