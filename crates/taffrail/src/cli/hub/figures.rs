//! The figures of `taffrail hub doctor`: the disk, and who is behind.

use taffrail_devices::hubs::{Disk, Lag};
use taffrail_env as env;
use taffrail_tui::terminal::line;
use taffrail_tui::when;

/// A hub with fewer days left is shown with a mark.
const FEW_DAYS: u64 = 30;

/// What is stored, how it grows, and what to do.
pub(super) fn disk(disk: Option<&Disk>) -> String {
    let Some(disk) = disk else {
        return "? unknown disk: the hub does not say how much it stores".to_owned();
    };
    let stored = megabytes(disk.bytes + disk.blobs.unwrap_or(0));
    let whose = if disk.of == "team" { "" } else { ", with everyone who shares the server" };
    let growth = match disk.growth_per_day {
        Some(bytes) if bytes < 0 => format!("-{} a day", megabytes(bytes.unsigned_abs())),
        Some(bytes) => format!("+{} a day", megabytes(bytes.unsigned_abs())),
        None => "growth is known after half a day".to_owned(),
    };
    let limit = disk.limit.map(|it| format!(" of {}", megabytes(it))).unwrap_or_default();
    let said = format!("disk: {stored}{limit}{whose}; {growth}");
    match disk.days_left {
        Some(days) if days < FEW_DAYS => format!(
            "! weak    {said}; full in {days} days. Set hub.keep_days or hub.keep_mb on an admin device, or give \
             it more room"
        ),
        Some(days) => format!("\u{2713} ok      {said}; full in {days} days"),
        None => format!("\u{2713} ok      {said}"),
    }
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// How far a device is behind.
pub(super) fn lag(lag: &Lag) -> String {
    let heard = lag.heard_at.map_or("nothing received yet".to_owned(), |at| {
        format!("last sent something {} ago", when::ago(at, env::now()))
    });
    let count = |count: Option<u64>| count.map_or("unknown".to_owned(), |it| it.to_string());
    let mark = if lag.entries_behind.is_some_and(|it| it > 0) {
        "! weak    "
    } else {
        "\u{2713} ok      "
    };
    format!(
        "{mark}{}: {heard}; batches to read from it: {}, that it has to read: {}",
        line(&lag.name),
        count(lag.entries_behind),
        count(lag.it_lacks)
    )
}
