//! The code, and messages that somebody at the hub changes.

use super::*;
use crate::hub::Slot;
use crate::roster::Door;
use proptest::prelude::*;
use taffrail_model::Timestamp;

fn secret(n: u8) -> PairingSecret {
    PairingSecret::from_random(&[n; 32])
}

fn offer() -> Offer {
    Offer { invite: "zqinvite".to_owned(), until: Timestamp::UNIX_EPOCH }
}

#[test]
fn a_code_is_an_address_and_a_secret() {
    let check = |typed: &str, meant: &str| {
        let code = Code::parse(typed).unwrap();
        assert_eq!(*code.to_text(), meant, "{typed}");
        assert_eq!(Code::parse(meant), Ok(code), "{meant}");
    };
    let (secret, door) = ("k7qf-9m2x-w4tz-p8hr-3n6d", "0000-1111-2222-3333-4444");
    for (typed, url) in [
        ("nats://10.0.0.5", "nats://10.0.0.5:4222"),
        ("/srv/a b", "file:///srv/a%20b"),
        ("file:///srv/a%23b", "file:///srv/a%23b"),
        ("s3://hub/x?region=eu", "s3://hub/x?region=eu"),
    ] {
        check(&format!("{typed}#{secret}"), &format!("{url}#{secret}"));
        check(&format!(" {typed}#{} ", secret.to_uppercase()), &format!("{url}#{secret}"));
        check(&format!("{typed}#{secret}.{door}"), &format!("{url}#{secret}.{door}"));
    }
    let pin = format!("tls://hub.example:4222?pin={}", "ab".repeat(32));
    check(&format!("{pin}#{secret}"), &format!("{pin}#{secret}"));
}

#[test]
fn what_is_no_code_is_refused() {
    let check = |typed: &str, expected: CodeFault| {
        assert_eq!(Code::parse(typed), Err(expected), "{typed}");
    };
    check("not-a-code", CodeFault::NotACode);
    check("nats://10.0.0.5", CodeFault::NotACode);
    check("nats://10.0.0.5#", CodeFault::Secret);
    check("nats://10.0.0.5#k7qf-9m2x-w4tz-p8hr", CodeFault::Secret);
    check("nats://10.0.0.5#k7qf-9m2x-w4tz-p8hr-3n6u", CodeFault::Secret);
    check("nats://10.0.0.5#k7qf-9m2x-w4tz-p8hr-3n6d.", CodeFault::Secret);
    assert!(matches!(Code::parse("x#k7qf-9m2x-w4tz-p8hr-3n6d"), Err(CodeFault::Address(_))));
}

#[test]
fn no_code_is_printed_by_mistake() {
    let door = Some(Door::parse("0000-1111-2222-3333-4444").unwrap());
    let code = Code { door, ..Code::parse("/x#k7qf-9m2x-w4tz-p8hr-3n6d").unwrap() };
    let printed = format!("{code:?}");
    assert!(!printed.contains("k7qf") && !printed.contains("1111"), "{printed}");
}

#[test]
fn a_place_says_nothing_of_its_code() {
    let places: std::collections::BTreeSet<_> = (0..32).map(|n| secret(n).place()).collect();
    assert_eq!(places.len(), 32);
    assert!(places.iter().all(|it| it.len() == 32 && it.bytes().all(|it| it.is_ascii_hexdigit())));
}

#[test]
fn a_message_opens_with_its_code_in_its_slot_only() {
    let sealed = seal((&secret(1), Slot::Offer), &offer(), [7; 24]).unwrap();
    assert_eq!(open((&secret(1), Slot::Offer), &sealed), Ok(offer()));
    for slot in [Slot::Request, Slot::Answer, Slot::Done] {
        assert_eq!(open::<Offer>((&secret(1), slot), &sealed), Err(MessageFault::Forged));
    }
    assert_eq!(open::<Offer>((&secret(2), Slot::Offer), &sealed), Err(MessageFault::Forged));
    assert_eq!(
        open::<Request>((&secret(1), Slot::Offer), &sealed),
        Err(MessageFault::NotUnderstood)
    );
    assert!(!sealed.windows(2).any(|it| it == b"zq"));
    assert_eq!(sealed.len() % 1024, 24 + 16, "a length says little");
}

proptest! {
    #[test]
    fn a_message_with_any_bit_flipped_or_cut_is_refused(bit in 0_usize..8_512, cut in 0_usize..1_064) {
        let mut sealed = seal((&secret(1), Slot::Offer), &offer(), [7; 24]).unwrap();
        prop_assert_eq!(open::<Offer>((&secret(1), Slot::Offer), &sealed[..cut]), Err(MessageFault::Forged));
        sealed[bit / 8] ^= 1 << (bit % 8);
        prop_assert_eq!(open::<Offer>((&secret(1), Slot::Offer), &sealed), Err(MessageFault::Forged));
    }
}
