//! The options that select sessions, shared by several commands.

use super::Context;
use super::completions::agent_ids;
use crate::error::CliError;
use clap::ValueHint;
use std::path::Path;
use taffrail_api::ListRequest;
use taffrail_model::{Timestamp, when};
use taffrail_tui::when::Clock;

// A plain comment: a documented one would become the help of every command that has these options.
// Limits a query to some sessions.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Which {
    /// Only this agent, by its id (see `taffrail agents`)
    #[arg(long, value_name = "AGENT", add = agent_ids())]
    pub(super) agent: Option<String>,
    /// Only sessions with an event since: 7d, 12h, 30m, a date or a time
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<String>,
    /// Only projects whose folder has this name, or this folder and below: shop-web, ./api, ~/src/api
    #[arg(long, value_name = "PROJECT", value_hint = ValueHint::DirPath)]
    pub(super) project: Option<String>,
    /// Only this device, by its name; `here` for this one
    #[arg(long, value_name = "NAME")]
    pub(super) device: Option<String>,
}

impl Which {
    /// The same as a question, of main sessions and without a limit.
    pub(super) fn request(&self, context: &Context) -> Result<ListRequest, CliError> {
        let since = self.since.as_deref().map(|it| instant(it, &context.clock())).transpose()?;
        let project = self.project.as_ref().map(|it| project(context, it));
        let (agent, device) = (self.agent.clone(), self.device.clone());
        Ok(ListRequest { agent, since, project, device, ..ListRequest::default() })
    }
}

/// An instant as a person writes it; a date begins at midnight by the person's clock.
pub(super) fn instant(text: &str, clock: &Clock) -> Result<Timestamp, CliError> {
    clock.midnight(text).or_else(|| when::since(text, clock.now)).ok_or_else(|| {
        let hint = "write 7d, 12h, 30m, or a date such as 2026-11-01";
        CliError::usage(format!("`{text}` is not a time"), hint)
    })
}

/// A project as a person writes it: the name of its folder, or a path.
fn project(context: &Context, typed: &str) -> String {
    let home = &context.env.user_home;
    match typed.strip_prefix('~').filter(|it| it.is_empty() || it.starts_with('/')) {
        Some(below) => format!("{}{below}", home.display()),
        None if typed.contains('/') || matches!(typed, "." | "..") => {
            absolute(&context.env.here, typed)
        }
        None => typed.to_owned(),
    }
}

/// A folder as a person writes it.
pub(super) fn absolute(here: &Path, path: &str) -> String {
    let joined = here.join(path);
    // A deleted project can still be selected by its name.
    joined.canonicalize().unwrap_or(joined).to_string_lossy().into_owned()
}
