//! Damaged invites and requests: a mistyped word is refused, and a valid word around damaged
//! content admits no further device.
//!
//! `TAFFRAIL_FULL=1` tries many inputs, `TAFFRAIL_SEED` selects them.

use super::*;
use crate::word::{from_word, to_word};
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 300, full: 60_000 };
const INVITE: &str = "taffrail-invite-";
const REQUEST: &str = "taffrail-request-";

fn offered(roster: &Roster, by: &Own) -> Invite {
    let offer = Offer { user: "ada".to_owned(), until: at(600), hub: None };
    Invite::new(roster, &by.signer(), offer, [7; 32]).unwrap()
}

#[test]
fn a_mistyped_invite_is_refused() {
    let a = Own::new("laptop");
    let word = offered(&team_of(&a, &[]), &a).to_text().unwrap();
    Fuzz::of("invite", [word.clone()]).run(COUNTS, |input| {
        let text = String::from_utf8_lossy(input);
        let is_same = text.split_whitespace().collect::<String>() == word;
        assert_eq!(Invite::parse(&text).is_ok(), is_same, "{text}");
        Took::from(is_same)
    });
}

#[test]
fn an_invite_with_damaged_contents_names_nobody_new() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let json = from_word(INVITE, &offered(&roster, &a).to_text().unwrap()).unwrap();
    let taken = Fuzz::of("invited", [json]).run(COUNTS, |input| {
        let Ok(word) = to_word(INVITE, input) else { return Took::No };
        let Ok(invite) = Invite::parse(&word) else { return Took::No };
        let entries = invite.roster().entries();
        assert!(roster.entries().starts_with(entries), "entries that nobody signed: {entries:?}");
        assert_eq!((invite.inviter(), invite.pin()), (&a.device("ada"), roster.pin()));
        Took::Yes
    });
    assert!(taken > 0, "none was taken");
}

#[test]
fn a_damaged_request_lets_nobody_in() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[]);
    let invite = offered(&roster, &a);
    let asks = JoinRequest::answer(&invite, (&b.id, "tower"), &b.secret, at(10)).unwrap();
    let json = from_word(REQUEST, &asks.to_text().unwrap()).unwrap();
    let taken = Fuzz::of("request", [json]).run(COUNTS, |input| {
        let Ok(word) = to_word(REQUEST, input) else { return Took::No };
        let Ok(request) = JoinRequest::parse(&word) else { return Took::No };
        let approved = approve(&roster, (&request, &invite.open()), &a.signer(), at(20)).is_ok();
        assert_eq!(approved, request == asks, "{request:?}");
        Took::from(approved)
    });
    assert!(taken > 0, "none was let in");
}
