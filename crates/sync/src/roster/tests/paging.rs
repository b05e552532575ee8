//! Pages and heads: what opens them, and that nothing else does.

use super::*;
use crate::envelope::EnvelopeFault;
use crate::roster::pages::{Body, EpochKey, Head, PAGE_ENTRIES, open_page};

/// A team with this many entries: two devices, one of them removed in the end, and rotations between.
fn long(entries: usize) -> Roster {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let team = (2..entries - 1).fold(team_of(&a, &[&b]), |it, n| {
        let invite = InviteId::from_bytes([n as u8; 32]);
        let device = Own::new(&format!("desk-{n}")).device(&format!("user-{n}"));
        it.grown(Op::Add { device, invite, vouch: None }, &a.signer(), at(9)).unwrap()
    });
    team.grown(remove(&b), &a.signer(), at(9)).unwrap()
}

fn body(team: &Roster) -> Body {
    let pages = team.pages().unwrap().into_iter().map(|it| it.page).collect();
    Body { pages, tail: team.tail().to_vec(), last: team.pin().head, wrapped: 1 }
}

fn key(team: &Roster) -> EpochKey {
    team.epoch_key(team.epoch()).unwrap()
}

fn head(team: &Roster) -> Head {
    let mut head = Head::new((TEAM, team.epoch()));
    head.buckets = vec![Digest::from_bytes([7; 32]); 2];
    head.late = b"late".to_vec();
    head.seal(&body(team), &key(team)).unwrap()
}

#[test]
fn pages_and_a_head_hold_the_whole_roster() {
    let team = long(2 * PAGE_ENTRIES + 9);
    let pages = team.pages().unwrap();
    assert_eq!(pages.len(), 2);
    let head = Head::parse(&head(&team).to_bytes()).unwrap();
    let body = head.open(&key(&team)).unwrap();
    assert_eq!((&body, body.length()), (&self::body(&team), team.entries().len()));
    let opened =
        (0..).zip(&pages).map(|(at, it)| open_page(&TEAM, (at, &it.page), &it.bytes).unwrap());
    let entries: Vec<_> = opened.flatten().chain(body.tail).collect();
    assert_eq!(Roster::of(entries), Ok(team.clone()));
    // The same entries make the same pages on every device.
    let again = Roster::of(team.entries().to_vec()).unwrap().pages().unwrap();
    assert!(pages.iter().zip(&again).all(|(one, other)| one.bytes == other.bytes));
    let seen = [pages.iter().flat_map(|it| it.bytes.clone()).collect(), head.to_bytes()].concat();
    for text in ["laptop", "tower", "ada", "desk"] {
        assert!(!seen.windows(text.len()).any(|it| it == text.as_bytes()), "{text}");
    }
}

#[test]
fn a_page_opens_in_its_place_only() {
    let team = long(2 * PAGE_ENTRIES + 9);
    let pages = team.pages().unwrap();
    let other = TeamId::from_bytes([9; 16]);
    let refused = |team: &TeamId, at: u64, page: usize, bytes: &[u8]| {
        let page = &pages[page].page;
        assert!(open_page(team, (at, page), bytes).is_err(), "{at}");
    };
    refused(&TEAM, 1, 0, &pages[0].bytes);
    refused(&TEAM, 0, 0, &pages[1].bytes);
    refused(&TEAM, 0, 1, &pages[0].bytes);
    refused(&other, 0, 0, &pages[0].bytes);
    assert!(!format!("{:?}", pages[0].page).contains(&format!("{:?}", pages[1].page)));
}

