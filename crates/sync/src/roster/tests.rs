//! A roster follows from its entries, and any other entry is refused.

mod fuzz;
mod invites;
mod paging;
mod vouching;

use super::*;
use crate::word::WordFault;
use proptest::prelude::*;
use zeroize::Zeroizing;

const TEAM: TeamId = TeamId::from_bytes([1; 16]);

/// A device with its secret.
pub(crate) struct Own {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) secret: DeviceSecret,
}

impl Own {
    pub(crate) fn new(name: &str) -> Self {
        let mut random = Zeroizing::new([0; 64]);
        let mut hash = blake3::Hasher::new();
        hash.update(name.as_bytes()).finalize_xof().fill(random.as_mut_slice());
        let secret = DeviceSecret::from_random(&random);
        Self { id: DeviceId::new(format!("id-{name}")), name: name.to_owned(), secret }
    }

    pub(crate) fn device(&self, user: &str) -> Device {
        let (id, name) = (self.id.clone(), self.name.clone());
        Device { id, name, user: user.to_owned(), keys: self.secret.keys() }
    }

    pub(crate) fn signer(&self) -> Signer<'_> {
        Signer { device: &self.id, secret: &self.secret }
    }
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn invite(n: u8) -> InviteId {
    InviteId::from_bytes([n; 32])
}

fn add(who: &Own, n: u8) -> Op {
    add_for(who, "ada", n)
}

pub(crate) fn add_for(who: &Own, user: &str, n: u8) -> Op {
    Op::Add { device: who.device(user), invite: invite(n), vouch: None }
}

fn remove(who: &Own) -> Op {
    Op::Remove { device: who.id.clone() }
}

pub(crate) fn team_of(first: &Own, others: &[&Own]) -> Roster {
    let roster = Roster::found(TEAM, first.device("ada"), &first.secret, at(0)).unwrap();
    others.iter().zip(1..).fold(roster, |roster, (other, n)| {
        roster.with(add(other, n), &first.signer(), at(n.into())).unwrap().0
    })
}

/// A team with every operation: three devices, a second admin, a removal, a recovery, a rotation.
fn rich() -> Roster {
    let [a, b, c] = ["laptop", "tower", "desk"].map(Own::new);
    let recipient = Own::new("paper").secret.keys().recipient().clone();
    let steps = [
        (Op::Admin { device: b.id.clone() }, &a),
        (add(&c, 9), &b),
        (Op::Recovery { user: "ada".to_owned(), recipient, door: None }, &b),
        (remove(&a), &b),
        (Op::Rotate, &b),
    ];
    steps.into_iter().fold(team_of(&a, &[&b]), |roster, (op, by)| {
        roster.with(op, &by.signer(), at(50)).unwrap().0
    })
}

#[test]
fn a_team_is_what_its_entries_say() {
    let roster = rich();
    assert_eq!(Roster::of(roster.entries().to_vec()).as_ref(), Ok(&roster));
    let shown: Vec<_> = roster
        .members()
        .map(|m| (m.device.name.as_str(), m.role, m.joined.epoch, m.left.map(|left| left.epoch)))
        .collect();
    let expected = [
        ("desk", Role::Member, 0, None),
        ("laptop", Role::Admin, 0, Some(1)),
        ("tower", Role::Admin, 0, None),
    ];
    assert_eq!(shown, expected);
    assert_eq!((roster.epoch(), roster.pin().n), (2, 6));
    assert_eq!(roster.recipients(Audience::Team).len(), 3);
    assert_eq!(roster.recipients(Audience::Users(&["ada"])).len(), 3);
    assert_eq!(roster.recipients(Audience::Users(&["bob"])), []);
    assert_eq!(roster.named("LAPTOP"), None);
    assert_eq!(roster.named("Tower").map(|m| m.device.id.as_str()), Some("id-tower"));
    let laptop = roster.member(&DeviceId::new("id-laptop")).unwrap();
    assert_eq!([0, 1, 2].map(|epoch| laptop.was_in(epoch)), [true, false, false]);
}

#[test]
fn entries_are_the_same_after_json() {
    let roster = rich();
    let json = serde_json::to_string(roster.entries()).unwrap();
    let entries: Vec<Entry> = serde_json::from_str(&json).unwrap();
    assert_eq!(Roster::of(entries), Ok(roster));
}

