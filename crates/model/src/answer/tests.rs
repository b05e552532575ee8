use super::*;
use Side::{Aside, Input, Model};
use serde::{Deserialize, Serialize};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn an_answer_ends_with_its_last_recorded_part() {
    let check = |events: &[(i64, Side)], answers: &[i64], expected: &[Option<usize>]| {
        let events: Vec<_> = events.iter().map(|(second, side)| (at(*second), *side)).collect();
        let answer = |second: &i64| Answer { at: Some(at(*second)), ..Answer::default() };
        let answers: Vec<_> = answers.iter().map(answer).collect();
        assert_eq!(ends(&events, &answers), expected, "{events:?}");
    };
    check(&[], &[5], &[None]);
    // The usage is recorded with the first of several parts.
    let parts = [(1, Input), (2, Model), (3, Model), (4, Input), (5, Model)];
    check(&parts, &[2, 5], &[Some(2), Some(4)]);
    // With the last part.
    check(&parts, &[3, 5], &[Some(2), Some(4)]);
    // After the answer, and after its call has returned.
    let reported = [(1, Input), (2, Model), (3, Input), (5, Model), (6, Aside)];
    check(&reported, &[4, 7], &[Some(1), Some(3)]);
    // Nothing of the second answer is recorded.
    check(&reported, &[2, 4, 7], &[Some(1), None, Some(3)]);
    check(&[(1, Input)], &[2], &[None]);
    // Answers follow each other without input.
    check(&[(1, Model), (2, Model)], &[1, 2], &[Some(0), Some(1)]);
}

#[test]
fn an_event_without_an_answer_stays_without_one() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerUsage>,
        text: String,
    }
    let tokens = Tokens { input: 1, output: 2, cache_read: 3, cache_write: 4, reasoning: 0 };
    let known = Answer { tokens, cost_microdollars: Some(7), ..Answer::default() };
    let check = |answer: Option<&Answer>, expected: &str| {
        let line = Line { answer: answer.map(AnswerUsage::from), text: "t".to_owned() };
        let json = serde_json::to_string(&line).unwrap();
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Line>(&json).unwrap(), line);
    };
    check(None, r#"{"text":"t"}"#);
    check(
        Some(&Answer::default()),
        r#"{"usage":null,"cost_microdollars":null,"context_tokens":null,"text":"t"}"#,
    );
    check(
        Some(&known),
        "{\"usage\":{\"output_tokens\":2,\"input_tokens\":1,\"cache_read_tokens\":3,\
         \"cache_write_tokens\":4,\"reasoning_tokens\":0},\"cost_microdollars\":7,\
         \"context_tokens\":8,\"text\":\"t\"}",
    );
}
