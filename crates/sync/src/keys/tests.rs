//! Keys survive writing and parsing, and are never shown.

use super::*;
use proptest::prelude::*;

fn secret(seed: u8) -> DeviceSecret {
    DeviceSecret::from_random(&Zeroizing::new([seed; 64]))
}

proptest! {
    #[test]
    fn a_secret_is_read_back_as_it_was_written(random: [u8; 32]) {
        let mut both = Zeroizing::new([3; 64]);
        both[..32].copy_from_slice(&random);
        both[20..52].copy_from_slice(&random);
        let secret = DeviceSecret::from_random(&both);
        let again = DeviceSecret::parse(&secret.to_text()).unwrap();
        prop_assert_eq!(again.to_text(), secret.to_text());
        prop_assert_eq!(again.keys(), secret.keys());
        let json = serde_json::to_string(&secret.keys()).unwrap();
        prop_assert_eq!(serde_json::from_str::<DeviceKeys>(&json).unwrap(), secret.keys());
    }
}

#[test]
fn a_broken_file_of_keys_is_refused() {
    let text = secret(1).to_text();
    let lines: Vec<_> = text.lines().collect();
    let check = |lines: &[&str], expected: KeyFault| {
        assert_eq!(DeviceSecret::parse(&lines.join("\n")).map(|_| ()), Err(expected), "{lines:?}");
    };
    assert!(DeviceSecret::parse(&lines.join("\r\n")).is_ok());
    check(&[], KeyFault::NotAKey);
    check(&["taffrail-device-2", lines[1], lines[2]], KeyFault::NotAKey);
    check(&lines[..1], KeyFault::Signing);
    check(&[lines[0], lines[1].get(1..).unwrap(), lines[2]], KeyFault::Signing);
    check(&lines[..2], KeyFault::Age);
    check(&[lines[0], lines[1], lines[2].get(..70).unwrap()], KeyFault::Age);
    let mistyped = lines[2].replacen('Q', "P", 1);
    check(&[lines[0], lines[1], &mistyped], KeyFault::Age);
}

#[test]
fn no_secret_is_printed() {
    let secret = secret(5);
    let shown = format!("{secret:?} {:?} {:?}", secret.identity(), secret.keys());
    let text = secret.to_text();
    for line in text.lines().skip(1) {
        assert!(!shown.to_lowercase().contains(&line.to_lowercase()), "{shown}");
    }
    assert!(!shown.contains("0505"), "{shown}");
}

#[test]
fn a_fingerprint_names_both_keys() {
    let words = |signing: u8, age: u8| {
        let mut random = Zeroizing::new([signing; 64]);
        random[32..].fill(age);
        DeviceSecret::from_random(&random).keys().fingerprint().to_string()
    };
    assert_eq!(words(1, 2), words(1, 2));
    assert_eq!(words(1, 2).split('-').count(), 6);
    assert_ne!(words(1, 2), words(1, 3));
    assert_ne!(words(1, 2), words(2, 2));
}

#[test]
fn a_weak_key_is_no_key() {
    let json = serde_json::to_string(&secret(1).keys()).unwrap();
    let written: serde_json::Value = serde_json::from_str(&json).unwrap();
    let check = |signing: &str, reads: bool| {
        let mut written = written.clone();
        written["ed25519_pub"] = signing.into();
        let read = serde_json::from_value::<DeviceKeys>(written);
        assert_eq!(read.is_ok(), reads, "{signing}");
    };
    check(written["ed25519_pub"].as_str().unwrap(), true);
    check(&format!("01{}", "00".repeat(31)), false);
    check(&"00".repeat(32), false);
    check(&"00".repeat(31), false);
}

#[test]
fn the_key_for_doors_is_a_key_of_its_own() {
    let (one, other) = (secret(1), secret(2));
    let door = |it: &DeviceSecret| it.keys().nats_user().map(ToString::to_string).unwrap();
    assert_eq!(door(&one), door(&secret(1)));
    assert_ne!(door(&one), door(&other));
    let pair = nkeys::KeyPair::from_seed(&one.nats_seed().unwrap()).unwrap();
    assert_eq!(pair.public_key(), door(&one));
    // Its signatures do not verify under the device's signing key.
    let challenge = b"whatever a server likes";
    let signature = ed25519_dalek::Signature::from_slice(&pair.sign(challenge).unwrap()).unwrap();
    assert!(one.keys().signing().verify_strict(challenge, &signature).is_err());
}

#[test]
fn what_is_no_key_for_doors_is_refused() {
    let good = secret(1).keys().nats_user().unwrap().to_string();
    let check = |text: &str, is_one: bool| {
        assert_eq!(NatsUserKey::try_from(text.to_owned()).is_ok(), is_one, "{text}");
    };
    check(&good, true);
    check("", false);
    check(good.get(..55).unwrap(), false);
    check(&good.to_lowercase(), false);
    check("U\n } } authorization { }", false);
    check(&nkeys::KeyPair::new_account().public_key(), false);
}
