//! Packed entries arrive, and each kind of damage is recognized.

use super::*;
use crate::roster::{Invite, JoinRequest, Offer, approve};
use proptest::prelude::*;
use std::io::{self, Read};

fn pair() -> (Own, Own, Roster) {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    (a, b, roster)
}

const ENTRIES: [(&str, &[u8]); 3] =
    [("source/a.jsonl", b"zqcanary"), ("state.json", b"{}"), ("patch/empty", b"")];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_packed_arrives(contents: Vec<Vec<u8>>) {
        let (a, b, roster) = pair();
        let named: Entries =
            contents.into_iter().zip(0..).map(|(c, n)| (format!("source/{n}"), c)).collect();
        let entries: Vec<_> = named.iter().map(|(p, c)| (p.as_str(), c.as_slice())).collect();
        let file = packed(&entries, &roster, &a, &[&b]);
        let (got, unpacked) = unpacked(&file, &roster, &b).unwrap();
        prop_assert_eq!(got, named);
        prop_assert_eq!(unpacked.manifest.about, about(&[&b]));
        prop_assert_eq!(unpacked.roster, roster);
    }

    #[test]
    fn a_bundle_with_any_bit_flipped_is_refused(at: usize) {
        let (a, b, roster) = pair();
        let mut file = packed(&ENTRIES, &roster, &a, &[&b]);
        let bit = at % (file.len() * 8);
        file[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(unpacked(&file, &roster, &b).is_err(), "bit {bit}");
    }

    #[test]
    fn a_bundle_cut_anywhere_is_cut_short(at: usize) {
        let (a, b, roster) = pair();
        let file = packed(&ENTRIES, &roster, &a, &[&b]);
        let (at, expected) = (at % file.len(), file.len() as u64);
        let got = unpacked(&file[..at], &roster, &b).map(|_| ());
        let got_bytes = at as u64;
        let refused = match at {
            0..16 => Refused::NotABundle,
            16..25 => Refused::Truncated { expected: 25, got: got_bytes },
            _ => Refused::Truncated { expected, got: got_bytes },
        };
        prop_assert_eq!(got, Err(refused));
    }
}

#[test]
fn nothing_is_seen_from_outside() {
    let (a, b, roster) = pair();
    let file = packed(&ENTRIES, &roster, &a, &[&b]);
    for text in ["zqcanary", "main", "source", "tower", "laptop", "0198-abc"] {
        let seen = file.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!seen, "{text}");
    }
}

#[test]
fn each_way_to_be_broken_has_its_name() {
    let (a, b, roster) = pair();
    let stranger = Own::new("stranger");
    let good = packed(&ENTRIES, &roster, &a, &[&b]);
    let check = |file: &[u8], own: &Own, expected: Refused| {
        assert_eq!(unpacked(file, &roster, own).map(|_| ()), Err(expected));
    };
    check(&good, &stranger, Refused::NotForUs);
    check(&good, &a, Refused::NotForUs);
    check(b"", &b, Refused::NotABundle);
    check(b"PK\x03\x04 something else entirely", &b, Refused::NotABundle);
    let changed = |at: usize, to: &[u8]| {
        let mut file = good.clone();
        file[at..at + to.len()].copy_from_slice(to);
        file
    };
    check(&changed(16, &[2]), &b, Refused::Newer { version: 2 });
    check(&changed(good.len() - 40, &[0; 40]), &b, Refused::Damaged);
    check(&changed(17, &[0; 8]), &b, Refused::Damaged);
    check(&[good.as_slice(), b"more"].concat(), &b, Refused::Damaged);
}

#[test]
fn a_header_without_end_is_not_read_to_its_end() {
    let (a, b, roster) = pair();
    let front = packed(&ENTRIES, &roster, &a, &[&b])[..25].to_vec();
    let stanza = [b"-> X25519 x\n".as_slice(), &[b'A'; 64], b"\n"].concat();
    let header = [b"age-encryption.org/v1\n".as_slice(), &stanza.repeat(100_000)].concat();
    let file = [front, header].concat();
    let mut left = file.as_slice();
    let reader = Reader { device: &b.id, identity: b.secret.identity(), roster: &roster };
    assert_eq!(open(&mut left, &reader).map(|_| ()), Err(Refused::Damaged));
    let read = file.len() - left.len();
    assert!(read < 300_000, "{read} of {} bytes", file.len());
}

