//! Who may admit a device for whom.

use super::*;

/// Joins a team as a device of this user, with or without a vouch.
fn joined_as(user: &str, voucher: Option<&Own>) -> Result<Roster, JoinFault> {
    let [admin, first, second] = ["laptop", "tower", "desk"].map(Own::new);
    let team = team_of(&admin, &[]);
    let team = team.with(add_for(&first, "bob", 9), &admin.signer(), at(2)).unwrap().0;
    let offer = Offer { user: user.to_owned(), until: at(600), hub: None };
    let invite = Invite::new(&team, &admin.signer(), offer, [7; 32])?;
    let request = JoinRequest::answer(&invite, (&second.id, "desk"), &second.secret, at(10))?;
    let request = match voucher {
        Some(it) => request.vouched(&team, &it.signer())?,
        None => request,
    };
    let done = approve(&team, (&request, &invite.open()), &admin.signer(), at(20));
    done.map(|(roster, _)| roster)
}

/// Otherwise a team admin could become any user.
#[test]
fn nobody_lets_a_device_in_for_a_user_who_has_one() {
    let not =
        |user: &str| Err(JoinFault::Roster(Fault::NotVouched { n: 2, user: user.to_owned() }));
    let [admin, bob, thief] = ["laptop", "tower", "thief"].map(Own::new);
    let named = |it: Result<Roster, JoinFault>| it.map(|it| it.named("desk").is_some());
    assert_eq!(named(joined_as("bob", None)), not("bob"));
    assert_eq!(named(joined_as("bob", Some(&bob))), Ok(true));
    assert_eq!(named(joined_as("eve", None)), Ok(true), "the first of a new user");
    assert_eq!(named(joined_as("ada", None)), Ok(true), "one's own");
    let other = |invited: &str| {
        Err(JoinFault::OtherUser { invited: invited.to_owned(), asks: "bob".to_owned() })
    };
    assert_eq!(named(joined_as("bob", Some(&admin))), other("ada"));
    assert_eq!(named(joined_as("bob", Some(&thief))), other(""));
}

#[test]
fn a_word_for_another_device_or_by_another_user_vouches_for_nothing() {
    let [admin, bob, mine, other] = ["laptop", "tower", "desk", "phone"].map(Own::new);
    let team = team_of(&admin, &[]);
    let team = team.with(add_for(&bob, "bob", 9), &admin.signer(), at(2)).unwrap().0;
    let offer = Offer { user: "bob".to_owned(), until: at(600), hub: None };
    let invite = Invite::new(&team, &admin.signer(), offer, [7; 32]).unwrap();
    let request = |own: &Own| {
        JoinRequest::answer(&invite, (&own.id, &own.name), &own.secret, at(10)).unwrap()
    };
    let vouch = request(&mine).vouched(&team, &bob.signer()).unwrap().vouch;
    let check = |own: &Own, vouch: Option<Vouch>, is_in: bool| {
        let op = Op::Add { device: own.device("bob"), invite: invite.open().id(), vouch };
        let got = team.with(op, &admin.signer(), at(20)).map(|_| ());
        let not = Fault::NotVouched { n: 2, user: "bob".to_owned() };
        assert_eq!(got, if is_in { Ok(()) } else { Err(not) });
    };
    check(&mine, vouch.clone(), true);
    check(&other, vouch.clone(), false);
    let by_admin = vouch.map(|it| Vouch { by: admin.id.clone(), ..it });
    check(&mine, by_admin, false);
}

#[test]
fn an_admin_names_no_recovery_key_for_a_user_who_has_a_device() {
    let [admin, bob] = ["laptop", "tower"].map(Own::new);
    let recipient = Own::new("paper").secret.keys().recipient().clone();
    let named = |user: &str| {
        let recipient = recipient.clone();
        Op::Recovery { user: user.to_owned(), recipient, door: None }
    };
    let team = team_of(&admin, &[]);
    let team = team.with(add_for(&bob, "bob", 9), &admin.signer(), at(2)).unwrap().0;
    let not = Fault::NotVouched { n: 2, user: "bob".to_owned() };
    assert_eq!(team.with(named("bob"), &admin.signer(), at(3)).map(|_| ()), Err(not));
    assert_eq!(team.with(named("ada"), &admin.signer(), at(3)).map(|_| ()), Ok(()));
    // A user who lost every device has none that could sign.
    let team = team.with(remove(&bob), &admin.signer(), at(4)).unwrap().0;
    assert_eq!(team.with(named("bob"), &admin.signer(), at(5)).map(|_| ()), Ok(()));
}

#[test]
fn a_name_that_looks_like_another_is_not_let_in() {
    let [admin, new] = ["laptop", "1aptop"].map(Own::new);
    let team = team_of(&admin, &[]);
    let check = |name: &str, user: &str, expected: Option<(&str, &str)>| {
        let offer = Offer { user: user.to_owned(), until: at(600), hub: None };
        let invite = Invite::new(&team, &admin.signer(), offer, [7; 32]).unwrap();
        let request = JoinRequest::answer(&invite, (&new.id, name), &new.secret, at(10)).unwrap();
        let got = approve(&team, (&request, &invite.open()), &admin.signer(), at(20)).map(|_| ());
        let fault = expected.map(|(name, known)| JoinFault::LooksLike {
            name: name.to_owned(),
            known: known.to_owned(),
        });
        assert_eq!(got.err(), fault, "{name} of {user}");
    };
    check("tower", "ada", None);
    check("1aptop", "ada", Some(("1aptop", "laptop")));
    check("tower", "Ada", Some(("Ada", "ada")));
    check("tower", "аda", Some(("аda", "ada")));
}
