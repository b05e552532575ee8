use super::*;
use crate::observed::NewUsage;
use crate::{
    AgentId, Confidence, Facts, Imported, Kind, Origin, Timestamp, Title, TitleRank, Tokens, TurnId,
};
use proptest::prelude::*;
use serde_json::json;

fn who(id: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new("toy"), "here", id)
}

fn event(text: Option<String>, words: &[String], bits: u8) -> RelayedEvent {
    let word = |at: usize| words.get(at).cloned();
    RelayedEvent {
        id: EventId::from_bytes([bits; 16]),
        kind: Kind::from(word(0).unwrap_or_default().as_str()),
        part: u32::from(bits % 3),
        at: Timestamp::from_microsecond(1_700_000_000_000_000 + i64::from(bits)).unwrap(),
        turn: (bits & 1 > 0).then(|| TurnId::from_bytes([bits; 16])),
        opens: bits & 2 > 0,
        ends: bits & 4 > 0,
        failed: bits & 8 > 0,
        parent: (bits & 16 > 0).then(|| EventId::from_bytes([1; 16])),
        label: word(1),
        signal: word(2),
        confidence: Confidence::from(word(3).unwrap_or_else(|| "high".into()).as_str()),
        origin: Origin::from(word(4).unwrap_or_else(|| "transcript".into()).as_str()),
        source_event_id: word(5),
        detail: words.iter().map(|it| (it.clone(), json!({"x": it}))).collect(),
        kept: bits & 32 > 0,
        text,
    }
}

fn facts(words: &[String], number: i64) -> RelayedFacts {
    let word = |at: usize| words.get(at).cloned();
    let at = Timestamp::from_second(number).unwrap();
    RelayedFacts::of(&Facts {
        title: word(0).map(|text| Title { rank: TitleRank::Given, text }),
        project_path: word(1),
        git_branch: word(2),
        model: word(3),
        agent_version: word(4),
        slug: None,
        entrypoint: word(5),
        started_at: (number % 2 == 0).then_some(at),
        cost_microdollars: (number % 3 == 0).then_some(number),
        parent: word(0).map(|it| who(&it)),
        forked_from: word(1).map(|it| who(&it)),
        handed_from: word(2).map(|it| who(&it).session()),
        first_record: word(3).map(|_| [7; 16]),
        uncopied_since: word(4).map(|_| at),
        imported: word(5).map(|it| Imported { status: Some(it), progress: Some(1.into()) }),
        process: None,
        base: None,
    })
}

fn says() -> impl Strategy<Value = Says> {
    let words = || prop::collection::vec(".{0,8}", 0..7);
    let of_event = (prop::option::of(".{0,40}"), words(), any::<u8>());
    let of_usage = (any::<[u8; 16]>(), prop::option::of(".{0,8}"), any::<[u32; 5]>());
    prop_oneof![
        (".{1,8}", words(), 0i64..1_000)
            .prop_map(|(id, words, n)| Says::Facts(who(&id), Box::new(facts(&words, n)))),
        (".{1,8}", of_event).prop_map(|(id, (text, words, bits))| {
            Says::Event(who(&id), Box::new(event(text, &words, bits)))
        }),
        (".{1,8}", of_usage).prop_map(|(id, (key, model, n))| {
            let [input, output, cache_read, cache_write, reasoning] = n.map(u64::from);
            let tokens = Tokens { input, output, cache_read, cache_write, reasoning };
            let (cache_write_1h, cost_microdollars) = (cache_write / 2, None);
            let usage =
                NewUsage { key, at: None, model, tokens, cache_write_1h, cost_microdollars };
            Says::Usage(who(&id), Box::new(RelayedUsage::of(&usage)))
        }),
        (".{1,8}", any::<[u8; 16]>())
            .prop_map(|(id, event)| Says::Removed(who(&id), EventId::from_bytes(event))),
        Just(Says::Gone),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(number in any::<u64>(), says in says()) {
        let relayed = Relayed { number, says };
        let line = relayed.write();
        prop_assert!(!line.chars().any(|it| it < ' '), "{line}");
        prop_assert_eq!(Relayed::read(line.as_bytes()), Some(relayed));
    }

    #[test]
    fn a_cut_line_is_silence(says in says(), cut in 0usize..400) {
        let line = Relayed { number: 3, says }.write();
        let end = cut.min(line.len() - 1);
        prop_assert_eq!(Relayed::read(&line.as_bytes()[..end]), None);
    }
}

#[test]
fn what_this_version_does_not_know_is_silence() {
    let whole = Relayed { number: 1, says: Says::Removed(who("a"), EventId::from_bytes([2; 16])) };
    let value: serde_json::Value = serde_json::from_str(&whole.write()).unwrap();
    let check = |field: &str, new: serde_json::Value, expected: Option<&Relayed>| {
        let mut value = value.clone();
        value[field] = new;
        assert_eq!(Relayed::read(value.to_string().as_bytes()).as_ref(), expected, "{value}");
    };
    check("tomorrow", json!({"x": 1}), Some(&whole));
    check("v", json!(2), None);
    check("n", json!(-1), None);
    check("gone", json!(true), None);
    check("removed", json!(null), None);
    check("removed", json!("zz"), None);
    check("who", json!({"agent": "toy"}), None);
    for torn in ["", "{}", "[]", "null", r#"{"v":1,"n":1}"#, r#"{"v":1,"n":1,"gone":false}"#] {
        assert_eq!(Relayed::read(torn.as_bytes()), None, "{torn}");
    }
}

#[test]
fn a_session_is_computed_and_never_believed() {
    let line = Relayed { number: 1, says: Says::Facts(who("a"), Box::default()) }.write();
    let forged = line.replace(r#""id":"a""#, r#""id":"a","session":"0""#);
    let read = Relayed::read(forged.as_bytes()).unwrap();
    assert_eq!(read.says.who().unwrap().session(), who("a").session());
}
