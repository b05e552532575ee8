//! How a device joins the team.

use super::*;

#[test]
fn a_device_comes_in_by_invite_and_learns_of_it_from_what_is_carried_later() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let ours = team_of(&a, &[]);
    let offer = Offer { user: "ada".to_owned(), until: at(600) };
    let invite = Invite::new(&ours, &a.id, offer, [7; 32]).unwrap();
    let kept: OpenInvite =
        serde_json::from_str(&serde_json::to_string(&invite.open()).unwrap()).unwrap();
    // On the other device.
    let word = invite.to_text().unwrap();
    assert!(word.starts_with("taffrail-invite-") && !word.contains(char::is_whitespace));
    println!("an invite of one device has {} characters", word.len());
    let got = Invite::parse(&word).unwrap();
    assert_eq!(got.inviter(), Some(&a.device("ada")));
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
        let offer = Offer { user: user.to_owned(), until: at(600) };
        Invite::new(&ours, &a.id, offer, [secret; 32]).unwrap()
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
    let said = super::invite::said(&good.team, &good.invite, &thief.device("ada"));
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
    let offer = || Offer { user: "ada".to_owned(), until: at(600) };
    let by = |id: &DeviceId| Invite::new(&ours, id, offer(), [7; 32]).map(|_| ());
    assert_eq!(by(&a.id), Ok(()));
    assert_eq!(by(&b.id), Err(JoinFault::NotAnAdmin));
    assert_eq!(by(&DeviceId::new("nobody")), Err(JoinFault::NotAnAdmin));
    let word = Invite::new(&ours, &a.id, offer(), [7; 32]).unwrap().to_text().unwrap();
    let check = |text: &str, expected: WordFault| {
        assert_eq!(Invite::parse(text).map(|_| ()), Err(JoinFault::Word(expected)));
    };
    check(word.get(..word.len() - 1).unwrap(), WordFault::Damaged);
    check(&word.replacen("invite", "request", 1), WordFault::OtherPrefix);
    assert!(Invite::parse(&format!("  {word}\n")).is_ok());
    let shown = format!("{:?}", Invite::parse(&word).unwrap());
    assert!(!shown.contains("0707") && !shown.contains("7, 7"), "{shown}");
}
