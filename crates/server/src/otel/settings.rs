//! The settings that a user pastes so that an agent sends its telemetry here.

use taffrail_adapters::{Adapter, TelemetryPlan, all, by_id};
use taffrail_context::Error;
use taffrail_daemon::DaemonError;

/// The settings of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtelSettings {
    /// The agent's display name.
    pub label: &'static str,
    /// Where the settings belong.
    pub place: &'static str,
    /// The text to paste.
    pub text: String,
}

/// The settings of one agent, or of all that can send anything.
///
/// # Errors
/// When no agent has this name, or it sends nothing that we read.
pub fn otel_settings(
    agent: Option<&str>,
    endpoint: &str,
    token: &str,
) -> Result<Vec<OtelSettings>, DaemonError> {
    let chosen = match agent {
        Some(id) => vec![by_id(id).ok_or_else(|| Error::UnknownAgent(id.to_owned()))?],
        None => all().to_vec(),
    };
    let plans = chosen.into_iter().filter_map(|it| Some((it, it.telemetry_plan()?)));
    let fill = |(adapter, plan): (&'static dyn Adapter, &'static TelemetryPlan)| OtelSettings {
        label: adapter.descriptor().label,
        place: plan.place,
        text: plan.settings.replace("@ENDPOINT@", endpoint).replace("@TOKEN@", token),
    };
    let out: Vec<_> = plans.map(fill).collect();
    match (out.is_empty(), agent) {
        (true, Some(id)) => Err(Error::NoTelemetry(id.to_owned()).into()),
        _ => Ok(out),
    }
}
