//! How a device joins the team.

use super::*;

#[test]
fn a_device_comes_in_by_invite_and_learns_of_it_from_what_is_carried_later() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let ours = team_of(&a, &[]);
    let offer = Offer { user: "ada".to_owned(), until: at(600), hub: None };
    let invite = Invite::new(&ours, &a.signer(), offer, [7; 32]).unwrap();
    let kept: OpenInvite =
        serde_json::from_str(&serde_json::to_string(&invite.open()).unwrap()).unwrap();
    // On the other device.
    let word = invite.to_text().unwrap();
    assert!(word.starts_with("taffrail-invite-") && !word.contains(char::is_whitespace));
    println!("an invite of one device has {} characters", word.len());
    let got = Invite::parse(&word).unwrap();
    assert_eq!(got.inviter(), &a.device("ada"));
    let request = JoinRequest::answer(&got, (&b.id, "tower"), &b.secret, at(10)).unwrap();
    let pinned = got.roster().clone();
    // On this device.
    let request = JoinRequest::parse(&request.to_text().unwrap()).unwrap();
    assert_eq!((request.invite(), request.keys()), (kept.id(), &b.secret.keys()));
    let (ours, _) = approve(&ours, (&request, &kept), &a.signer(), at(20)).unwrap();
    assert_eq!(ours.named("tower").map(|m| &m.device), Some(&b.device("ada")));
    let twice = approve(&ours, (&request, &kept), &a.signer(), at(21)).map(|_| ());
    assert_eq!(twice, Err(JoinFault::Roster(Fault::InviteUsed { n: 2 })));
    // Later entries extend the pinned roster.
    let theirs = pinned.extended(ours.entries().to_vec()).unwrap();
    assert_eq!((theirs.named("tower").is_some(), theirs.pin()), (true, ours.pin()));
}

#[test]
fn a_request_that_is_not_the_answer_is_refused() {
    let [a, b, thief] = ["laptop", "tower", "thief"].map(Own::new);
    let ours = team_of(&a, &[]);
    let invite = |secret: u8, user: &str| {
        let offer = Offer { user: user.to_owned(), until: at(600), hub: None };
        Invite::new(&ours, &a.signer(), offer, [secret; 32]).unwrap()
    };
    let answer = |invite: &Invite, own: &Own| {
        JoinRequest::answer(invite, (&own.id, &own.name), &own.secret, at(10)).unwrap()
    };
    let check = |request: &JoinRequest, now: i64, expected: JoinFault| {
        let open = invite(7, "ada").open();
        let got = approve(&ours, (request, &open), &a.signer(), at(now));
        assert_eq!(got.map(|_| ()), Err(expected));
    };
    let good = answer(&invite(7, "ada"), &b);
    check(&good, 601, JoinFault::Late { until: at(600) });
    check(&answer(&invite(8, "ada"), &b), 20, JoinFault::OtherInvite);
    let (invited, asks) = ("ada".to_owned(), "eve".to_owned());
    check(&answer(&invite(7, "eve"), &b), 20, JoinFault::OtherUser { invited, asks });
    // A thief who saw the request but not the invite can neither replace it nor change it.
    let stolen = JoinRequest { device: thief.device("ada"), ..good.clone() };
    check(&stolen, 20, JoinFault::Forged);
    // Nor request with the invite's id alone, although the thief's own signature is valid.
    let said = super::request::said(&good.team, &good.invite, &thief.device("ada"));
    let purpose = crate::signing::Purpose::JoinRequest;
    let signing = thief.secret.signing();
    let signature = crate::signing::sign(signing, purpose, &[&said, good.mac.as_bytes()]);
    let guessed = JoinRequest { device: thief.device("ada"), signature, ..good.clone() };
    check(&guessed, 20, JoinFault::Forged);
    let signature = answer(&invite(7, "ada"), &thief).signature;
    check(&JoinRequest { signature, ..good }, 20, JoinFault::Forged);
    let late = JoinRequest::answer(&invite(7, "ada"), (&b.id, "tower"), &b.secret, at(601));
    assert_eq!(late, Err(JoinFault::Late { until: at(600) }));
}

#[test]
fn an_invite_that_was_changed_or_made_by_no_admin_is_refused() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let ours = team_of(&a, &[&b]);
    let offer = || Offer { user: "ada".to_owned(), until: at(600), hub: None };
    let by = |own: &Own| Invite::new(&ours, &own.signer(), offer(), [7; 32]).map(|_| ());
    assert_eq!(by(&a), Ok(()));
    assert_eq!(by(&b), Err(JoinFault::NotAnAdmin));
    assert_eq!(by(&Own::new("nobody")), Err(JoinFault::NotAnAdmin));
    let liar = Own { id: a.id.clone(), ..Own::new("liar") };
    assert_eq!(by(&liar), Err(JoinFault::OtherInviter));
    let word = Invite::new(&ours, &a.signer(), offer(), [7; 32]).unwrap().to_text().unwrap();
    let check = |text: &str, expected: WordFault| {
        assert_eq!(Invite::parse(text).map(|_| ()), Err(JoinFault::Word(expected)));
    };
    check(word.get(..word.len() - 1).unwrap(), WordFault::Damaged);
    check(&word.replacen("invite", "request", 1), WordFault::OtherPrefix);
    assert!(Invite::parse(&format!("  {word}\n")).is_ok());
    let shown = format!("{:?}", Invite::parse(&word).unwrap());
    assert!(!shown.contains("0707") && !shown.contains("7, 7"), "{shown}");
}

