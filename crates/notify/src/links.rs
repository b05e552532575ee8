//! One-time links: a phone answers one request with one press, without being signed in.
//!
//! A link is bound to a request, to the hash of its exact input, to one action and to the channel it
//! went to. It counts once and for ten minutes. Everything is in the memory of the daemon: another
//! daemon knows none of them.

use crate::channel::Channel;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_model::approval::ApprovalId;
use taffrail_model::{Timestamp, hash};

/// How long a link counts.
pub const LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// The most links that are known, used and expired ones among them; the oldest go first.
const MOST: usize = 1024;
/// The bytes of a link's number.
const NUMBER: usize = 6;

/// What a link does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkAction {
    /// Allows the request.
    Allow,
    /// Denies the request.
    Deny,
    /// Only shows the request.
    Open,
}

impl LinkAction {
    /// The word in an address.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Open => "open",
        }
    }
}

impl FromStr for LinkAction {
    type Err = LinkError;

    fn from_str(word: &str) -> Result<Self, LinkError> {
        let mut all = [Self::Allow, Self::Deny, Self::Open].into_iter();
        all.find(|it| it.as_str() == word).ok_or(LinkError::Unknown)
    }
}

/// What a link stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The request.
    pub approval: ApprovalId,
    /// The hash of its exact input.
    pub input_hash: String,
    /// The one action.
    pub action: LinkAction,
    /// The channel it went to.
    pub channel: Channel,
}

/// Why a link does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It was changed, or another daemon made it.
    #[error("this link is not known: it was changed, or Taffrail was restarted since")]
    Unknown,
    /// It was used before.
    #[error("this link was used already; each counts once")]
    Used,
    /// Its time is over.
    #[error("this link has expired; each counts for 10 minutes")]
    Expired,
    /// It belongs to another request, or does something else.
    #[error("this link belongs to another request or action")]
    Other,
}

/// All links of this daemon. Clones share them.
#[derive(Clone)]
pub struct Links(Arc<Shared>);

struct Shared {
    key: [u8; 32],
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    latest: u64,
    known: BTreeMap<u64, Entry>,
}

struct Entry {
    link: Link,
    until: Timestamp,
    is_used: bool,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Links")
    }
}

impl Links {
    /// Links that only this key signs: thirty-two random bytes that are written nowhere.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self(Arc::new(Shared { key, book: Mutex::default() }))
    }

    /// Makes a token for a link.
    #[must_use]
    pub fn issue(&self, link: Link, now: Timestamp) -> String {
        let mut book = self.book();
        while book.known.len() >= MOST {
            book.known.pop_first();
        }
        book.latest += 1;
        let (number, until) = (book.latest, now.checked_add(LINK_LIFE).unwrap_or(now));
        let entry = Entry { link, until, is_used: false };
        let token = self.token(number, &entry);
        book.known.insert(number, entry);
        token
    }

    /// What a token stands for, as long as it counts. Nothing is used up.
    ///
    /// # Errors
    /// When the token does not count.
    pub fn look(&self, token: &str, now: Timestamp) -> Result<Link, LinkError> {
        self.checked(&mut self.book(), token, now).map(|it| it.link.clone())
    }

    /// Uses up a token that counts. `wanted` is the request and the action that the caller names.
    ///
    /// # Errors
    /// When the token does not count, or is for something else.
    pub fn take(
        &self,
        token: &str,
        wanted: Option<(&str, LinkAction)>,
        now: Timestamp,
    ) -> Result<Link, LinkError> {
        let mut book = self.book();
        let entry = self.checked(&mut book, token, now)?;
        let is_other = |(id, action): (&str, LinkAction)| {
            (id, action) != (entry.link.approval.as_str(), entry.link.action)
        };
        if wanted.is_some_and(is_other) {
            return Err(LinkError::Other);
        }
        entry.is_used = true;
        Ok(entry.link.clone())
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn checked<'b>(
        &self,
        book: &'b mut Book,
        token: &str,
        now: Timestamp,
    ) -> Result<&'b mut Entry, LinkError> {
        let number = number_of(token).ok_or(LinkError::Unknown)?;
        let entry = book.known.get_mut(&number).ok_or(LinkError::Unknown)?;
        if !is_same(&self.token(number, entry), token) {
            return Err(LinkError::Unknown);
        }
        if entry.is_used {
            return Err(LinkError::Used);
        }
        if entry.until <= now {
            return Err(LinkError::Expired);
        }
        Ok(entry)
    }

    /// The number of a link and its signature over everything that it is bound to.
    fn token(&self, number: u64, entry: &Entry) -> String {
        let Entry { link, until, .. } = entry;
        let [_, _, number @ ..] = number.to_be_bytes();
        let parts: [&[u8]; 7] = [
            &self.0.key,
            &number,
            link.approval.as_str().as_bytes(),
            link.input_hash.as_bytes(),
            link.action.as_str().as_bytes(),
            link.channel.as_str().as_bytes(),
            &until.as_millisecond().to_be_bytes(),
        ];
        BASE64.encode([&number[..], &hash::digest("phone-link", &parts)].concat())
    }
}

