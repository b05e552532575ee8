//! What passes, what is answered, and what is left out.

use super::*;
use proptest::prelude::*;
use serde_json::json;

const OPTIONS: &str = r#"[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]"#;

fn asks(id: &str) -> String {
    let call = r#"{"toolCallId":"t1","title":"npm test","kind":"execute","rawInput":{"command":"npm test"},"locations":[{"path":"/w/a"}]}"#;
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{{"sessionId":"s1","toolCall":{call},"options":{OPTIONS}}}}}"#
    ) + "\n"
}

fn answers(id: &str, option: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}}}"#
    ) + "\n"
}

fn ours(id: i64, option: &str) -> String {
    String::from_utf8(answer_line(&RequestId::Number(id), option)).unwrap()
}

fn cancels(id: i64) -> String {
    String::from_utf8(cancel_line(&RequestId::Number(id))).unwrap()
}

/// One thing that happens at a pipe.
#[derive(Debug, Clone)]
enum Input {
    /// The agent wrote.
    Agent(String),
    /// The editor wrote.
    Editor(String),
    /// Taffrail answers the request with this key.
    Answer(u64, Decision),
}

/// What both sides get, and what was learned.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    agent: String,
    editor: String,
    facts: Vec<Fact>,
}

fn run(inputs: &[Input]) -> Outcome {
    let (mut relay, mut out) = (Relay::default(), Outcome::default());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    for input in inputs {
        match input {
            Input::Agent(bytes) => {
                out.facts.extend(relay.agent_wrote(bytes.as_bytes()));
                out.editor.push_str(bytes);
            }
            Input::Editor(bytes) => {
                let (passed, facts) = relay.editor_wrote(bytes.as_bytes());
                out.agent += &text(passed);
                out.facts.extend(facts);
            }
            Input::Answer(key, decision) => relay.answer(*key, decision.clone()),
        }
        let (answers, facts) = relay.for_agent();
        out.agent += &text(answers);
        out.facts.extend(facts);
        out.editor += &text(relay.for_editor());
    }
    out.agent += &text(relay.editor_ended());
    out
}

fn agent(text: impl Into<String>) -> Input {
    Input::Agent(text.into())
}

fn editor(text: impl Into<String>) -> Input {
    Input::Editor(text.into())
}

fn allow(key: u64) -> Input {
    Input::Answer(key, Decision::Allow)
}

fn settled(facts: &[Fact]) -> Vec<(u64, Option<Decision>, SettledBy)> {
    let settled = |it: &Fact| match it {
        Fact::Settled { key, decision, by, .. } => Some((*key, decision.clone(), *by)),
        _ => None,
    };
    facts.iter().filter_map(settled).collect()
}

