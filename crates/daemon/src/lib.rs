//! The daemon: the loop that ingests what agents write, and the parts it runs beside it.
//!
//! [`live::Handle`] owns those parts: the approval broker, message delivery, notifications,
//! summaries and the exchange with other devices. Commands that work without a daemon use the lower
//! crates.

pub mod agent_servers;
pub mod delivery;
mod doctor;
mod error;
pub mod live;
mod operations;
pub mod phone;
mod refusals;
mod resume;
mod start;
mod stop;

pub use delivery::{SendTime, queue, receipt, stop_at_reset, take_back};
pub use doctor::doctor;
pub use error::{DaemonError, ServeError};
pub use operations::operations;
pub use refusals::{NotStopped, StartError};
pub use resume::{
    NewPane, begin_resume, end_resume, end_resume_here, lost_sessions, note_resumed,
    resume_elsewhere, resume_folder, resume_in_tmux, resume_plan, resume_plan_with, start_in_tmux,
    tmux_command,
};
pub use start::Start;
pub use stop::{Running, stop_session};