#[test]
fn what_a_device_may_not_do_is_refused() {
    let [a, b, c, stranger] = ["laptop", "tower", "desk", "stranger"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let check = |op: Op, by: &Own, expected: Fault| {
        assert_eq!(roster.with(op, &by.signer(), at(9)).map(|_| ()), Err(expected));
    };
    let n = 2;
    let by = |own: &Own| own.id.clone();
    check(add(&c, 7), &b, Fault::NotAnAdmin { n, by: by(&b) });
    check(remove(&a), &b, Fault::NotAnAdmin { n, by: by(&b) });
    check(Op::Rotate, &stranger, Fault::NotAMember { n, by: by(&stranger) });
    let liar = Own { id: by(&a), name: "laptop".to_owned(), secret: Own::new("x").secret };
    check(Op::Rotate, &liar, Fault::Forged { n });
    check(remove(&a), &a, Fault::LastAdmin { n });
    check(remove(&c), &a, Fault::NoSuchDevice { n, device: by(&c) });
    check(Op::Admin { device: by(&c) }, &a, Fault::NoSuchDevice { n, device: by(&c) });
    check(add(&c, 1), &a, Fault::InviteUsed { n });
    check(add(&b, 7), &a, Fault::SameName { n, name: "tower".to_owned() });
    check(Op::Found { device: c.device("ada") }, &a, Fault::NotFounded { n });
    let named = |name: &str| {
        let device = Device { name: name.to_owned(), ..c.device("ada") };
        Op::Add { device, invite: invite(7), vouch: None }
    };
    check(named("TOWER"), &a, Fault::SameName { n, name: "TOWER".to_owned() });
    for name in ["", " x", "a\u{1b}[2J", "a\nb", "\u{202e}x", &"x".repeat(65)] {
        check(named(name), &a, Fault::BadName { n, name: name.to_owned() });
    }
}

#[test]
fn an_id_is_one_plain_word() {
    let [a, c] = ["laptop", "desk"].map(Own::new);
    let roster = team_of(&a, &[]);
    let check = |id: &str, taken: bool| {
        let device = Device { id: DeviceId::new(id), ..c.device("ada") };
        let got =
            roster.with(Op::Add { device, invite: invite(7), vouch: None }, &a.signer(), at(9));
        let refused = Err(Fault::BadName { n: 1, name: id.to_owned() });
        assert_eq!(got.map(|_| ()), if taken { Ok(()) } else { refused });
    };
    check("dev-00ff", true);
    for id in ["", "a.b", "*", ">", "a b", "a/b", "..", "é", &"x".repeat(65)] {
        check(id, false);
    }
}

#[test]
fn a_hub_carries_a_roster_it_cannot_read() {
    let [a, b, c] = ["laptop", "tower", "desk"].map(Own::new);
    let old = team_of(&a, &[&b]);
    let (new, _) = old.with(add(&c, 7), &a.signer(), at(9)).unwrap();
    let sealed = new.to_sealed().unwrap();
    for text in ["laptop", "tower", "ada"] {
        assert!(!sealed.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
    let first = Roster::of(new.entries()[..1].to_vec()).unwrap();
    let opened = |sealed: &[u8], known: &Roster, own: &Own| {
        known.extended_by_sealed(sealed, own.secret.identity())
    };
    for (known, own) in [(&old, &b), (&first, &c), (&new, &a)] {
        assert_eq!(opened(&sealed, known, own).as_ref(), Ok(&new));
    }
    let (after, _) = new.with(remove(&b), &a.signer(), at(10)).unwrap();
    let next = after.to_sealed().unwrap();
    let not_for_us = SealedRosterError::Envelope(crate::envelope::EnvelopeFault::NotForUs);
    assert_eq!(opened(&next, &new, &b), Err(not_for_us));
    assert_eq!(opened(&next, &new, &c).map(|roster| roster.pin()), Ok(after.pin()));
    // A hub with an old roster rolls nothing back.
    assert_eq!(opened(&sealed, &after, &c).map(|roster| roster.pin()), Ok(after.pin()));
    let (fork, _) = new.with(Op::Rotate, &a.signer(), at(10)).unwrap();
    let forked = Err(SealedRosterError::Roster(Fault::Forked { n: 3 }));
    assert_eq!(opened(&fork.to_sealed().unwrap(), &after, &c), forked);
}

#[test]
fn a_removed_device_signs_nothing_and_never_comes_back() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let admin = Op::Admin { device: b.id.clone() };
    let (roster, _) = team_of(&a, &[&b]).with(admin, &a.signer(), at(8)).unwrap();
    let (roster, _) = roster.with(remove(&b), &a.signer(), at(9)).unwrap();
    assert_eq!(roster.epoch(), 1);
    let check = |op: Op, by: &Own, expected: Fault| {
        assert_eq!(roster.with(op, &by.signer(), at(9)).map(|_| ()), Err(expected));
    };
    check(Op::Rotate, &b, Fault::NotAMember { n: 4, by: b.id.clone() });
    check(add(&b, 7), &a, Fault::SameDevice { n: 4, device: b.id.clone() });
    let again = Own { id: DeviceId::new("new"), name: "new".to_owned(), secret: b.secret };
    check(add(&again, 7), &a, Fault::SameDevice { n: 4, device: again.id.clone() });
    let mixed = |field: &str| {
        let mut keys = serde_json::to_value(Own::new("fresh").secret.keys()).unwrap();
        keys[field] = serde_json::to_value(again.secret.keys()).unwrap()[field].clone();
        let keys = serde_json::from_value(keys).unwrap();
        let device = Device { keys, ..Own::new("fresh").device("ada") };
        Op::Add { device, invite: invite(7), vouch: None }
    };
    for field in ["ed25519_pub", "age_recipient"] {
        let device = DeviceId::new("id-fresh");
        check(mixed(field), &a, Fault::SameDevice { n: 4, device });
    }
    let other = Own { id: DeviceId::new("other"), ..Own::new("tower") };
    let other = Own { secret: Own::new("other").secret, ..other };
    assert!(roster.with(add(&other, 7), &a.signer(), at(9)).is_ok(), "its name is free again");
}

#[test]
fn an_epoch_follows_from_what_is_done() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let check = |op: Op, epoch: u64, expected: Option<u64>| {
        let (team, prev, by) = (TEAM, roster.pin().head, a.id.clone());
        let entry = Statement { team, n: 2, prev, epoch, at: at(9), by, op };
        let got = roster.extended([Entry::sign(entry, &a.secret)]).map(|roster| roster.epoch());
        let refused = |expected| Err(Fault::WrongEpoch { n: 2, epoch, expected });
        assert_eq!(got, expected.map_or(Ok(epoch), refused));
    };
    check(remove(&b), 1, None);
    check(remove(&b), 0, Some(1));
    check(remove(&b), u64::MAX, Some(1));
    check(Op::Rotate, 2, Some(1));
    check(Op::Admin { device: b.id }, 1, Some(0));
}

#[test]
fn an_older_or_another_roster_is_refused() {
    let [a, b, c] = ["laptop", "tower", "desk"].map(Own::new);
    let old = team_of(&a, &[&b]);
    let (new, entry) = old.with(add(&c, 7), &a.signer(), at(9)).unwrap();
    let (fork, forked) = old.with(Op::Rotate, &a.signer(), at(9)).unwrap();
    let all = |roster: &Roster| roster.entries().to_vec();
    assert_eq!(Roster::pinned(all(&new), &old.pin()).as_ref(), Ok(&new));
    assert_eq!(Roster::pinned(all(&old), &new.pin()), Err(Fault::RolledBack { pinned: 2 }));
    assert_eq!(Roster::pinned(all(&fork), &new.pin()), Err(Fault::Forked { n: 2 }));
    assert_eq!(old.extended(all(&new)).as_ref(), Ok(&new));
    assert_eq!(old.extended([entry]).as_ref(), Ok(&new));
    assert_eq!(
        new.extended(all(&old)).as_ref(),
        Ok(&new),
        "entries that are known do not step back"
    );
    assert_eq!(new.extended([forked]), Err(Fault::Forked { n: 2 }));
    assert_eq!(old.extended(all(&fork)[..1].to_vec()).as_ref(), Ok(&old));
    let team = TeamId::from_bytes([2; 16]);
    let other = Roster::found(team, a.device("ada"), &a.secret, at(0)).unwrap();
    assert_eq!(Roster::pinned(all(&other), &old.pin()), Err(Fault::OtherTeam { team }));
    assert_eq!(old.extended(all(&other)), Err(Fault::OtherTeam { team }));
    assert_eq!(Roster::of([]), Err(Fault::Empty));
}

#[test]
fn an_entry_of_another_team_cannot_be_replayed() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let ours = team_of(&a, &[]);
    let team = TeamId::from_bytes([2; 16]);
    let theirs = Roster::found(team, a.device("ada"), &a.secret, at(0)).unwrap();
    let (_, entry) = theirs.with(add(&b, 7), &a.signer(), at(1)).unwrap();
    let mut relabelled = entry.clone();
    relabelled.statement.team = TEAM;
    assert_eq!(ours.extended([entry]), Err(Fault::OtherTeam { team }));
    assert_eq!(ours.extended([relabelled.clone()]), Err(Fault::Forked { n: 0 }));
    relabelled.statement.prev = ours.pin().head;
    assert_eq!(ours.extended([relabelled]), Err(Fault::Forged { n: 1 }));
}

