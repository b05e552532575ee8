//! Sealed data opens in its place, and nowhere else.

use super::*;
use crate::bytes::{Digest, Signature, TeamId};
use crate::compression;
use crate::keys::{Identity, Recipient};
use crate::roster::tests::{Own, at, team_of};
use crate::roster::{Audience, Op, Roster, Signer};
use proptest::prelude::*;
use std::time::Instant;
use zeroize::Zeroizing;

fn key(n: u8) -> DataKey {
    DataKey::from_random([n; 32])
}

fn start(roster: &Roster, of: &Own) -> Chain {
    Chain::start(*roster.team(), Stream::new("s1"), of.id.clone())
}

fn content(bytes: &[u8]) -> Content<'_> {
    Content { events: 2, bytes, epoch: 0 }
}

fn removed(roster: &Roster, who: &Own, by: &Own) -> Roster {
    roster.with(Op::Remove { device: who.id.clone() }, &by.signer(), at(90)).unwrap().0
}

/// Three batches of the first device, each with the chain that opens it.
fn three(roster: &Roster, own: &Own) -> Vec<(Chain, Sealed)> {
    let mut chain = start(roster, own);
    let texts = [b"one".as_slice(), b"two", b"three"];
    let steps = texts.iter().zip(1..).map(|(text, n)| {
        let (sealed, next) = seal(&chain, content(text), &key(1), &own.signer(), [n; 24]).unwrap();
        (std::mem::replace(&mut chain, next), sealed)
    });
    steps.collect()
}

proptest! {
    #[test]
    fn what_is_sealed_is_opened(texts: Vec<Vec<u8>>, nonce: [u8; 24]) {
        let [a, b] = ["laptop", "tower"].map(Own::new);
        let roster = team_of(&a, &[&b]);
        let (mut writer, mut reader) = (start(&roster, &a), start(&roster, &a));
        for text in texts {
            let (sealed, next) =
                seal(&writer, content(&text), &key(1), &a.signer(), nonce).unwrap();
            writer = next;
            let sealed = Sealed::parse(&sealed.to_bytes()).unwrap();
            let opened = open(&sealed, &reader, &key(1), &roster).unwrap();
            prop_assert_eq!((opened.bytes, opened.writer), (text, WriterStatus::Current));
            reader = opened.chain;
        }
        prop_assert_eq!(reader, writer);
    }

    #[test]
    fn a_batch_with_any_bit_flipped_is_refused(at: usize) {
        let a = Own::new("laptop");
        let roster = team_of(&a, &[]);
        let (chain, sealed) = three(&roster, &a).swap_remove(1);
        let mut bytes = sealed.to_bytes();
        let bit = at % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let opened = Sealed::parse(&bytes).and_then(|batch| open(&batch, &chain, &key(1), &roster));
        prop_assert!(opened.is_err(), "bit {bit}");
    }

    #[test]
    fn a_batch_cut_anywhere_is_refused(at: usize) {
        let a = Own::new("laptop");
        let bytes = three(&team_of(&a, &[]), &a)[0].1.to_bytes();
        prop_assert_eq!(Sealed::parse(&bytes[..at % bytes.len()]), Err(Refused::NotUnderstood));
    }

    #[test]
    fn a_wrapped_key_with_any_bit_flipped_is_refused(at: usize) {
        let a = Own::new("laptop");
        let roster = team_of(&a, &[]);
        let wrapped = wrap(&key(1), &place(&roster), &roster.recipients(Audience::Team), &a.signer());
        let mut bytes = wrapped.unwrap().to_bytes();
        let bit = at % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let got = WrappedKey::parse(&bytes)
            .and_then(|wrapped| unwrap(&wrapped, &place(&roster), &roster, a.secret.identity()));
        prop_assert!(got.is_err(), "bit {bit}");
    }
}

