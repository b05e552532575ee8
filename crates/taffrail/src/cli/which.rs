//! Which sessions are meant, in the options several commands share.

use super::Context;
use super::completions::agent_ids;
use crate::error::CliError;
use crate::rim;
use clap::ValueHint;
use std::path::Path;
use taffrail_api::ListRequest;
use taffrail_model::{Timestamp, when};

// A plain comment: a documented one would become the help of every command that has these options.
// Narrows a question to some sessions.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Which {
    /// Of this agent only, by its id (see `taffrail agents`)
    #[arg(long, value_name = "AGENT", add = agent_ids())]
    pub(super) agent: Option<String>,
    /// With something new since then: 7d, 12h, 30m, a date or a time
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<String>,
    /// In this folder or below it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(super) project: Option<String>,
    /// On this device only, by its name; `here` for this one
    #[arg(long, value_name = "NAME")]
    pub(super) device: Option<String>,
}

impl Which {
    /// The same as a question, of main sessions and without a limit.
    pub(super) fn request(&self, context: &Context) -> Result<ListRequest, CliError> {
        let since = self.since.as_deref().map(instant).transpose()?;
        let project = self.project.as_ref().map(|path| absolute(&context.rim.here, path));
        let (agent, device) = (self.agent.clone(), self.device.clone());
        Ok(ListRequest { agent, since, project, device, ..ListRequest::default() })
    }
}

/// An instant as a person writes it.
pub(super) fn instant(text: &str) -> Result<Timestamp, CliError> {
    when::since(text, rim::now()).ok_or_else(|| {
        CliError::usage(format!("`{text}` is no time"), "write 7d, 12h, 30m or 2026-11-01")
    })
}

/// A folder as a person writes it.
pub(super) fn absolute(here: &Path, path: &str) -> String {
    let joined = here.join(path);
    // A project that is gone can still be asked for by its name.
    joined.canonicalize().unwrap_or(joined).to_string_lossy().into_owned()
}
