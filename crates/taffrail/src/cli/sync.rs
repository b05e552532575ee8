//! `taffrail sync`: the exchange with other devices on one screen.

use super::hub::{HubStatus, REMOVED, heard, looked, state};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde_json::{Value, json};
use taffrail_context::SyncSettings;
use taffrail_devices::hubs::HubState;
use taffrail_team::own_name;
use taffrail_tui::terminal::{line, pad};
use unicode_width::UnicodeWidthStr;

/// Show what goes where, what waits, and what is wrong
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail sync           the hub, your devices, what they get, what is wrong
  taffrail sync --json
")]
pub(super) struct Args {}

/// What is wrong, and what to do.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    message: String,
    fix: Option<&'static str>,
}

/// The name of this device, if it has keys; and its hub, if one is in use.
struct Overview {
    name: Option<String>,
    hub: Option<HubStatus>,
}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let name = own_name(&context.settings);
    // Without keys nothing is exchanged, whatever hub is named.
    let url = name.as_ref().and(context.settings.hub.url.clone());
    let hub = url.map(|url| looked(url, context)).transpose()?;
    let known = Overview { name, hub };
    let (sends, problems) = (&context.settings.sync, problems(&known, &context.settings.sync));
    let mut out = Out::new();
    if context.json {
        return out.json(&document(&known, sends, &problems));
    }
    out.lines(screen(&known, sends, &problems))
}

fn problems(known: &Overview, sends: &SyncSettings) -> Vec<Problem> {
    let Some(hub) = &known.hub else {
        let message = match known.name {
            None => "this device has no keys, so it exchanges nothing",
            Some(_) => "no hub is in use, so nothing leaves this device",
        };
        return vec![problem(message, "taffrail link --hub ADDRESS, or taffrail link CODE")];
    };
    let mut out: Vec<_> = connection(hub).into_iter().collect();
    if !hub.daemon {
        out.push(problem("no daemon runs, so nothing is exchanged", "taffrail daemon start"));
    }
    if hub.heard.is_empty() {
        out.push(problem("you have no other device in the team", "taffrail link"));
    }
    if !sends.enabled {
        let fix = "taffrail config set sync.enabled true";
        out.push(problem("this device publishes nothing: sync.enabled is false", fix));
    }
    let others = hub.problems.iter().cloned();
    out.extend(others.map(|message| Problem { message, fix: Some("taffrail hub doctor") }));
    out
}

fn problem(message: &str, fix: &'static str) -> Problem {
    Problem { message: message.to_owned(), fix: Some(fix) }
}

/// What is wrong with the connection.
fn connection(hub: &HubStatus) -> Option<Problem> {
    let Some(standing) = &hub.standing else {
        return Some(problem("the running daemon does not use the hub", "taffrail daemon restart"));
    };
    let why = standing.error.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
    match standing.state {
        HubState::Reached | HubState::Starting => None,
        HubState::Removed => Some(Problem { message: REMOVED.to_owned(), fix: None }),
        HubState::Unreachable => {
            Some(problem(&format!("the hub is not reached{why}"), "taffrail hub doctor"))
        }
        HubState::Failing => {
            Some(problem(&format!("the hub does not work{why}"), "taffrail hub doctor"))
        }
    }
}

fn document(known: &Overview, sends: &SyncSettings, problems: &[Problem]) -> Value {
    let hub = known.hub.as_ref().map(|it| {
        let standing = it.standing.as_ref();
        json!({
            "address": it.url,
            "state": standing.map_or("unknown", |it| it.state.as_str()),
            "since": standing.map(|it| it.since),
            "error": standing.and_then(|it| it.error.clone()),
            "daemon": it.daemon,
        })
    });
    let problems = problems.iter().map(|it| json!({"message": it.message, "fix": it.fix}));
    json!({
        "schema_version": 1,
        "this": known.name,
        "hub": hub,
        "devices": known.hub.as_ref().map(|it| &it.heard[..]).unwrap_or_default(),
        "outbox": {"waiting": known.hub.as_ref().map_or(0, |it| it.waiting)},
        "sends": {
            "enabled": sends.enabled && known.hub.is_some(),
            "texts": sends.bodies,
            "include": sends.include,
            "exclude": sends.exclude,
            "answers": sends.remote,
        },
        "problems": problems.collect::<Vec<_>>(),
    })
}

fn screen(known: &Overview, sends: &SyncSettings, problems: &[Problem]) -> Vec<String> {
    let mut out = Vec::new();
    match &known.hub {
        None => out.push("No hub is in use".to_owned()),
        Some(hub) => {
            out.push(line(&hub.url));
            out.push(state(hub));
        }
    }
    out.push(String::new());
    out.extend(devices(known));
    if let Some(hub) = &known.hub {
        out.push(String::new());
        out.extend(flows(sends, hub.waiting));
    }
    for it in problems {
        out.push(String::new());
        out.push(format!("✕ {}", line(&it.message)));
        out.extend(it.fix.map(|fix| format!("  {fix}")));
    }
    out
}

fn devices(known: &Overview) -> Vec<String> {
    let this = known.name.as_deref().map_or("this device".to_owned(), line);
    let others = known.hub.as_ref().map(|it| &it.heard[..]).unwrap_or_default();
    let names = others.iter().map(|it| line(&it.name));
    let wide = names.chain([this.clone()]).map(|it| it.width()).max().unwrap_or_default();
    let mut out = vec![format!("  {}  this one", pad(&this, wide))];
    out.extend(others.iter().map(|it| format!("  {}  {}", pad(&line(&it.name), wide), heard(it))));
    out
}

/// What this device sends to your others, and what they may do here.
fn flows(sends: &SyncSettings, waiting: u64) -> [String; 4] {
    let list = |all: &[String]| all.iter().map(|it| line(it)).collect::<Vec<_>>().join(", ");
    let projects = match (&sends.include[..], &sends.exclude[..]) {
        _ if !sends.enabled => "none".to_owned(),
        ([], []) => "all projects".to_owned(),
        ([], exclude) => format!("all projects but {}", list(exclude)),
        (include, []) => list(include),
        (include, exclude) => format!("{} but {}", list(include), list(exclude)),
    };
    let texts = match sends.bodies {
        true => "go along, redacted".to_owned(),
        false => "stay here (taffrail config set sync.bodies true sends them)".to_owned(),
    };
    let answers = match &sends.remote[..] {
        [] => {
            "not allowed (taffrail config set sync.remote '[\"~/src/api\"]' allows them)".to_owned()
        }
        remote => format!("allowed in {}", list(remote)),
    };
    let waits = match waiting {
        0 => "nothing".to_owned(),
        1 => "1 item".to_owned(),
        many => format!("{many} items"),
    };
    [
        format!("  sent to your devices  {projects}"),
        format!("  texts                 {texts}"),
        format!("  answers from there    {answers}"),
        format!("  waits to be sent      {waits}"),
    ]
}