#[test]
fn the_first_answer_wins_and_the_other_is_left_out() {
    use SettledBy::{Agent, Editor, Taffrail};
    let check = |inputs: &[Input], to_agent: &str, to_editor: &str, ends: &[_]| {
        let got = run(inputs);
        assert_eq!((&*got.agent, &*got.editor), (to_agent, to_editor), "{inputs:?}");
        assert_eq!(settled(&got.facts), ends, "{inputs:?}");
    };
    let (yes, no, next) = (answers("5", "yes"), answers("5", "no"), "{\"id\":9}\n");
    let asked = asks("5") + &cancels(5);
    let (by_us, by_editor) =
        ((0, Some(Decision::Allow), Taffrail), (0, Some(Decision::Deny), Editor));
    // Here first: the editor's answer is left out, once, and what follows passes.
    check(
        &[agent(asks("5")), allow(0), editor(no.clone() + next)],
        &(ours(5, "yes") + next),
        &asked,
        std::slice::from_ref(&by_us),
    );
    let again = [agent(asks("5")), allow(0), editor(no.clone()), editor(no.clone())];
    check(&again, &(ours(5, "yes") + &no), &asked, std::slice::from_ref(&by_us));
    // The last line needs no end to be left out.
    check(
        &[agent(asks("5")), allow(0), editor(no.trim_end())],
        &ours(5, "yes"),
        &asked,
        std::slice::from_ref(&by_us),
    );
    // The editor first.
    check(
        &[agent(asks("5")), editor(no.clone()), allow(0)],
        &no,
        &asks("5"),
        std::slice::from_ref(&by_editor),
    );
    // The editor's answer has begun: ours waits for its end, and loses.
    let (begin, end) = no.split_at(20);
    check(
        &[agent(asks("5")), editor(begin), allow(0), editor(end)],
        &no,
        &asks("5"),
        std::slice::from_ref(&by_editor),
    );
    // Another line has begun: ours waits for its end, and wins.
    check(
        &[agent(asks("5")), editor("{\"id\""), allow(0), editor(":9}\n"), editor(yes)],
        &(next.to_owned() + &ours(5, "yes")),
        &asked,
        std::slice::from_ref(&by_us),
    );
    // The agent is in the middle of a line: the editor hears of it after that line.
    check(
        &[agent(asks("5") + "{\"x\""), allow(0), agent(":1}\n")],
        &ours(5, "yes"),
        &(asks("5") + "{\"x\":1}\n" + &cancels(5)),
        std::slice::from_ref(&by_us),
    );
    // Two answers from here, and one to a request that does not exist.
    let twice = [agent(asks("5")), allow(0), Input::Answer(0, Decision::Deny), allow(7)];
    check(&twice, &ours(5, "yes"), &asked, &[by_us]);
    // Withdrawn by the agent.
    let withdraws = cancels(5);
    check(
        &[agent(asks("5") + &withdraws), allow(0), editor(no.clone())],
        &no,
        &(asks("5") + &withdraws),
        &[(0, None, Agent)],
    );
    // Two requests under one id are left to the editor.
    let twins = [agent(asks("5") + &asks("5")), allow(0), allow(1), editor(no.clone())];
    check(&twins, &no, &(asks("5") + &asks("5")), &[(0, None, Agent)]);
}

#[test]
fn a_request_is_offered_with_what_its_agent_shows() {
    let check = |call: serde_json::Value, options: &str, expected: (&str, Option<&str>, bool)| {
        let line = format!(
            r#"{{"id":"d7","method":"session/request_permission","params":{{"sessionId":"s1","toolCall":{call},"options":{options}}}}}"#
        ) + "\n";
        let facts = run(&[agent(line)]).facts;
        let [Fact::Asked(it)] = &*facts else { panic!("{facts:?}") };
        assert_eq!((it.says(), it.command(), it.is_answerable), expected, "{call}");
    };
    let whole = json!({"toolCallId": "c", "title": "Run", "rawInput": {"command": "npm test"}});
    check(whole.clone(), OPTIONS, ("npm test", Some("npm test"), true));
    check(
        whole,
        r#"[{"optionId":"a","kind":"allow_always"}]"#,
        ("npm test", Some("npm test"), false),
    );
    let shown = json!([{"type": "content", "content": {"type": "text", "text": "rm -rf yy"}}]);
    let named = json!({"toolCallId": "c", "title": "Bash", "content": shown});
    check(named, OPTIONS, ("Bash: rm -rf yy", None, true));
    check(json!({"toolCallId": "c"}), OPTIONS, ("", None, true));
}

#[test]
fn sessions_turns_and_requests_are_facts() {
    let new =
        "{\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\",\"mcpServers\":[]}}\n";
    let prompt = "{\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s1\",\"prompt\":[]}}\n";
    let inputs = [
        editor(new),
        agent("{\"id\":1,\"result\":{\"sessionId\":\"s1\"}}\n"),
        editor(prompt),
        agent(asks("0")),
        editor(answers("0", "yes")),
        agent("{\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}\n"),
    ];
    let session = || "s1".to_owned();
    let expected = [
        Fact::Opened { session: session(), folder: Some("/w".to_owned()) },
        Fact::Prompted { session: session() },
        Fact::Asked(Box::new(Permission {
            key: 0,
            session: session(),
            folder: Some("/w".to_owned()),
            call: "t1".to_owned(),
            kind: "execute".to_owned(),
            title: "npm test".to_owned(),
            input: Some(json!({"command": "npm test"})),
            files: vec!["/w/a".to_owned()],
            is_answerable: true,
        })),
        Fact::Settled {
            key: 0,
            session: session(),
            decision: Some(Decision::Allow),
            by: SettledBy::Editor,
        },
        Fact::TurnOver { session: session(), reason: "end_turn".to_owned() },
    ];
    assert_eq!(run(&inputs).facts, expected);
}