#[test]
fn the_key_of_an_epoch_follows_from_its_first_entry_and_is_wrapped_to_its_recipients() {
    let team = long(PAGE_ENTRIES);
    let [a, b] = ["laptop", "tower"].map(Own::new);
    assert_ne!(key(&team), team.epoch_key(0).unwrap());
    assert_eq!(team.epoch_key(2), None);
    let before = Roster::of(team.entries()[..team.entries().len() - 1].to_vec()).unwrap();
    assert_eq!(before.epoch_key(0), team.epoch_key(0));
    assert_eq!(before.epoch_key(1), None, "who was removed does not know it");
    let place = (&TEAM, team.epoch());
    let sealed = key(&team).wrap(place, &[a.secret.keys().recipient().clone()]).unwrap();
    let opened =
        |place: (&TeamId, u64), who: &Own| EpochKey::unwrap(place, &sealed, who.secret.identity());
    assert_eq!(opened(place, &a), Ok(key(&team)));
    let refused = |fault: EnvelopeFault| Err(SealedRosterError::Envelope(fault));
    assert_eq!(opened(place, &b), refused(EnvelopeFault::NotForUs));
    assert_eq!(opened((&TEAM, 0), &a), refused(EnvelopeFault::Damaged));
    assert_eq!(opened((&TeamId::from_bytes([9; 16]), 1), &a), refused(EnvelopeFault::Damaged));
    assert_eq!(format!("{:?}", key(&team)), "EpochKey");
}

#[test]
fn every_recipient_is_in_one_bucket_that_it_finds() {
    let team = long(3 * PAGE_ENTRIES);
    let buckets = team.buckets();
    assert_eq!(buckets.len(), 2);
    assert_eq!(buckets.concat().len(), team.recipients(Audience::Team).len());
    let mut head = Head::new((TEAM, 1));
    head.buckets = (0..2).map(|n| Digest::from_bytes([n; 32])).collect();
    head.groups = (2..4).map(|n| Digest::from_bytes([n; 32])).collect();
    let laptop = Own::new("laptop");
    let own = buckets.iter().position(|it| it.contains(laptop.secret.keys().recipient())).unwrap();
    let expected = [own as u8, 3, 2].map(|n| Digest::from_bytes([n; 32]));
    assert_eq!(head.wrapped_for(laptop.secret.identity()), expected);
    let late = team.recipients_since(team.entries().len() - 3);
    assert_eq!(late.len(), 2, "the last entry removes a device");
    assert_eq!(team.recipients_since(1).len(), team.recipients(Audience::Team).len() - 1);
}

proptest! {
    #[test]
    fn a_head_with_any_bit_flipped_or_cut_is_refused(bit: usize, cut: usize) {
        let team = long(PAGE_ENTRIES + 5);
        let whole = head(&team).to_bytes();
        let opens = |bytes: &[u8]| Head::parse(bytes).is_some_and(|it| it.open(&key(&team)).is_ok());
        prop_assert!(opens(&whole));
        prop_assert!(!opens(&whole[..cut % whole.len()]));
        let (mut other, bit) = (whole.clone(), bit % (whole.len() * 8));
        other[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!opens(&other), "bit {bit}");
    }

    #[test]
    fn a_page_with_any_bit_flipped_or_cut_is_refused(bit: usize, cut: usize) {
        let team = long(PAGE_ENTRIES + 5);
        let pages = team.pages().unwrap();
        let (page, whole) = (&pages[0].page, &pages[0].bytes);
        let opens = |bytes: &[u8]| open_page(&TEAM, (0, page), bytes).is_ok();
        prop_assert!(opens(whole) && !opens(&whole[..cut % whole.len()]));
        let (mut other, bit) = (whole.clone(), bit % (whole.len() * 8));
        other[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!opens(&other), "bit {bit}");
    }

    #[test]
    fn a_roster_that_was_verified_is_the_pinned_one_and_no_other(cut in 1_usize..7) {
        let roster = rich();
        let entries = roster.entries().to_vec();
        let got = Roster::verified(entries.clone(), &roster.pin());
        prop_assert_eq!(got.as_ref(), Ok(&roster));
        prop_assert!(Roster::verified(entries[..cut.min(6)].to_vec(), &roster.pin()).is_err());
        let mut other = entries;
        other[cut.min(6)].statement.at += std::time::Duration::from_nanos(1);
        prop_assert!(Roster::verified(other, &roster.pin()).is_err());
    }
}