#[test]
fn a_device_that_joined_opens_with_what_its_invite_carried() {
    let [a, b, d] = ["laptop", "tower", "desk"].map(Own::new);
    let ours = team_of(&a, &[]);
    let offer = || Offer { user: "ada".to_owned(), until: at(600), hub: None };
    let invite = Invite::new(&ours, &a.signer(), offer(), [7; 32]).unwrap();
    let theirs = invite.roster().clone();
    let request = JoinRequest::answer(&invite, (&b.id, "tower"), &b.secret, at(1)).unwrap();
    let (ours, _) = approve(&ours, (&request, &invite.open()), &a.signer(), at(2)).unwrap();
    let invite = Invite::new(&ours, &a.signer(), offer(), [8; 32]).unwrap();
    let request = JoinRequest::answer(&invite, (&d.id, "desk"), &d.secret, at(3)).unwrap();
    let (ours, _) = approve(&ours, (&request, &invite.open()), &a.signer(), at(4)).unwrap();
    let file = packed(&ENTRIES, &ours, &a, &[&b]);
    let (_, unpacked_there) = unpacked(&file, &theirs, &b).unwrap();
    assert_eq!(unpacked_there.roster.pin(), ours.pin());
    assert!(unpacked_there.roster.named("tower").is_some());
    // An older bundle does not roll back the roster.
    let (_, again) = unpacked(&packed(&ENTRIES, &team_of(&a, &[]), &a, &[&a]), &ours, &a).unwrap();
    assert_eq!(again.roster.pin(), ours.pin());
}

#[test]
fn only_a_current_device_of_the_same_team_may_have_made_it() {
    let (a, b, roster) = pair();
    let stranger = Own::new("stranger");
    let remove = |who: &Own| Op::Remove { device: who.id.clone() };
    let (after, _) = roster.with(remove(&b), &a.signer(), at(9)).unwrap();
    let check = |file: &[u8], roster: &Roster, expected: Refused| {
        assert_eq!(unpacked(file, roster, &a).map(|_| ()), Err(expected));
    };
    // The device is removed here, although the bundle's roster still has it.
    let from_b = packed(&ENTRIES, &roster, &b, &[&a]);
    assert!(unpacked(&from_b, &roster, &a).is_ok());
    check(&from_b, &after, Refused::Stranger { device: b.id });
    // Another team, and a fake team around our ids.
    let team = TeamId::from_bytes([9; 16]);
    let other = Roster::found(team, stranger.device("eve"), &stranger.secret, at(0)).unwrap();
    let mine = Op::Add {
        device: a.device("ada"),
        invite: crate::roster::InviteId::from_bytes([1; 32]),
        vouch: None,
    };
    let (other, _) = other.with(mine, &stranger.signer(), at(1)).unwrap();
    let from_other = packed(&ENTRIES, &other, &stranger, &[&a]);
    check(&from_other, &roster, Refused::Roster(crate::roster::Fault::OtherTeam { team }));
    // A fork by an admin.
    let (fork, _) = roster.with(Op::Rotate, &a.signer(), at(9)).unwrap();
    let forked = packed(&ENTRIES, &fork, &a, &[&a]);
    check(&forked, &after, Refused::Roster(crate::roster::Fault::Forked { n: 2 }));
    // A device of the team that signs as another.
    let liar = Own { id: a.id.clone(), name: String::new(), secret: Own::new("tower").secret };
    let forged = Forgery::new(&ENTRIES, &roster, &liar, &a);
    check(&forged.file(), &roster, Refused::Forged);
    // Made by a device outside the team.
    let file = Forgery::new(&ENTRIES, &roster, &stranger, &a).file();
    check(&file, &roster, Refused::Stranger { device: stranger.id });
}

#[test]
fn a_bundle_sealed_anew_for_somebody_else_is_refused() {
    let [a, b, d] = ["laptop", "tower", "desk"].map(Own::new);
    let roster = team_of(&a, &[&b, &d]);
    let mut to_desk = Forgery::new(&ENTRIES, &roster, &a, &d);
    to_desk.manifest["to"] = serde_json::json!([b.id]);
    assert_eq!(unpacked(&to_desk.file(), &roster, &d).map(|_| ()), Err(Refused::NotForUs));
}