fn any_line() -> impl Strategy<Value = String> {
    let plain = prop::sample::select(vec![
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"id\":2,\"method\":\"x\"}\n",
        "no JSON at all\r\n",
        "\n",
        "{ \"id\" :  7 , \"result\" : 1e3 }\n",
        "{\"method\":\"session/update\",\"params\":{}}\n",
    ]);
    let answer = (0..4_i64).prop_map(|id| answers(&id.to_string(), "no"));
    let ask = (0..4_i64).prop_map(|id| asks(&id.to_string()));
    prop_oneof![plain.prop_map(str::to_owned), answer, ask]
}

#[expect(clippy::string_slice, reason = "the lines are ASCII")]
fn split(text: &str, at: &[usize]) -> Vec<String> {
    let mut cuts: Vec<_> = at.iter().map(|it| it % (text.len() + 1)).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    let pairs = cuts.iter().zip(cuts.iter().skip(1));
    pairs.map(|(from, to)| text[*from..*to].to_owned()).collect()
}

proptest! {
    #[test]
    fn any_split_gives_the_same_bytes(
        lines in prop::collection::vec(any_line(), 0..12),
        ends in any::<bool>(),
        at in prop::collection::vec(any::<usize>(), 0..30),
    ) {
        let mut text = lines.concat();
        if ends {
            text = text.trim_end().to_owned();
        }
        let pieces = split(&text, &at);
        let from_agent: Vec<_> = pieces.iter().cloned().map(Input::Agent).collect();
        let from_editor: Vec<_> = pieces.iter().cloned().map(Input::Editor).collect();
        prop_assert_eq!(&run(&from_agent).editor, &text);
        prop_assert_eq!(&run(&from_editor).agent, &text);
        let whole = run(&[Input::Agent(text.clone()), Input::Editor(text)]);
        let split: Vec<_> = from_agent.into_iter().chain(from_editor).collect();
        prop_assert_eq!(run(&split), whole);
    }

    /// Whatever is answered where and when, the agent gets one answer to each request, every other
    /// line of the editor, and no line inside another.
    #[test]
    fn each_request_gets_one_answer(
        editors in prop::collection::vec((any_line(), any::<usize>()), 0..8),
        ours in prop::collection::vec((0..4_u64, any::<bool>(), any::<usize>()), 0..6),
    ) {
        let requests: String = (0..4).map(|id| asks(&id.to_string())).collect();
        let text: String = editors.iter().map(|(it, _)| it.as_str()).collect();
        let at: Vec<_> = editors.iter().map(|(_, at)| *at).collect();
        let mut inputs: Vec<_> = split(&text, &at).into_iter().map(Input::Editor).collect();
        for (key, allowed, at) in ours {
            let decision = if allowed { Decision::Allow } else { Decision::Deny };
            inputs.insert(at % (inputs.len() + 1), Input::Answer(key, decision));
        }
        inputs.insert(0, Input::Agent(requests));
        let got = run(&inputs);
        let mut lines: Vec<&str> = got.agent.split_inclusive('\n').collect();
        for (key, _, by) in settled(&got.facts) {
            let id = RequestId::Number(i64::try_from(key).unwrap());
            let is_ours = |it: &&str| ["yes", "no"].iter().any(|option| answer_line(&id, option) == it.as_bytes());
            let mine = lines.iter().filter(|it| is_ours(it)).count();
            if by == SettledBy::Taffrail {
                prop_assert!(mine >= 1, "{:?}", got.agent);
                let first = lines.iter().position(is_ours).unwrap();
                lines.remove(first);
            }
        }
        let mut sent: Vec<&str> = text.split_inclusive('\n').collect();
        for line in lines {
            let place = sent.iter().position(|it| *it == line);
            prop_assert!(place.is_some(), "{line:?} was not sent");
            sent.remove(place.unwrap());
        }
        // What is missing are answers that came late.
        for line in sent {
            prop_assert!((0..4).any(|id| answers(&id.to_string(), "no") == line), "{line:?} is missing");
        }
    }
}