#[test]
fn a_batch_in_another_place_is_refused() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let all = three(&roster, &a);
    let [(first, one), (second, two), (third, three)] = all.try_into().unwrap();
    let check = |batch: &Sealed, chain: &Chain, expected: Refused| {
        assert_eq!(open(batch, chain, &key(1), &roster).map(|opened| opened.bytes), Err(expected));
    };
    let sequence = |expected: u64, got: u64| Refused::OutOfSequence { expected, got };
    // Omitted, replayed, swapped.
    check(&three, &second, sequence(3, 5));
    check(&one, &second, sequence(3, 1));
    check(&two, &first, sequence(1, 3));
    // Renumbered by someone without the key, and by the hub.
    let moved = Sealed { place: Place { first: 5, last: 6, ..two.place.clone() }, ..two.clone() };
    check(&moved, &third, Refused::Forged);
    // Another history under the same numbers, by the same device.
    let other = content(b"other");
    let (_, branch) = seal(&first, other, &key(1), &a.signer(), [9; 24]).unwrap();
    check(&two, &branch, Refused::Unchained);
    // Another stream, device or team.
    let stream = Stream::new("s2");
    check(&one, &Chain::start(first.team, stream, a.id.clone()), Refused::OtherPlace);
    check(&one, &start(&roster, &b), Refused::OtherPlace);
    let team = TeamId::from_bytes([9; 16]);
    check(&one, &Chain { team, ..first.clone() }, Refused::OtherPlace);
    let elsewhere = Roster::found(team, a.device("ada"), &a.secret, at(0)).unwrap();
    let got = open(&one, &first, &key(1), &elsewhere).map(|_| ());
    assert_eq!(got, Err(Refused::OtherPlace), "a device of both teams");
    // Another key.
    assert_eq!(open(&one, &first, &key(2), &roster).map(|_| ()), Err(Refused::Damaged));
}

#[test]
fn what_a_foreign_or_removed_device_signs_is_refused() {
    let [a, b, stranger] = ["laptop", "tower", "stranger"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let after = removed(&roster, &b, &a);
    let sealed_by = |own: &Own, epoch: u64| {
        let chain = start(&roster, own);
        let content = Content { events: 1, bytes: b"text", epoch };
        let (sealed, _) = seal(&chain, content, &key(1), &own.signer(), [1; 24]).unwrap();
        (sealed, chain)
    };
    let check =
        |own: &Own, epoch: u64, roster: &Roster, expected: Result<WriterStatus, Refused>| {
            let (sealed, chain) = sealed_by(own, epoch);
            let got = open(&sealed, &chain, &key(1), roster).map(|opened| opened.writer);
            assert_eq!(got, expected);
        };
    let not = |own: &Own, epoch: u64| Err(Refused::NotAMember { device: own.id.clone(), epoch });
    check(&b, 0, &roster, Ok(WriterStatus::Current));
    check(&b, 0, &after, Ok(WriterStatus::Removed));
    check(&b, 1, &after, not(&b, 1));
    check(&a, 1, &after, Ok(WriterStatus::Current));
    check(&a, 1, &roster, Err(Refused::RosterBehind { epoch: 1, known: 0 }));
    check(&stranger, 0, &roster, not(&stranger, 0));
    // A member that writes under another's name.
    let (sealed, chain) = sealed_by(&a, 0);
    let liar = Own { id: a.id, name: String::new(), secret: Own::new("tower").secret };
    let (forged, _) = seal(&chain, content(b"x"), &key(1), &liar.signer(), [2; 24]).unwrap();
    assert_eq!(open(&forged, &chain, &key(1), &roster).map(|_| ()), Err(Refused::Forged));
    let resigned = Sealed { signature: forged.signature, ..sealed };
    assert_eq!(open(&resigned, &chain, &key(1), &roster).map(|_| ()), Err(Refused::Forged));
}

#[test]
fn a_batch_does_not_go_back_behind_an_epoch() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = removed(&team_of(&a, &[&b]), &b, &a);
    let content = |epoch: u64| Content { events: 1, bytes: b"x", epoch };
    let chain = start(&roster, &a);
    let (_, new) = seal(&chain, content(1), &key(1), &a.signer(), [1; 24]).unwrap();
    let back = seal(&new, content(0), &key(1), &a.signer(), [2; 24]).map(|_| ());
    assert_eq!(back, Err(Refused::OlderEpoch { known: 1 }));
    let forced = Chain { epoch: 0, ..new.clone() };
    let (sealed, _) = seal(&forced, content(0), &key(1), &a.signer(), [2; 24]).unwrap();
    let got = open(&sealed, &new, &key(1), &roster).map(|_| ());
    assert_eq!(got, Err(Refused::OlderEpoch { known: 1 }));
    let none = Content { events: 0, ..content(1) };
    assert_eq!(seal(&new, none, &key(1), &a.signer(), [3; 24]).map(|_| ()), Err(Refused::TooLarge));
}

