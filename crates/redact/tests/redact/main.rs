//! Redaction against a corpus of made-up secrets and of text that only looks like them.

#[cfg(test)]
mod chance;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod innocent;
#[cfg(test)]
mod plant;
#[cfg(test)]
mod typed;
#[cfg(test)]
mod untouched;

use chance::Chance;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_redact::{find, kinds, redact, work_of};

const INNOCENT_LINES: usize = 240_000;

#[test]
fn secrets_are_found_wherever_they_stand() {
    let planted = plant::planted(&mut Chance::new(7));
    let mut missed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for it in &planted {
        let found = find(&it.text);
        let covers = |range: &std::ops::Range<usize>| {
            range.start <= it.secret.start && range.end >= it.secret.end
        };
        if !found.iter().any(|(range, _)| covers(range)) {
            missed.entry(it.kind).or_default().push(&it.text);
        }
    }
    let lost: usize = missed.values().map(Vec::len).sum();
    let recall = 100.0 - 100.0 * lost as f64 / planted.len() as f64;
    println!(
        "{} secrets of {} kinds, {lost} missed: recall {recall:.2} %",
        planted.len(),
        kinds().len()
    );
    for (kind, texts) in &missed {
        println!("missed {} {kind}: {:?}", texts.len(), texts[0]);
    }
    assert!(planted.len() >= 600 && kinds().len() >= 60);
    assert!(recall >= 99.5, "recall {recall:.2} %");
    // No kind is sacrificed for the others.
    assert!(missed.values().all(|it| it.len() <= 6), "{missed:?}");
}

#[test]
fn every_kind_is_planted() {
    let planted: BTreeSet<&str> =
        plant::TOKENS.iter().chain(plant::named()).map(|(kind, _)| *kind).collect();
    assert_eq!(planted, kinds().into_iter().collect());
}

#[test]
fn innocent_text_stays_as_it_is() {
    let mut chance = Chance::new(11);
    let made = (0..INNOCENT_LINES).map(|_| innocent::line(&mut chance));
    let written = innocent::FILES.iter().flat_map(|it| it.lines()).map(str::to_owned);
    let (mut lines, mut false_ones) = (0usize, Vec::new());
    for line in made.chain(written) {
        lines += 1;
        if !find(&line).is_empty() {
            false_ones.push(redact(&line).into_owned());
        }
    }
    println!("{lines} innocent lines, {} redacted", false_ones.len());
    false_ones.iter().take(40).for_each(|it| println!("{it}"));
    assert!(lines >= 200_000);
    assert!(false_ones.len() * 100_000 < lines, "{} of {lines}", false_ones.len());
}

/// A hostile text of a megabyte costs a bounded number of reads per byte.
#[test]
fn the_work_grows_with_the_text_and_nothing_else() {
    const LENGTH: usize = 1 << 20;
    let keyed = kinds().join("=");
    let prefixes: String =
        plant::TOKENS.iter().map(|(_, it)| it.split_once("{{").map_or(*it, |it| it.0)).collect();
    let patterns = [
        "ghp_",
        "sk-",
        "password=",
        "password:",
        "password: ",
        "token=token=",
        "secret\":\"",
        "eyJ.",
        "eyJ",
        "://a:",
        "://",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAA",
        "--token ",
        "authorization: bearer ",
        "bearer ",
        "curl -u ",
        "aws secret ",
        "cookie: sess",
        "key ",
        "token é ",
        "password is ",
        "login x password ",
        "[redacted:",
        "[redacted:a]",
        " ",
        "a",
        "ü",
        "0",
        "Q~",
        ":AA",
        "-us",
        "discord ",
        "token\"'=",
        "-----END PRIVATE KEY-----",
        "AAAAaaaaAAAAaaaaAAAAaaaaAAAA\n-----END PRIVATE KEY-----\n",
        "Private-Lines: 1\n",
        "LS0tLS1CRUdJTi",
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ",
        "taffrail-invite-",
        "taffrail-invite-a1B2c3D4e5F6g7H8 ",
        "taffrail-device-1 ",
        "sshpass -p ",
        "mysql -p",
        "mysql ",
        "docker login ",
        "echo a | sudo ",
        "echo abc | sudo -S ",
        "htpasswd -b a b ",
        "-pass pass:",
        "SU",
        "://a:@",
        "://a:b/@c",
        "&key=",
        "?key=a1b2c3d4e5f6",
        "PASSWORD=",
        "PASSWORD=word",
        "password: word\n",
        "pass: ",
        "\npass: ",
        "user: a\npass: word",
        "mnemonic: ",
        "mnemonic word ",
        &keyed,
        &prefixes,
    ];
    for pattern in patterns {
        let text = pattern.repeat(LENGTH / pattern.len());
        let half = text.get(..text.floor_char_boundary(LENGTH / 2)).unwrap();
        let (whole, half) = (work_of(&text), work_of(half));
        println!("{:>10} {:>6.1} {pattern:.40}", whole, whole as f64 / LENGTH as f64);
        assert!(whole <= 400 * LENGTH, "{pattern}: {whole}");
        assert!(whole <= 3 * half + LENGTH, "{pattern}: {half} then {whole}");
    }
}

/// Each round took one more argument of `htpasswd` for its last one.
#[test]
fn the_name_and_file_before_a_password_stay() {
    let check = |text: &str, expected: &str| {
        let once = redact(text).into_owned();
        assert_eq!(once, expected);
        assert_eq!(redact(&once), expected, "once more");
    };
    let word = "[redacted:command-password]";
    for command in [
        "htpasswd -b .htpasswd adalove ",
        "htpasswd -nbB adalove ",
        "htpasswd -b -C 10 -n adalove ",
    ] {
        check(&format!("{command}Regenbogen"), &format!("{command}{word}"));
    }
    let many = "htpasswd -bB .htpasswd legal winner thank year wave sausage worth useful legal yes";
    check(many, many);
}

fn pieces() -> impl Strategy<Value = String> {
    let fixed: Vec<String> = plant::TOKENS
        .iter()
        .chain(plant::named())
        .map(|(_, it)| Chance::new(3).fill(it).replace(['«', '»'], ""))
        .collect();
    let words = [
        "password",
        "=",
        ": ",
        "\"",
        "token",
        " ",
        "\n",
        "\\n",
        "[redacted:",
        "[redacted:jwt]",
        "]",
        "ü",
        "://",
        "@",
        ":",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "key",
        "sk-",
        "ghp_",
        "日本",
        "a1B2c3D4e5F6g7H8",
        "'",
        ",",
        "sshpass -p ",
        "mysql -p",
        "echo ",
        " | sudo -S",
        "PASSWORD=",
        "\npass: ",
        "\n     2→",
        "-----END PRIVATE KEY-----",
        "Private-Lines: 1\n",
        "taffrail-invite-",
        "Regenbogen",
        "/",
        "?key=",
    ];
    let words = prop::sample::select(words.map(str::to_owned).to_vec());
    let piece = prop_oneof![
        3 => words,
        2 => prop::sample::select(fixed),
        1 => "[A-Za-z0-9+/_-]{1,40}",
        1 => "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..14).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn twice_is_once(text in pieces()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once);
    }

    #[test]
    fn what_is_found_is_apart_in_order_and_tears_nothing(text in pieces()) {
        let mut end = 0;
        for (range, kind) in find(&text) {
            prop_assert!(range.start >= end && range.start < range.end);
            prop_assert!(text.get(range.clone()).is_some());
            prop_assert!(kinds().contains(&kind));
            end = range.end;
        }
        prop_assert!(end <= text.len());
    }
}
