//! Questions that need a repository and whole transcripts.

mod blame;
mod blame_commands;
mod blame_notes;
mod blame_stages;
mod blame_transcripts;
mod blame_world;