/// A batch of this place, made and signed by hand by a device of the team.
fn by_hand(place: Place, commitment: Digest, key: &DataKey, own: &Own) -> Sealed {
    use chacha20poly1305::aead::{Aead, KeyInit, Payload};
    let (nonce, bound) = ([5; 24], place.bound(&commitment));
    let payload = Payload { msg: &compression::pack(b"text").unwrap(), aad: &bound };
    let cipher = chacha20poly1305::XChaCha20Poly1305::new(key.bytes().into());
    let ciphertext = cipher.encrypt(&nonce.into(), payload).unwrap();
    let fields: [&[u8]; 3] = [&bound, &nonce, &ciphertext];
    let purpose = crate::signing::Purpose::Batch;
    let signature = crate::signing::sign(own.secret.signing(), purpose, &fields);
    Sealed { place, commitment, nonce, ciphertext, signature }
}

#[test]
fn a_batch_that_opens_with_two_keys_is_refused() {
    let a = Own::new("laptop");
    let roster = team_of(&a, &[]);
    let (chain, sealed) = three(&roster, &a).swap_remove(0);
    let check = |commitment: Digest, expected: Result<&[u8], Refused>| {
        let batch = by_hand(sealed.place.clone(), commitment, &key(2), &a);
        let got = open(&batch, &chain, &key(2), &roster).map(|opened| opened.bytes);
        assert_eq!(got.as_deref(), expected.as_ref().copied());
    };
    check(key(2).commitment(), Ok(b"text"));
    check(key(1).commitment(), Err(Refused::Damaged));
}

#[test]
fn a_batch_never_turns_its_chain_back() {
    let a = Own::new("laptop");
    let roster = team_of(&a, &[]);
    let (chain, sealed) = three(&roster, &a).swap_remove(2);
    for last in [0, 1, 4] {
        let place = Place { last, ..sealed.place.clone() };
        let batch = by_hand(place, key(1).commitment(), &key(1), &a);
        let got = open(&batch, &chain, &key(1), &roster).map(|opened| opened.chain);
        assert_eq!(got, Err(Refused::NotUnderstood));
    }
}

#[test]
fn a_sealed_batch_shows_nothing_of_its_text_and_little_of_its_length() {
    let a = Own::new("laptop");
    let roster = team_of(&a, &[]);
    let length = |text: &[u8]| {
        let chain = start(&roster, &a);
        let (sealed, _) = seal(&chain, content(text), &key(1), &a.signer(), [1; 24]).unwrap();
        let bytes = sealed.to_bytes();
        assert!(!bytes.windows(6).any(|window| window == b"canary"));
        bytes.len()
    };
    assert_eq!(length(b"canary"), length(b"canary with a longer text, but not by much"));
}

fn place(roster: &Roster) -> KeyPlace {
    KeyPlace { team: *roster.team(), scope: Scope::new("p1"), epoch: roster.epoch() }
}

#[test]
fn a_key_is_for_those_it_was_wrapped_to() {
    let [a, b, stranger] = ["laptop", "tower", "stranger"].map(Own::new);
    let paper = Identity::from_random(&Zeroizing::new([4; 32]));
    let (user, recipient) = ("ada".to_owned(), paper.recipient());
    let recovery = Op::Recovery { user, recipient, door: None };
    let (roster, _) = team_of(&a, &[&b]).with(recovery, &a.signer(), at(9)).unwrap();
    let to = roster.recipients(Audience::Team);
    let wrapped = wrap(&key(1), &place(&roster), &to, &a.signer()).unwrap();
    let wrapped = WrappedKey::parse(&wrapped.to_bytes()).unwrap();
    let check = |identity: &Identity, expected: Result<[u8; 32], Refused>| {
        let got = unwrap(&wrapped, &place(&roster), &roster, identity);
        assert_eq!(got.map(|key| *key.bytes()), expected);
    };
    check(a.secret.identity(), Ok([1; 32]));
    check(b.secret.identity(), Ok([1; 32]));
    check(&paper, Ok([1; 32]));
    check(stranger.secret.identity(), Err(Refused::NotForUs));
    // After a removal there is another key, which the removed device cannot unwrap.
    let after = removed(&roster, &b, &a);
    let to = after.recipients(Audience::Team);
    let next = wrap(&key(2), &place(&after), &to, &a.signer()).unwrap();
    let got = unwrap(&next, &place(&after), &after, b.secret.identity()).map(|_| ());
    assert_eq!(got, Err(Refused::NotForUs));
    assert_eq!(wrap(&key(1), &place(&roster), &[], &a.signer()), Err(Refused::Nobody));
}

