//! Notifies the user of changes to the team that affect the user's own devices.

use crate::error::DeviceError;
use crate::local_device::{ThisDevice, own};
use taffrail_api::{Check, CheckStatus};
use taffrail_context::Settings;
use taffrail_model::DeviceId;
use taffrail_model::notices::{Notice, NoticeKind};
use taffrail_sync::Roster;
use taffrail_sync::roster::{Entry, Op, alike};

/// How long `doctor` warns of a change, in seconds: two weeks.
const NEW: i64 = 14 * 24 * 3_600;

/// How an entry affects the devices of this user; `None` if this device signed it.
fn touch(own: &ThisDevice, roster: &Roster, entry: &Entry) -> Option<String> {
    let said = &entry.statement;
    let is_ours = |id: &DeviceId| roster.member(id).is_some_and(|it| it.device.user == own.user);
    let name = |id: &DeviceId| {
        roster.member(id).map_or_else(|| id.to_string(), |it| it.device.name.clone())
    };
    let by = name(&said.by);
    if said.by == own.id {
        return None;
    }
    match &said.op {
        Op::Add { device, .. } if device.user == own.user => {
            Some(format!("{by} let {} in as a device of yours", device.name))
        }
        Op::Admin { device } if is_ours(device) => {
            Some(format!("{by} lets your device {} change the team", name(device)))
        }
        Op::Remove { device } if is_ours(device) => {
            Some(format!("{by} took your device {} out of the team", name(device)))
        }
        Op::Recovery { user, .. } if *user == own.user => {
            Some(format!("{by} named a recovery key for you"))
        }
        Op::Found { .. }
        | Op::Add { .. }
        | Op::Admin { .. }
        | Op::Remove { .. }
        | Op::Rotate
        | Op::Recovery { .. } => None,
    }
}

/// The notice about new entries in a roster, if any affects this user.
///
/// # Errors
/// When this device's files cannot be read.
pub fn notice_of(settings: &Settings, roster: &Roster) -> Result<Option<Notice>, DeviceError> {
    let own = own(settings)?;
    // A device that joins has only the pin of its invite.
    let known = own.roster.pin().n;
    let new = roster.entries().iter().skip_while(|it| it.statement.n <= known);
    let told: Vec<_> = new.filter_map(|it| touch(&own, roster, it)).collect();
    Ok((!told.is_empty()).then(|| Notice {
        id: format!("team-{}", roster.pin().n),
        at: (settings.now)(),
        kind: NoticeKind::Finding,
        title: "Your devices changed".to_owned(),
        body: told.join("; "),
        about: Vec::new(),
    }))
}

/// The checks of `doctor` on the team: the last change that affected this user, and similar names.
///
/// # Errors
/// When this device's files cannot be read.
pub fn doctor_checks(settings: &Settings) -> Result<Vec<Check>, DeviceError> {
    let own = match own(settings) {
        Err(DeviceError::NotMade) => return Ok(Vec::new()),
        own => own?,
    };
    let now = (settings.now)().as_second();
    let mut entries = own.roster.entries().iter().rev();
    let last = entries.find_map(|it| Some((it, touch(&own, &own.roster, it)?)));
    let changed = last.map(|(entry, told)| {
        let at = entry.statement.at;
        let is_new = now - at.as_second() < NEW;
        let evidence = format!("{told}, on {} (UTC)", at.strftime("%Y-%m-%d"));
        match is_new {
            true => check(CheckStatus::Warning, evidence),
            false => check(CheckStatus::Ok, evidence),
        }
    });
    Ok(changed.into_iter().chain(look_alikes(&own.roster)).collect())
}

/// Devices or users of the team with names that people could confuse.
fn look_alikes(roster: &Roster) -> Option<Check> {
    let current = || roster.members().filter(|it| it.is_current()).map(|it| &it.device);
    let found = alike(current().map(|it| it.name.as_str()));
    let found = found.or_else(|| alike(current().map(|it| it.user.as_str())));
    found.map(|(one, other)| {
        check(CheckStatus::Warning, format!("{one:?} and {other:?} look alike"))
    })
}

fn check(status: CheckStatus, evidence: String) -> Check {
    let fix = (status != CheckStatus::Ok).then(|| "taffrail device ls".to_owned());
    Check { id: "team".to_owned(), status, evidence, fix }
}