/// An invite to this team, changed as a thief of the word could.
fn changed(
    ours: &Roster,
    by: &Own,
    with: impl Fn(&mut serde_json::Value),
) -> Result<(), JoinFault> {
    let offer =
        Offer { user: "ada".to_owned(), until: at(600), hub: Some("nats://hub".to_owned()) };
    let word = Invite::new(ours, &by.signer(), offer, [7; 32]).unwrap().to_text().unwrap();
    let json = crate::word::from_word("taffrail-invite-", &word).unwrap();
    let mut json = serde_json::from_slice(&json).unwrap();
    with(&mut json);
    let json = serde_json::to_vec(&json).unwrap();
    Invite::parse(&crate::word::to_word("taffrail-invite-", &json).unwrap()).map(|_| ())
}

#[test]
fn an_invite_stands_for_the_team_of_the_device_whose_words_are_compared() {
    let [a, thief] = ["laptop", "thief"].map(Own::new);
    let ours = team_of(&a, &[]);
    // A team of the thief's, in which the inviting device is an admin without its knowledge.
    let other = TeamId::from_bytes([2; 16]);
    let other = Roster::found(other, thief.device("eve"), &thief.secret, at(0)).unwrap();
    let other = other.grown(add_for(&a, "ada", 1), &thief.signer(), at(1)).unwrap();
    let other = other.grown(Op::Admin { device: a.id.clone() }, &thief.signer(), at(2)).unwrap();
    let pin = serde_json::to_value(other.pin()).unwrap();
    let check = |with: &dyn Fn(&mut serde_json::Value), expected: Result<(), JoinFault>| {
        assert_eq!(changed(&ours, &a, with), expected);
    };
    check(&|_| {}, Ok(()));
    check(&|it| it["pin"] = pin.clone(), Err(JoinFault::OtherInviter));
    check(&|it| it["user"] = "eve".into(), Err(JoinFault::OtherInviter));
    check(&|it| it["hub"] = "nats://thief".into(), Err(JoinFault::OtherInviter));
    check(&|it| it["until"] = "2100-01-01T00:00:00Z".into(), Err(JoinFault::OtherInviter));
    let keys = serde_json::to_value(thief.device("ada")).unwrap();
    check(&|it| it["inviter"] = keys.clone(), Err(JoinFault::OtherInviter));
    check(
        &|it| drop(it.as_object_mut().unwrap().remove("signature")),
        Err(JoinFault::NotUnderstood),
    );
}

#[test]
fn an_invite_of_an_earlier_version_is_read() {
    let a = Own::new("laptop");
    let ours = team_of(&a, &[]);
    let json = serde_json::json!({
        "by": a.id, "user": "ada", "until": at(600), "secret": "07".repeat(32),
        "entries": ours.entries(),
    });
    let json = serde_json::to_vec(&json).unwrap();
    let word = crate::word::to_word("taffrail-invite-", &json).unwrap();
    let invite = Invite::parse(&word).unwrap();
    assert_eq!((invite.roster(), invite.inviter()), (&ours, &a.device("ada")));
}

#[test]
fn what_comes_after_an_invite_has_to_contain_what_it_promised() {
    let [a, b, c] = ["laptop", "tower", "desk"].map(Own::new);
    let old = team_of(&a, &[&b]);
    let ours = old.clone().grown(Op::Rotate, &a.signer(), at(5)).unwrap();
    let later = ours.clone().grown(add(&c, 7), &a.signer(), at(6)).unwrap();
    let fork = old.clone().grown(Op::Admin { device: b.id.clone() }, &a.signer(), at(5)).unwrap();
    let check = |pin: Pin, inviter: &Own, entries: &Roster, expected: Result<Pin, Fault>| {
        let awaited = Roster::awaited(pin, Some(inviter.device("ada")));
        assert_eq!((awaited.is_awaited(), awaited.pin()), (true, pin));
        let got = awaited.extended(entries.entries().to_vec());
        assert_eq!(got.map(|it| it.pin()), expected);
    };
    check(ours.pin(), &a, &later, Ok(later.pin()));
    check(ours.pin(), &a, &ours, Ok(ours.pin()));
    check(ours.pin(), &a, &old, Err(Fault::RolledBack { pinned: 2 }));
    check(ours.pin(), &a, &fork, Err(Fault::Forked { n: 2 }));
    let team = TeamId::from_bytes([2; 16]);
    let other = Roster::found(team, a.device("ada"), &a.secret, at(0)).unwrap();
    check(ours.pin(), &a, &other, Err(Fault::OtherTeam { team }));
    // A device that is not an admin there, or has other keys, promised nothing.
    check(ours.pin(), &b, &later, Err(Fault::NotAnAdmin { n: 2, by: b.id.clone() }));
    let liar = Own { id: a.id.clone(), name: a.name.clone(), secret: Own::new("x").secret };
    check(ours.pin(), &liar, &later, Err(Fault::NotAnAdmin { n: 2, by: a.id.clone() }));
    // It became one after the promise.
    let admin = ours.clone().grown(Op::Admin { device: b.id.clone() }, &a.signer(), at(7)).unwrap();
    check(ours.pin(), &b, &admin, Err(Fault::NotAnAdmin { n: 2, by: b.id.clone() }));
    check(admin.pin(), &b, &admin, Ok(admin.pin()));
}

#[test]
fn an_invite_to_a_large_team_is_as_short_as_one_to_a_small_team() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let length = |team: &Roster| {
        let offer = Offer { user: "ada".to_owned(), until: at(600), hub: None };
        Invite::new(team, &a.signer(), offer, [7; 32]).unwrap().to_text().unwrap().len()
    };
    let small = team_of(&a, &[&b]);
    let large =
        (0..300).fold(small.clone(), |it, _| it.grown(Op::Rotate, &a.signer(), at(9)).unwrap());
    let (short, long) = (length(&small), length(&large));
    assert!(short.abs_diff(long) < 20 && long < 1_500, "{short} and {long}");
}