#[test]
fn what_cannot_be_carried_is_not_packed() {
    let (a, b, roster) = pair();
    let stranger = Own::new("stranger");
    let check = |pieces: &[Piece<'_>], to: &[&Own], by: &Own, expected: &str| {
        let mut out = Cursor::new(Vec::new());
        let got = write(&mut out, &about(to), pieces, &roster, &by.signer());
        assert_eq!(got.map(|_| ()).map_err(|fault| fault.to_string()), Err(expected.to_owned()));
    };
    let piece = |path: &str| Piece::of_bytes(path, Kind::Source, b"x");
    check(&[], &[&stranger], &a, "id-stranger is not in the team");
    check(&[], &[&b], &stranger, "id-stranger is not in the team");
    check(&[], &[], &a, "there is nobody to seal to");
    let leads_out = "the entry \"../x\" cannot be carried: it leads out of its folder";
    check(&[piece("../x")], &[&b], &a, leads_out);
    let twice = "the entry \"A\" cannot be carried: another entry has it";
    check(&[piece("a"), piece("A")], &[&b], &a, twice);
    let many: Vec<_> = (0..10_001).map(|n| piece(&n.to_string())).collect();
    let too_large = "it is more than a bundle may hold: 10,000 entries, 2 GiB, 2,500 recipients";
    check(&many, &[&b], &a, too_large);
    // The writer stops reading once the limit is exceeded.
    let open = || Ok(Box::new(io::repeat(0)) as Box<dyn Read>);
    let endless = Piece { path: "a".to_owned(), kind: Kind::Source, open: Box::new(open) };
    check(&[endless], &[&b], &a, too_large);
    let open = || Err(io::Error::other("gone"));
    let gone = Piece { path: "a".to_owned(), kind: Kind::Source, open: Box::new(open) };
    check(&[gone], &[&b], &a, "\"a\" could not be read");
    let calls = std::cell::Cell::new(0_u8);
    let open = || {
        calls.set(calls.get() + 1);
        Ok(Box::new(io::repeat(calls.get()).take(5)) as Box<dyn Read>)
    };
    let moving = Piece { path: "a".to_owned(), kind: Kind::Source, open: Box::new(open) };
    check(&[moving], &[&b], &a, "\"a\" changed while it was packed");
}

#[test]
fn what_grows_is_carried_as_long_as_it_was() {
    let (a, b, roster) = pair();
    let calls = std::cell::Cell::new(0_u64);
    let open = || {
        calls.set(calls.get() + 1);
        Ok(Box::new(io::repeat(b'x').take(5 * calls.get())) as Box<dyn Read>)
    };
    let growing = Piece { path: "a".to_owned(), kind: Kind::Source, open: Box::new(open) };
    let mut out = Cursor::new(Vec::new());
    write(&mut out, &about(&[&b]), &[growing], &roster, &a.signer()).unwrap();
    let (got, _) = unpacked(&out.into_inner(), &roster, &b).unwrap();
    assert_eq!(got, [("a".to_owned(), b"xxxxx".to_vec())]);
}

#[test]
fn an_opened_bundle_may_be_unpacked_in_another_thread() {
    fn moves<T: Send>(_: &T) {}
    let (a, b, roster) = pair();
    let file = packed(&ENTRIES, &roster, &a, &[&b]);
    let reader = Reader { device: &b.id, identity: b.secret.identity(), roster: &roster };
    let opened = open(file.as_slice(), &reader).unwrap();
    moves(&opened);
}

#[test]
fn who_takes_an_entry_may_fail_or_not_read_it() {
    let (a, b, roster) = pair();
    let file = packed(&ENTRIES, &roster, &a, &[&b]);
    let reader = Reader { device: &b.id, identity: b.secret.identity(), roster: &roster };
    let opened = || open(file.as_slice(), &reader).unwrap();
    assert_eq!(opened().manifest().entries.len(), 3);
    assert!(opened().unpack(|_, _| Ok(())).is_ok());
    let full = |_: &Listed, _: &mut dyn Read| Err(io::Error::from(io::ErrorKind::StorageFull));
    let kind = io::ErrorKind::StorageFull;
    let (path, message) = ("source/a.jsonl".to_owned(), kind.to_string());
    assert_eq!(opened().unpack(full), Err(Refused::Taking { path, kind, message }));
}

/// Endless lines that compress well.
struct Lines(u64);

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let line =
            format!("{:>12} {}\n", self.0 * 7919, "the same words again and again ".repeat(30));
        let got = line.as_bytes().read(buffer)?;
        self.0 += 1;
        Ok(got)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_bundle_is_never_held_in_memory() {
    let (a, b, roster) = pair();
    let length = 256 * 1024 * 1024;
    let open = || Ok(Box::new(io::BufReader::new(Lines(0)).take(length)) as Box<dyn Read>);
    let large = Piece { path: "source/large".to_owned(), kind: Kind::Source, open: Box::new(open) };
    let before = high_water();
    let mut out = Cursor::new(Vec::new());
    write(&mut out, &about(&[&b]), &[large], &roster, &a.signer()).unwrap();
    let file = out.into_inner();
    let reader = Reader { device: &b.id, identity: b.secret.identity(), roster: &roster };
    let mut got = 0;
    let opened = super::super::open(file.as_slice(), &reader).unwrap();
    opened.unpack(|_, input| io::copy(input, &mut io::sink()).map(|n| got = n)).unwrap();
    let grown = high_water() - before;
    println!("256 MiB as {} kB, {} kB of memory", file.len() / 1024, grown);
    assert_eq!(got, length);
    assert!(grown < 64 * 1024, "{grown} kB");
}

/// The peak memory of this process, in kB.
#[cfg(target_os = "linux")]
fn high_water() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
