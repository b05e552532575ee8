//! The browsers that subscribed: a small file that only its user can read, replaced atomically.

use super::{PushError, endpoint, seal};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use taffrail_model::{Timestamp, hash, terminal};

/// The most browsers; one is removed before another subscribes.
pub const MOST_SUBSCRIPTIONS: usize = 16;
/// The longest name of a browser and the longest word for it, in characters.
const NAME: usize = 60;
/// The version of the file.
const VERSION: u32 = 1;
const FILE: &str = "push.json";

/// One change of the file at a time: a browser may subscribe while another one's address expires.
static CHANGING: Mutex<()> = Mutex::new(());

/// What a browser says when it subscribes.
#[derive(Debug, Clone)]
pub struct NewSubscription {
    /// The address of its push service.
    pub endpoint: String,
    /// Its public key, in base64.
    pub p256dh: String,
    /// Its authentication secret, in base64.
    pub auth: String,
    /// A random word by which the same browser is known again.
    pub device: String,
    /// A name for people.
    pub name: String,
}

/// A browser that subscribed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its id, computed from the word for the browser.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// Since when.
    pub since: Timestamp,
    /// The address of its push service.
    pub endpoint: String,
    p256dh: String,
    auth: String,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    version: u32,
    subscriptions: Vec<Subscription>,
}

impl Subscription {
    /// Seals a message for this browser.
    pub(crate) fn seal(&self, message: &[u8]) -> Result<Vec<u8>, PushError> {
        let bytes =
            |text: &str| BASE64.decode(text.trim_end_matches('=')).map_err(|_| PushError::Keys);
        seal(&bytes(&self.p256dh)?, &bytes(&self.auth)?, message)
    }
}

/// The browsers that subscribed, the oldest first. A file that is missing or foreign names none.
#[must_use]
pub fn subscriptions(state: &Path) -> Vec<Subscription> {
    let text = std::fs::read(file(state)).unwrap_or_default();
    let read: Option<File> = serde_json::from_slice(&text).ok();
    read.filter(|it| it.version == VERSION).map(|it| it.subscriptions).unwrap_or_default()
}

/// Adds a browser, in place of what it said before.
///
/// # Errors
/// When the address or the keys cannot be used, or too many browsers subscribed.
pub fn subscribe(
    state: &Path,
    new: &NewSubscription,
    now: Timestamp,
) -> Result<Subscription, PushError> {
    endpoint::check(&new.endpoint)?;
    let id = hash::to_hex(&hash::digest("push-device", &[new.device.as_bytes()]));
    let added = Subscription {
        id: id.chars().take(16).collect(),
        name: terminal::line(&new.name).chars().take(NAME).collect(),
        since: now,
        endpoint: new.endpoint.clone(),
        p256dh: new.p256dh.clone(),
        auth: new.auth.clone(),
    };
    // Keys that cannot be sealed for are refused now, where a person sees it.
    added.seal(b"")?;
    let _alone = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = subscriptions(state);
    all.retain(|it| it.id != added.id && it.endpoint != added.endpoint);
    if all.len() >= MOST_SUBSCRIPTIONS {
        return Err(PushError::Full);
    }
    all.push(added.clone());
    save(state, all)?;
    Ok(added)
}

/// Removes a browser by its id; `false` if there is none.
///
/// # Errors
/// When the file cannot be written.
pub fn remove(state: &Path, id: &str) -> Result<bool, PushError> {
    keep(state, |it| it.id != id)
}

/// Removes every browser, whose sign-in ended.
///
/// # Errors
/// When the file cannot be written.
pub fn remove_all(state: &Path) -> Result<bool, PushError> {
    keep(state, |_| false)
}

/// Removes the browser with an address that its push service no longer knows.
pub(crate) fn forget_endpoint(state: &Path, endpoint: &str) -> Result<bool, PushError> {
    keep(state, |it| it.endpoint != endpoint)
}

fn keep(state: &Path, wanted: impl Fn(&Subscription) -> bool) -> Result<bool, PushError> {
    let _alone = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = subscriptions(state);
    let before = all.len();
    all.retain(wanted);
    if all.len() == before {
        return Ok(false);
    }
    save(state, all)?;
    Ok(true)
}

fn file(state: &Path) -> PathBuf {
    state.join(FILE)
}

fn save(state: &Path, subscriptions: Vec<Subscription>) -> Result<(), PushError> {
    let path = file(state);
    let written = || {
        let mut file = tempfile::NamedTempFile::new_in(state)?;
        serde_json::to_writer(&mut file, &File { version: VERSION, subscriptions })?;
        file.write_all(b"\n")?;
        file.persist(&path)?;
        Ok(())
    };
    written().map_err(PushError::at(&path))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A browser with the keys of the example of RFC 8291.
    pub(crate) fn browser(device: &str, endpoint: &str) -> NewSubscription {
        NewSubscription {
            endpoint: endpoint.to_owned(),
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                .to_owned(),
            auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
            device: device.to_owned(),
            name: format!("Firefox\u{1b} on {device}"),
        }
    }

    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    #[test]
    fn a_browser_subscribes_once_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let names =
            || subscriptions(state).iter().map(|it| it.endpoint.clone()).collect::<Vec<_>>();
        let first = subscribe(state, &browser("phone", "https://push.example/1"), now()).unwrap();
        assert!(!first.name.contains('\u{1b}'), "{:?}", first.name);
        subscribe(state, &browser("tablet", "https://push.example/2"), now()).unwrap();
        assert_eq!(names(), ["https://push.example/1", "https://push.example/2"]);
        let mode = std::fs::metadata(file(state)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // The same browser with another address replaces its first one.
        let again = subscribe(state, &browser("phone", "https://push.example/3"), now()).unwrap();
        assert_eq!(again.id, first.id);
        assert_eq!(names(), ["https://push.example/2", "https://push.example/3"]);
        assert!(remove(state, &first.id).unwrap());
        assert!(!remove(state, &first.id).unwrap());
        assert!(forget_endpoint(state, "https://push.example/2").unwrap());
        subscribe(state, &browser("phone", "https://push.example/1"), now()).unwrap();
        assert!(remove_all(state).unwrap());
        assert_eq!(names(), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_used_is_not_kept_and_there_is_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let bad = |it: NewSubscription| subscribe(state, &it, now()).unwrap_err().to_string();
        let good = browser("a", "https://push.example/1");
        assert!(bad(browser("a", "https://192.168.0.1/x")).contains("public"));
        assert!(bad(NewSubscription { auth: "AAAA".to_owned(), ..good.clone() }).contains("keys"));
        assert!(bad(NewSubscription { p256dh: "!".to_owned(), ..good }).contains("keys"));
        assert_eq!(subscriptions(state), []);
        for number in 0..MOST_SUBSCRIPTIONS {
            let endpoint = format!("https://push.example/{number}");
            subscribe(state, &browser(&number.to_string(), &endpoint), now()).unwrap();
        }
        let full = bad(browser("more", "https://push.example/more"));
        assert_eq!(full, "16 browsers have subscribed; remove one first");
    }
}
