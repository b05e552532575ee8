//! Property tests of rules: for any text, and for any change to an allowed command.

use super::{asked, rules};
use proptest::prelude::*;
use taffrail_rules::{Decision, commands_in, decide, plain_commands};

/// Pieces of commands, benign and hostile.
const PIECES: &[&str] = &[
    "git", "push", "cargo", "test", "echo", "sudo", "env", "sh", "-c", "eval", "'", "\"", "$(",
    ")", "(", "`", "${", "}", "{", "<<", "EOF", "\n", ";", "&&", "||", "|", "&", ">", "<", "#",
    "\\", " ", " ", " ", "\t", "=", "%", "~", "*", "!", "A=1", "'a b'", "x", "-", "/bin/", "if",
    "then", "\0", "\u{a0}", "\u{fc}", "$IFS", "$'\\x",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|it| it.concat())
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z0-9_./:,+@-][A-Za-z0-9_./:,+@%=-]{0,8}", "'[ !-&(-\\[\\]-~]{0,8}'"]
}

/// A plain command.
fn plain() -> impl Strategy<Value = String> {
    let command = proptest::collection::vec(word(), 0..5)
        .prop_map(|words| [vec!["cargo".to_owned(), "test".to_owned()], words].concat().join(" "));
    let joint = proptest::sample::select(vec![" && ", " || ", "; ", "&&", "||", ";"]);
    proptest::collection::vec((command, joint), 1..4).prop_map(|all| {
        let last = all.len() - 1;
        let with = |(at, (command, joint)): (usize, (String, &str))| {
            if at == last { command } else { format!("{command}{joint}") }
        };
        all.into_iter().enumerate().map(with).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_to_its_end(text in text()) {
        let verdict = decide(&asked(&text), &rules());
        prop_assert!(verdict.decision != Decision::Allow || plain_commands(&text).is_ok());
    }

    #[test]
    fn both_readings_agree_on_what_is_plain(text in plain()) {
        let plain = plain_commands(&text);
        let found = commands_in(&text);
        prop_assert_eq!(Ok(found.commands), plain);
        prop_assert!(!found.is_cut);
        prop_assert_eq!(decide(&asked(&text), &rules()).decision, Decision::Allow);
    }

    #[test]
    fn a_character_put_in_is_plain_or_is_asked_about(text in plain(), at in 0usize..80, it in any::<char>()) {
        let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(text.len());
        let changed = format!("{}{it}{}", &text[..at], &text[at..]);
        let is_quoted = text[..at].matches('\'').count() % 2 == 1;
        let is_plain = it.is_ascii_alphanumeric() || "_-./:,+@%= ';".contains(it);
        let verdict = decide(&asked(&changed), &rules());
        prop_assert!(is_quoted || is_plain || verdict.decision != Decision::Allow, "{:?}", changed);
        prop_assert!(!it.is_control() || verdict.decision != Decision::Allow, "{:?}", changed);
    }

    #[test]
    fn a_denied_command_is_denied_wherever_it_is_joined(text in plain(), before in any::<bool>()) {
        for joint in [" && ", " || ", "; ", "\n", " | ", " & "] {
            let joined = if before { format!("git push{joint}{text}") } else { format!("{text}{joint}git push") };
            prop_assert_eq!(decide(&asked(&joined), &rules()).decision, Decision::Deny, "{:?}", joined);
        }
    }
}
