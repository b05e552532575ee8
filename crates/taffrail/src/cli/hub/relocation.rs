//! `taffrail hub move`: the team goes to another hub while its devices run.

use super::super::Context;
use super::super::confirmation::{agreed, not_agreed};
use super::{keep, unsound};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::{Value, json};
use taffrail_context::Settings;
use taffrail_devices::hubs::{self, ByHand, Level, MovePlan, Moved};
use taffrail_tui::terminal::line;

/// Move the team to another hub while its devices run; for an admin device
#[derive(Debug, clap::Args)]
pub(super) struct MoveArgs {
    /// The new hub, as for `hub use`
    #[arg(required_unless_present = "cancel", conflicts_with = "cancel")]
    address: Option<String>,
    /// File with credentials for it, if not this device's own key
    #[arg(long, value_name = "FILE")]
    credentials: Option<String>,
    /// Give up a move that broke off: the team stays where it is
    #[arg(long)]
    cancel: bool,
    /// Show what would happen
    #[arg(long, conflicts_with = "cancel")]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(args: &MoveArgs, context: &Context) -> Result<(), CliError> {
    let mut new = context.settings.clone();
    if let Some(file) = &args.credentials {
        new.hub.credentials = Some(context.env.here.join(file));
    }
    let Some(address) = &args.address else { return cancel(args, &new, context) };
    new.hub.url = Some(address.clone());
    relocate(args, new, context)
}

fn relocate(args: &MoveArgs, mut new: Settings, context: &Context) -> Result<(), CliError> {
    let settings = &context.settings;
    if hubs::address(settings)? == hubs::address(&new)? {
        let address = line(&hubs::address(&new)?.to_string());
        return Err(CliError::refused(
            format!("this device uses {address} already"),
            "`taffrail hub` shows its state",
        ));
    }
    let plan = hubs::move_plan(settings, &new)?;
    // As other devices write it.
    new.hub.url = Some(plan.to.clone());
    let checks = hubs::check(&new)?;
    if checks.iter().any(|it| it.level == Level::Bad) {
        return Err(unsound(checks));
    }
    if args.dry_run {
        return shown(&plan, context);
    }
    if !context.json {
        words(&plan, settings).iter().for_each(|it| say(it));
    }
    if !args.yes && !agreed(&format!("Move the team to {}?", line(&plan.to))) {
        return Err(not_agreed());
    }
    let moved = hubs::move_team(settings, &new)?;
    keep(context, &new)?;
    done(&plan, moved, context)
}

fn shown(plan: &MovePlan, context: &Context) -> Result<(), CliError> {
    let mut out = Out::new();
    if context.json {
        return out.json(&document(plan, "planned", None));
    }
    out.lines(words(plan, &context.settings))
}

fn done(plan: &MovePlan, moved: Moved, context: &Context) -> Result<(), CliError> {
    let mut out = Out::new();
    if context.json {
        return out.json(&document(plan, "moved", Some(moved)));
    }
    out.line(&format!("The team is at {} now.", line(&plan.to)))?;
    out.end()?;
    say(match context.client.is_some() {
        true => "The running daemon of this device goes there by itself.",
        false => "A daemon exchanges items with it: taffrail daemon start",
    });
    if let Some(why) = plan.by_hand {
        say(&by_hand(why, plan));
    }
    Ok(())
}

fn document(plan: &MovePlan, state: &str, moved: Option<Moved>) -> Value {
    json!({
        "schema_version": 1,
        "state": state,
        "from": plan.from,
        "to": plan.to,
        "devices": plan.devices,
        "by_hand": plan.by_hand,
        "goes_on": plan.goes_on,
        "leases": moved.map(|it| it.leases),
        "claims": moved.map(|it| it.claims),
    })
}

/// What will happen.
fn words(plan: &MovePlan, settings: &Settings) -> Vec<String> {
    let MovePlan { from, to, devices, goes_on, .. } = plan;
    let begins = if *goes_on { "Goes on moving the team" } else { "Moves the team" };
    let mut out = vec![format!("{begins} from {} to {}:", line(from), line(to))];
    let names = devices.iter().map(|it| line(it)).collect::<Vec<_>>().join(", ");
    out.push(match (plan.by_hand, &devices[..]) {
        (Some(why), _) => format!("  {}", by_hand(why, plan)),
        (None, []) => "  no other device has to follow".to_owned(),
        (None, _) => format!("  these devices follow while their daemons run: {names}"),
    });
    out.push("  the roster, leases and claims to decisions are carried".to_owned());
    out.push("  each device sends its items there again".to_owned());
    out.push(
        "  what only the old hub has stays behind: bundles of teleport, items of devices that are gone"
            .to_owned(),
    );
    if settings.hub.blobs.is_some() {
        out.push("  segments and bundles in the place of --blobs stay there".to_owned());
    }
    out.push("  keep the old hub running until every device has followed".to_owned());
    out
}

fn by_hand(why: ByHand, plan: &MovePlan) -> String {
    let (why, to) = (why.as_str(), line(&plan.to));
    format!("devices do not follow by themselves ({why}); on each: taffrail hub use '{to}'")
}

fn cancel(args: &MoveArgs, new: &Settings, context: &Context) -> Result<(), CliError> {
    let stays = hubs::address(&context.settings)?.to_string();
    let question = format!("Give up the move? The team stays at {}.", line(&stays));
    if !args.yes && !agreed(&question) {
        return Err(not_agreed());
    }
    let given_up = hubs::cancel_move(&context.settings, new)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&json!({"schema_version": 1, "hub": stays, "given_up": given_up}));
    }
    out.line(&match given_up {
        Some(to) => format!("The team stays at {} and does not go to {}.", line(&stays), line(&to)),
        None => format!("The team is at {} and does not move.", line(&stays)),
    })?;
    out.end()
}