/// One way to tamper with a list of entries.
fn tampered(mut entries: Vec<Entry>, how: usize, at: usize, with: usize) -> Vec<Entry> {
    let (at, with) = (at % entries.len(), with % entries.len());
    let statement = &mut entries[at].statement;
    match how {
        0 => drop(entries.remove(at)),
        1 => entries.swap(at, with),
        2 => entries.insert(at, entries[with].clone()),
        3 => statement.epoch += 1,
        4 => statement.at += std::time::Duration::from_nanos(1),
        5 => statement.by = DeviceId::new("id-tower"),
        6 => statement.team = TeamId::from_bytes([3; 16]),
        7 => statement.n += 1,
        8 => statement.op = Op::Rotate,
        9 => {
            let mut bytes = *statement.prev.as_bytes();
            bytes[with] ^= 1;
            statement.prev = Digest::from_bytes(bytes);
        }
        10 => {
            let mut bytes = *entries[at].signature.as_bytes();
            bytes[with * 8] ^= 1;
            entries[at].signature = crate::Signature::from_bytes(bytes);
        }
        11 => entries[at] = Entry::sign(statement.clone(), &Own::new("mallory").secret),
        12 => match &mut statement.op {
            Op::Found { device } | Op::Add { device, .. } => device.name.push('x'),
            Op::Admin { device } | Op::Remove { device } => *device = DeviceId::new("id-desk"),
            Op::Rotate => statement.op = remove(&Own::new("desk")),
            Op::Recovery { user, .. } => user.push('x'),
        },
        _ => match &mut statement.op {
            Op::Found { device } | Op::Add { device, .. } => {
                device.keys = Own::new("mallory").secret.keys();
            }
            op => *op = add(&Own::new("mallory"), 99),
        },
    }
    entries
}

proptest! {
    #[test]
    fn any_tampering_with_entries_is_refused(how in 0_usize..14, at: usize, with: usize) {
        let roster = rich();
        let entries = tampered(roster.entries().to_vec(), how, at, with);
        prop_assume!(entries != roster.entries());
        let got = Roster::pinned(entries.clone(), &roster.pin());
        prop_assert!(got.is_err(), "{how} {at} {with}: {:?}", got.map(|r| r.pin()));
        let first = Roster::of(roster.entries()[..1].to_vec()).unwrap();
        // Without its last entries, the list is an older roster; any other change is refused here
        // too.
        if let Ok(extended) = first.extended(entries) {
            let known = roster.entries().starts_with(extended.entries());
            prop_assert!(known, "{how} {at} {with}");
        }
    }

    #[test]
    fn any_cut_at_the_end_is_a_rollback(left in 0_usize..7) {
        let roster = rich();
        let got = Roster::pinned(roster.entries()[..left].to_vec(), &roster.pin());
        let expected = if left == 0 { Fault::Empty } else { Fault::RolledBack { pinned: 6 } };
        prop_assert_eq!(got, Err(expected));
    }
}
