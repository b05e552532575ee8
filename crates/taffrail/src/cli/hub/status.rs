//! `taffrail hub`: whether the hub works, when each device last sent something, and what waits.

use super::super::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::json;
use taffrail_api::Health;
use taffrail_devices::hubs;
use taffrail_devices::hubs::{HeardDevice, HubStanding, HubState};
use taffrail_env as env;
use taffrail_tui::terminal::{line, pad};
use taffrail_tui::when;
use unicode_width::UnicodeWidthStr;

/// All that is known of the hub in use.
pub(in crate::cli) struct HubStatus {
    pub(in crate::cli) url: String,
    /// The other place of segments and bundles, if there is one.
    pub(in crate::cli) blobs: Option<String>,
    /// Whether a daemon runs.
    pub(in crate::cli) daemon: bool,
    /// The state of the connection; unknown while the running daemon does not use this hub.
    pub(in crate::cli) standing: Option<HubStanding>,
    pub(in crate::cli) waiting: u64,
    pub(in crate::cli) heard: Vec<HeardDevice>,
    pub(in crate::cli) problems: Vec<String>,
}

/// Prints which hub is in use, and the state of the connection.
pub(super) fn status(context: &Context) -> Result<(), CliError> {
    let mut out = Out::new();
    let Some(url) = context.settings.hub.url.clone() else {
        if context.json {
            return out.json(&json!({"schema_version": 1, "hub": null, "waiting": 0}));
        }
        out.line(
            "No hub is in use; nothing leaves this device. `taffrail hub use ADDRESS` names one.",
        )?;
        return out.end();
    };
    let known = looked(url, context)?;
    if context.json {
        return out.json(&document(&known));
    }
    out.lines(lines(&known))
}

/// Reads or tries the state of the hub in use.
pub(in crate::cli) fn looked(url: String, context: &Context) -> Result<HubStatus, CliError> {
    let settings = &context.settings;
    let health: Option<Health> = match &context.client {
        Some(client) => Some(client.get("/api/health")?),
        None => None,
    };
    let standing = match &health {
        Some(health) => hubs::standing(settings)?.filter(|it| it.pid == Some(health.pid)),
        None => Some(hubs::look(settings)?),
    };
    let problems = health.iter().flat_map(|it| it.problems.iter());
    let told = standing.as_ref().and_then(|it| it.error.clone());
    let problems = problems.filter_map(|it| it.strip_prefix("hub: ").map(str::to_owned));
    let problems = problems.filter(|it| Some(it) != told.as_ref()).collect();
    Ok(HubStatus {
        url,
        blobs: settings.hub.blobs.clone(),
        daemon: health.is_some(),
        standing,
        waiting: hubs::waiting(settings)?,
        heard: hubs::heard(settings)?,
        problems,
    })
}

fn document(known: &HubStatus) -> serde_json::Value {
    let standing = known.standing.as_ref();
    json!({
        "schema_version": 1,
        "hub": known.url,
        "blobs": known.blobs,
        "daemon": known.daemon,
        "state": standing.map_or("unknown", |it| it.state.as_str()),
        "since": standing.map(|it| it.since),
        "error": standing.and_then(|it| it.error.clone()),
        "waiting": known.waiting,
        "devices": known.heard,
        "problems": known.problems,
    })
}

fn lines(known: &HubStatus) -> Vec<String> {
    let mut out = vec![line(&known.url), state(known)];
    out.extend(known.blobs.iter().map(|it| format!("  segments and bundles: {}", line(it))));
    if !known.daemon {
        out.push("! no daemon runs, so nothing is exchanged: taffrail daemon start".to_owned());
    }
    out.push(match known.waiting {
        0 => "  no items wait to be sent".to_owned(),
        1 => "  1 item waits to be sent".to_owned(),
        many => format!("  {many} items wait to be sent"),
    });
    let width = known.heard.iter().map(|it| it.name.width()).max().unwrap_or_default();
    out.extend(
        known.heard.iter().map(|it| format!("  {}  {}", pad(&line(&it.name), width), heard(it))),
    );
    out.extend(known.problems.iter().map(|it| format!("✕ {}", line(it))));
    out
}

/// When a device last sent something.
pub(in crate::cli) fn heard(it: &HeardDevice) -> String {
    it.heard_at.map_or("nothing received yet".to_owned(), |at| {
        format!("last sent something {} ago", when::ago(at, env::now()))
    })
}

/// The state of the connection in one line.
pub(in crate::cli) fn state(known: &HubStatus) -> String {
    let Some(it) = &known.standing else {
        return "? the running daemon does not use it: taffrail daemon restart".to_owned();
    };
    let ago = when::ago(it.since, env::now());
    let why = it.error.as_deref().map(|it| format!(": {}", line(it))).unwrap_or_default();
    match it.state {
        HubState::Reached if it.pid.is_none() => "✓ reached just now".to_owned(),
        HubState::Reached => format!("✓ reached, for {ago}"),
        HubState::Starting => format!("? the daemon has been trying to reach it for {ago}"),
        HubState::Unreachable if it.pid.is_none() => format!("✕ not reached{why}"),
        HubState::Unreachable => format!("✕ not reached for {ago}{why}"),
        HubState::Failing => format!("✕ does not work{why}"),
        HubState::Removed => format!("✕ {REMOVED}"),
    }
}

/// What a removed device shows.
pub(crate) const REMOVED: &str = "this device was removed from the team: nothing new is sealed to it, and other \
     devices ignore what it sends. Its data stays. To come back it needs new keys and another invite";

/// Warns if the data of other devices may be old.
pub(crate) fn mark(context: &Context) {
    if context.client.is_none() {
        return;
    }
    // `taffrail hub` reports a read error.
    let Ok(Some(it)) = hubs::standing(&context.settings) else { return };
    if let Some(trouble) = it.trouble() {
        let ago = when::ago(it.since, env::now());
        say(&format!(
            "{trouble} for {ago}: what other devices do may be missing here (taffrail hub)"
        ));
    }
}
