//! Where lines from other devices are stored, and how their sources are named.

use super::{FOLDER, SCHEME};
use crate::{DeviceId, SessionId, hash};

/// The longest device name.
const NAME_LIMIT: usize = 64;
/// The prefix of the names of shared streams.
const SHARE: &str = "share-";
/// The number of hex digits after the prefix.
const SHARE_DIGITS: usize = 16;

/// Whether a locator names a session of another device.
#[must_use]
pub fn is_locator(locator: &str) -> bool {
    locator.strip_prefix(SCHEME).is_some_and(|rest| rest.starts_with(':'))
}

/// The device in a locator, if it names one.
#[must_use]
pub fn device_of(locator: &str) -> Option<DeviceId> {
    let (device, _) = locator.strip_prefix(SCHEME)?.strip_prefix(':')?.split_once('/')?;
    is_name(device).then(|| DeviceId::new(device))
}

/// The locator of a session of a device.
#[must_use]
pub fn locator(device: &str, session: &str) -> String {
    format!("{SCHEME}:{device}/{session}")
}

/// The locator of a session that a device shared with us.
#[must_use]
pub fn shared_locator(device: &str, share: &str, session: &str) -> String {
    locator(device, &format!("{share}/{session}"))
}

/// Whether a locator names a session that was shared with us.
#[must_use]
pub fn is_shared(locator: &str) -> bool {
    let rest = locator.strip_prefix(SCHEME).and_then(|it| it.strip_prefix(':'));
    let share = rest.and_then(|it| it.split('/').nth(1));
    share.is_some_and(is_share)
}

/// The session in a locator, by the id its device published.
#[must_use]
pub fn told_as(locator: &str) -> Option<SessionId> {
    device_of(locator)?;
    SessionId::parse(locator.rsplit('/').next()?)
}

/// The file name of a session in the folder of its device.
#[must_use]
pub fn file(session: SessionId) -> String {
    format!("{}.jsonl", hash::to_hex(session.as_bytes()))
}

/// The owner and the session of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemotePath<'p> {
    /// The publishing device.
    pub device: &'p str,
    /// The share's stream; `None` for a stream to all of the user's own devices.
    pub share: Option<&'p str>,
    /// The session, by its published id.
    pub session: SessionId,
}

/// Parses a path in our data directory; `None` for every other file.
#[must_use]
pub fn path(path: &str) -> Option<RemotePath<'_>> {
    let (device, rest) = path.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('/')?;
    let (share, name) = match rest.split_once('/') {
        Some((share, name)) => (Some(share), name),
        None => (None, rest),
    };
    let session = SessionId::parse(name.strip_suffix(".jsonl")?)?;
    let is_sound = is_name(device) && share.is_none_or(is_share) && file(session) == name;
    is_sound.then_some(RemotePath { device, share, session })
}

/// Whether a text is a valid name of a share's stream.
#[must_use]
pub fn is_share(text: &str) -> bool {
    let hex = |it: &str| it.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    text.strip_prefix(SHARE).is_some_and(|rest| rest.len() == SHARE_DIGITS && hex(rest))
}

/// Whether a text is a valid name of a device, and so of a folder.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !text.is_empty()
        && text.len() <= NAME_LIMIT
        && !text.starts_with('.')
        && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_device_and_session_and_by_nothing_else() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(path(text).map(|it| it.device), expected, "{text}");
        };
        let hex = "0123456789abcdef0123456789abcdef";
        check(&format!("remote/dev-1/share-00000000000000ff/{hex}.jsonl"), Some("dev-1"));
        check(&format!("remote/dev-1/share-ff/{hex}.jsonl"), None);
        check(&format!("remote/dev-1/../{hex}.jsonl"), None);
        check(&format!("remote/dev-1/{hex}.jsonl"), Some("dev-1"));
        check(&format!("remote/dev-1/{}.jsonl", hex.to_uppercase()), None);
        check(&format!("remote/../{hex}.jsonl"), None);
        check(&format!("remote/a/b/{hex}.jsonl"), None);
        check(&format!("remote/{hex}.jsonl"), None);
        check(&format!("elsewhere/a/{hex}.jsonl"), None);
        check("remote/dev-1/statuses.json", None);
    }

    #[test]
    fn a_locator_names_its_device() {
        assert_eq!(device_of(&locator("dev-1", "x")), Some(DeviceId::new("dev-1")));
        for other in ["relay:", "relay:a", "relayed:a/b", "x:a/b", "relay:../b", ""] {
            assert_eq!(device_of(other), None, "{other}");
        }
        assert!(is_locator("relay:a/b") && !is_locator("relayed:a/b"));
    }

    #[test]
    fn what_is_shared_says_so_and_names_its_device() {
        let hex = "0123456789abcdef0123456789abcdef";
        let shared = shared_locator("dev-1", "share-00000000000000ff", hex);
        assert!(is_shared(&shared) && !is_shared(&locator("dev-1", hex)));
        assert_eq!(device_of(&shared), Some(DeviceId::new("dev-1")));
        assert_eq!(told_as(&shared), SessionId::parse(hex));
        assert_eq!(told_as(&locator("dev-1", hex)), SessionId::parse(hex));
        assert_eq!(told_as("toy:0123456789abcdef0123456789abcdef"), None);
    }
}
