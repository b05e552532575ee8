//! What a tool's input asks a person, and which file it names.

use crate::lenient::{self, Text, filled, lenient, made_of_objects};
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_model::text::cut;

/// The most answers of a question that are kept.
const OPTIONS: usize = 16;
/// The longest answer, in bytes.
const LONGEST_LABEL: usize = 200;

/// The fields of a tool's input that are shown whole.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    file_path: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    path: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    plan: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    question: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    questions: Option<Vec<Option<Question<'a>>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Question<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    question: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    options: Option<Vec<Option<Choice<'a>>>>,
}

/// An offered answer.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    label: Text<'a>,
}

made_of_objects! {
    Input<'de>, Question<'de>, Choice<'de>
}

/// The file that a tool's input names.
pub fn file_in(input: &str) -> Option<String> {
    let input: Input<'_> = lenient::value_in(input)?;
    input.file_path.or(input.path).map(Cow::into_owned)
}

/// The first question in a tool's input, or the plan it asks about.
pub fn question_in(input: &str) -> Option<String> {
    let input: Input<'_> = lenient::value_in(input)?;
    let first = input.questions.into_iter().flatten().flatten().find_map(|it| it.question);
    first.or(input.question).or(input.plan).map(Cow::into_owned)
}

/// The answers that the first question in a tool's input offers.
pub fn options_in(input: &str) -> Vec<String> {
    let input: Option<Input<'_>> = lenient::value_in(input);
    let questions = input.and_then(|it| it.questions).into_iter().flatten().flatten();
    let first = questions.filter(|it| it.question.is_some()).find_map(|it| it.options);
    let labels = first.into_iter().flatten().flatten().filter_map(|it| it.label);
    labels.take(OPTIONS).map(|it| cut(&it, LONGEST_LABEL).to_owned()).collect()
}