fn number_of(token: &str) -> Option<u64> {
    let bytes = BASE64.decode(token).ok()?;
    let (number, _) = bytes.split_first_chunk::<NUMBER>()?;
    let [a, b, c, d, e, f] = *number;
    Some(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
}

/// Compares digests of both, so that the time says nothing about where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let digest = |it: &str| hash::digest("phone-token", &[it.as_bytes()]);
    digest(one) == digest(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links() -> Links {
        Links::new([7; 32])
    }

    fn link(id: &str, action: LinkAction) -> Link {
        let (approval, input_hash) = (ApprovalId::new(id), "hash".to_owned());
        Link { approval, input_hash, action, channel: Channel::Ntfy }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_link_counts_once_for_one_request_one_action_and_ten_minutes() {
        use LinkAction::{Allow, Deny};
        let check = |second: i64, wanted: (&str, LinkAction), expected: Result<(), LinkError>| {
            let links = links();
            let token = links.issue(link("a1", Allow), at(0));
            let came = links.take(&token, Some(wanted), at(second));
            assert_eq!(came.map(|it| assert_eq!(it, link("a1", Allow))), expected, "{wanted:?}");
        };
        check(0, ("a1", Allow), Ok(()));
        check(599, ("a1", Allow), Ok(()));
        check(600, ("a1", Allow), Err(LinkError::Expired));
        check(0, ("a1", Deny), Err(LinkError::Other));
        check(0, ("a2", Allow), Err(LinkError::Other));
        check(0, ("a", Allow), Err(LinkError::Other));
    }

    #[test]
    fn looking_uses_nothing_up_and_a_second_press_does_nothing() {
        let links = links();
        let token = links.issue(link("a1", LinkAction::Deny), at(0));
        for _ in 0..3 {
            assert_eq!(links.look(&token, at(1)), Ok(link("a1", LinkAction::Deny)));
        }
        let wanted = Some(("a1", LinkAction::Deny));
        // What is for another request does not use it up, either.
        assert_eq!(
            links.take(&token, Some(("a2", LinkAction::Deny)), at(1)),
            Err(LinkError::Other)
        );
        assert!(links.take(&token, wanted, at(1)).is_ok());
        assert_eq!(links.take(&token, wanted, at(2)), Err(LinkError::Used));
        assert_eq!(links.look(&token, at(2)), Err(LinkError::Used));
    }

    #[test]
    fn what_was_changed_or_is_of_another_daemon_is_not_known() {
        let links = links();
        let token = links.issue(link("a1", LinkAction::Allow), at(0));
        let other = links.issue(link("a2", LinkAction::Allow), at(0));
        assert!(token.len() <= 64, "{token}");
        for place in 0..token.len() {
            let changed: String = token
                .char_indices()
                .map(|(at, it)| if at == place { if it == 'A' { 'B' } else { 'A' } } else { it })
                .collect();
            let came = links.look(&changed, at(0));
            // The last letter has bits that stand for nothing, which decoding refuses.
            assert_eq!(came, Err(LinkError::Unknown), "{changed}");
        }
        let mixed = token.chars().take(8).chain(other.chars().skip(8)).collect::<String>();
        for bad in ["", "x", "é", &mixed, &format!("{token}A"), &format!("{token}=")] {
            assert_eq!(links.look(bad, at(0)), Err(LinkError::Unknown), "{bad}");
        }
        let restarted = Links::new([8; 32]);
        drop(restarted.issue(link("a1", LinkAction::Allow), at(0)));
        assert_eq!(restarted.look(&token, at(0)), Err(LinkError::Unknown));
    }

    #[test]
    fn only_so_many_are_known() {
        let links = links();
        let first = links.issue(link("a1", LinkAction::Allow), at(0));
        for _ in 0..MOST {
            drop(links.issue(link("a1", LinkAction::Allow), at(0)));
        }
        assert_eq!(links.look(&first, at(0)), Err(LinkError::Unknown));
        assert_eq!(links.book().known.len(), MOST);
    }
}