#[test]
fn a_key_from_somebody_else_or_for_another_place_is_refused() {
    let [a, b, hub] = ["laptop", "tower", "hub"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let to: Vec<Recipient> = roster.recipients(Audience::Team);
    let here = place(&roster);
    let check = |wrapped: &WrappedKey, place: &KeyPlace, roster: &Roster, expected: Refused| {
        let got = unwrap(wrapped, place, roster, a.secret.identity()).map(|_| ());
        assert_eq!(got, Err(expected));
    };
    // A hub knows all recipients and can wrap, but cannot sign.
    let planted = wrap(&key(9), &here, &to, &hub.signer()).unwrap();
    let device = hub.id;
    check(&planted, &here, &roster, Refused::NotAMember { device, epoch: 0 });
    check(&WrappedKey { by: b.id.clone(), ..planted }, &here, &roster, Refused::Forged);
    let good = wrap(&key(1), &here, &to, &b.signer()).unwrap();
    let there = KeyPlace { scope: Scope::new("p2"), ..here };
    check(&good, &there, &roster, Refused::OtherPlace);
    check(&WrappedKey { place: there.clone(), ..good.clone() }, &there, &roster, Refused::Forged);
    let team = TeamId::from_bytes([9; 16]);
    let elsewhere = Roster::found(team, b.device("ada"), &b.secret, at(0)).unwrap();
    check(&good, &place(&roster), &elsewhere, Refused::OtherPlace);
    // A device of the team passes a key on as one for another place.
    let fields = super::key::signed(&there, &b.id, &good.sealed);
    let purpose = crate::signing::Purpose::WrappedKey;
    let signature = crate::signing::sign(b.secret.signing(), purpose, &[&fields]);
    let moved = WrappedKey { place: there.clone(), signature, ..good.clone() };
    check(&moved, &there, &roster, Refused::OtherPlace);
    // A removed device wraps a key of the next epoch.
    let after = removed(&roster, &b, &a);
    let late = wrap(&key(9), &place(&after), &to, &b.signer()).unwrap();
    let device = b.id;
    check(&late, &place(&after), &after, Refused::NotAMember { device, epoch: 1 });
    let signature = Signature::from_bytes([0; 64]);
    check(&WrappedKey { signature, ..good }, &here, &roster, Refused::Forged);
}

#[test]
fn a_wrapped_key_with_a_header_without_end_costs_nothing() {
    let a = Own::new("laptop");
    let roster = team_of(&a, &[]);
    let to = roster.recipients(Audience::Team);
    let good = wrap(&key(1), &place(&roster), &to, &a.signer()).unwrap();
    let sealed = [b"age-encryption.org/v1\n".as_slice(), &b"-> a\n\n".repeat(70_000)].concat();
    let fields = super::key::signed(&place(&roster), &a.id, &sealed);
    let purpose = crate::signing::Purpose::WrappedKey;
    let signature = crate::signing::sign(a.secret.signing(), purpose, &[&fields]);
    let bytes = WrappedKey { sealed, signature, ..good }.to_bytes();
    let wrapped = WrappedKey::parse(&bytes).unwrap();
    let got = unwrap(&wrapped, &place(&roster), &roster, a.secret.identity()).map(|_| ());
    assert_eq!(got, Err(Refused::Damaged));
}

#[test]
fn no_key_is_printed() {
    assert_eq!(format!("{:?}", key(7)), "DataKey");
}

#[test]
fn what_sealing_costs() {
    let a = Own::new("laptop");
    let others: Vec<_> = (0..14).map(|n| Own::new(&format!("device-{n}"))).collect();
    let roster = team_of(&a, &others.iter().collect::<Vec<_>>());
    let to = roster.recipients(Audience::Team);
    let event: Vec<u8> = (0..800_u32).map(|n| b' ' + (n * n % 89) as u8).collect();
    let rounds = 200;
    let begin = Instant::now();
    let mut chain = start(&roster, &a);
    let mut size = 0;
    for n in 0..rounds {
        let (sealed, next) = seal(&chain, content(&event), &key(1), &a.signer(), [n; 24]).unwrap();
        size = sealed.to_bytes().len();
        chain = next;
    }
    println!("seal and sign 800 B: {:?}, {size} B", begin.elapsed() / u32::from(rounds));
    let begin = Instant::now();
    let wrapped = wrap(&key(1), &place(&roster), &to, &a.signer()).unwrap();
    let (took, size) = (begin.elapsed(), wrapped.to_bytes().len());
    println!("wrap to {} recipients: {took:?}, {size} B", to.len());
    assert_eq!(chain.next, 1 + 2 * u64::from(rounds));
}

fn checkpoint_place(roster: &Roster, of: &Own) -> CheckpointPlace {
    CheckpointPlace { after: start(roster, of), seq: 3, epoch: 0, part: 0, parts: 1 }
}

fn checkpoint(roster: &Roster, of: &Own) -> SealedCheckpoint {
    let place = checkpoint_place(roster, of);
    seal_checkpoint(place, b"text", &key(1), &of.signer(), [5; 24]).unwrap()
}

proptest! {
    #[test]
    fn a_checkpoint_with_any_bit_flipped_or_cut_is_refused(at: usize) {
        let a = Own::new("laptop");
        let roster = team_of(&a, &[]);
        let mut bytes = checkpoint(&roster, &a).to_bytes();
        prop_assert_eq!(
            SealedCheckpoint::parse(&bytes[..at % bytes.len()]),
            Err(Refused::NotUnderstood)
        );
        let bit = at % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let opened = SealedCheckpoint::parse(&bytes)
            .and_then(|it| open_checkpoint(&it, &start(&roster, &a), &key(1), &roster));
        prop_assert!(opened.is_err(), "bit {bit}");
    }
}

#[test]
fn a_checkpoint_is_of_its_writer_and_in_its_place() {
    let [a, b] = ["laptop", "tower"].map(Own::new);
    let roster = team_of(&a, &[&b]);
    let (good, place) = (checkpoint(&roster, &b), checkpoint_place(&roster, &b));
    let check = |it: &SealedCheckpoint, of: &Chain, with: u8, roster: &Roster, expected| {
        assert_eq!(open_checkpoint(it, of, &key(with), roster), expected);
    };
    let here = start(&roster, &b);
    let text = Ok(b"text".to_vec());
    check(&SealedCheckpoint::parse(&good.to_bytes()).unwrap(), &here, 1, &roster, text);
    check(&good, &here, 2, &roster, Err(Refused::Damaged));
    // Another stream, device or team.
    let other = Chain::start(here.team, Stream::new("s2"), b.id.clone());
    check(&good, &other, 1, &roster, Err(Refused::OtherPlace));
    check(&good, &start(&roster, &a), 1, &roster, Err(Refused::OtherPlace));
    let team = Chain { team: TeamId::from_bytes([9; 16]), ..here.clone() };
    check(&good, &team, 1, &roster, Err(Refused::OtherPlace));
    // Another position, or another part.
    let after = Chain { next: 9, ..place.after.clone() };
    for moved in [
        CheckpointPlace { after, ..place.clone() },
        CheckpointPlace { seq: 4, ..place.clone() },
        CheckpointPlace { part: 1, ..place.clone() },
        CheckpointPlace { parts: 2, ..place.clone() },
    ] {
        let moved = SealedCheckpoint { place: moved, ..good.clone() };
        check(&moved, &here, 1, &roster, Err(Refused::Forged));
    }
    // Signed by another device of the team, by a removed one, and with a newer key.
    let signer = Signer { device: &b.id, secret: &a.secret };
    let forged = seal_checkpoint(place.clone(), b"text", &key(1), &signer, [5; 24]).unwrap();
    check(&forged, &here, 1, &roster, Err(Refused::Forged));
    let by_another = seal_checkpoint(place.clone(), b"text", &key(1), &a.signer(), [5; 24]);
    assert_eq!(by_another, Err(Refused::OtherPlace));
    let without = removed(&roster, &b, &a);
    let gone = Refused::NotAMember { device: b.id.clone(), epoch: 0 };
    check(&good, &here, 1, &without, Err(gone));
    let later = CheckpointPlace { epoch: 1, ..place };
    let later = seal_checkpoint(later, b"text", &key(1), &b.signer(), [5; 24]).unwrap();
    check(&later, &here, 1, &roster, Err(Refused::RosterBehind { epoch: 1, known: 0 }));
}

#[test]
fn a_chain_goes_back_over_its_last_batch_only() {
    let a = Own::new("laptop");
    let roster = team_of(&a, &[]);
    let all = three(&roster, &a);
    let [(first, one), (second, two), (third, three)] = all.try_into().unwrap();
    let end = open(&three, &third, &key(1), &roster).unwrap().chain;
    assert_eq!(end.back_over(&three), Some(third.clone()));
    assert_eq!(third.back_over(&two), Some(second.clone()));
    assert_eq!(second.back_over(&one), Some(first));
    assert_eq!((end.back_over(&two), third.back_over(&three)), (None, None));
    let renumbered = Chain { next: 9, ..third };
    assert_eq!(renumbered.back_over(&two), None);
}
