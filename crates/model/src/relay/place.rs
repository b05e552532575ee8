//! Where what other devices told is kept, and how it is named.

use super::{FOLDER, SCHEME};
use crate::{DeviceId, SessionId, hash};

/// The longest name of a device.
const NAME_LIMIT: usize = 64;

/// The locator is that of a session of another device.
#[must_use]
pub fn is_locator(locator: &str) -> bool {
    locator.strip_prefix(SCHEME).is_some_and(|rest| rest.starts_with(':'))
}

/// The device a locator names; nothing where it names none.
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

/// The name of a session's file in the folder of its device.
#[must_use]
pub fn file(session: SessionId) -> String {
    format!("{}.jsonl", hash::to_hex(session.as_bytes()))
}

/// The device and the session of a file, by its path below our data; nothing for every other path.
#[must_use]
pub fn path(path: &str) -> Option<(&str, SessionId)> {
    let (device, name) = path.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('/')?;
    let session = SessionId::parse(name.strip_suffix(".jsonl")?)?;
    (is_name(device) && file(session) == name).then_some((device, session))
}

/// The text can name a device, and a folder with it.
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
            assert_eq!(path(text).map(|(device, _)| device), expected, "{text}");
        };
        let hex = "0123456789abcdef0123456789abcdef";
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
}
