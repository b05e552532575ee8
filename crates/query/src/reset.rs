//! When the limit that stops a session resets.

use crate::quota::quota;
use taffrail_context::{Error, Settings};
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::{IndexReader, SessionRow};

/// A window that is used up, in hundredths of a percent.
const FULL: u32 = 10_000;

/// How much of a window is used, in hundredths of a percent, and when the window resets.
pub type Window = (u32, Timestamp);

/// The reset of the limit that stops a session, or that would stop it first.
///
/// # Errors
/// When our own files cannot be read.
pub fn reset_of(settings: &Settings, session: SessionId) -> Result<Option<Timestamp>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let Some(row) = index.session_by_id(session)? else { return Ok(None) };
    Ok(blocking_reset(&windows_of(settings, &row)?, (settings.now)()))
}

/// The reset of the limit that stops a session; `None` if no limit is known to be used up.
///
/// # Errors
/// When our own files cannot be read.
pub fn used_up_reset(settings: &Settings, row: &SessionRow) -> Result<Option<Timestamp>, Error> {
    Ok(full_reset(&windows_of(settings, row)?, (settings.now)()))
}

/// The windows of the limits of a session's agent. A figure that was seen long ago counts as well:
/// the time of the reset is still right.
fn windows_of(settings: &Settings, row: &SessionRow) -> Result<Vec<Window>, Error> {
    let quotas = quota(settings)?.quotas.into_iter().filter(|it| it.agent == row.agent);
    let hundredths = |percent: f64| (percent.clamp(0.0, 1_000.0) * 100.0).round() as u32;
    Ok(quotas.map(|it| (hundredths(it.used_percent), it.resets_at)).collect())
}

/// The latest reset of the windows that are used up, because all of them must reset. If none is, the
/// reset of the shortest window, which comes first. Windows that have reset count no more.
#[must_use]
pub fn blocking_reset(windows: &[Window], now: Timestamp) -> Option<Timestamp> {
    let first = || ahead(windows, now).map(|(_, resets_at)| *resets_at).min();
    full_reset(windows, now).or_else(first)
}

/// The latest reset of the windows that are used up.
fn full_reset(windows: &[Window], now: Timestamp) -> Option<Timestamp> {
    let full = ahead(windows, now).filter(|(used, _)| *used >= FULL);
    full.map(|(_, resets_at)| *resets_at).max()
}

fn ahead(windows: &[Window], now: Timestamp) -> impl Iterator<Item = &Window> {
    windows.iter().filter(move |(_, resets_at)| *resets_at > now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_on_when_every_full_window_has_reset() {
        let check = |windows: &[(u32, i64)], expected: Option<i64>| {
            let at = |second| Timestamp::from_second(second).unwrap();
            let windows: Vec<Window> =
                windows.iter().map(|(used, second)| (*used, at(*second))).collect();
            assert_eq!(blocking_reset(&windows, at(1_000)), expected.map(at), "{windows:?}");
        };
        check(&[], None);
        check(&[(6_400, 5_000), (2_300, 90_000)], Some(5_000));
        check(&[(10_000, 5_000), (2_300, 90_000)], Some(5_000));
        check(&[(6_400, 5_000), (10_000, 90_000)], Some(90_000));
        check(&[(10_000, 5_000), (10_350, 90_000)], Some(90_000));
        check(&[(9_999, 5_000), (9_999, 90_000)], Some(5_000));
        check(&[(10_000, 1_000), (2_300, 90_000)], Some(90_000));
        check(&[(10_000, 999), (10_000, 1_000)], None);
    }
}
