//! The blocks a message is made of, as Goose writes them in `content_json`.

use super::row::Lenient;
use serde::Deserialize;
use serde_json::value::RawValue;

/// One block: the type says which of the fields are there.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Block<'a> {
    pub(super) r#type: Lenient<String>,
    pub(super) text: Lenient<String>,
    pub(super) thinking: Lenient<String>,
    pub(super) id: Lenient<String>,
    #[serde(borrow)]
    pub(super) tool_call: Lenient<Outcome<Call<'a>>>,
    pub(super) tool_result: Lenient<Outcome<Answer>>,
    #[serde(borrow)]
    pub(super) data: Lenient<Request<'a>>,
    pub(super) tool_name: Lenient<String>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) prompt: Lenient<String>,
    pub(super) notification_type: Lenient<String>,
    pub(super) msg: Lenient<String>,
}

/// Something that went well and has a value, or did not and has an error.
#[derive(Deserialize)]
pub(super) struct Outcome<T> {
    #[serde(default)]
    status: Lenient<String>,
    #[serde(default = "Lenient::default")]
    pub(super) value: Lenient<T>,
    #[serde(default)]
    pub(super) error: Lenient<String>,
}

/// The tool the model wants to use.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Call<'a> {
    pub(super) name: Lenient<String>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// What the tool answered.
#[derive(Default)]
pub(super) struct Answer {
    /// The texts of all pieces of its content.
    pub(super) text: String,
    /// The tool said that it failed.
    pub(super) is_error: Option<bool>,
    /// The exit code of a command.
    pub(super) exit_code: Option<i64>,
}

/// What is asked of the person: leave to use a tool, or an answer.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Request<'a> {
    pub(super) action_type: Lenient<String>,
    pub(super) id: Lenient<String>,
    pub(super) tool_name: Lenient<String>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) prompt: Lenient<String>,
    pub(super) message: Lenient<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct RawAnswer {
    content: Lenient<Vec<Lenient<Piece>>>,
    structured_content: Lenient<Structured>,
    is_error: Lenient<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Structured {
    exit_code: Lenient<i64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Piece {
    text: Lenient<String>,
}

impl<'de> Deserialize<'de> for Answer {
    /// Versions of old wrote the list of pieces without anything around it.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        let answer = match serde_json::from_str(json) {
            Ok(pieces) => RawAnswer { content: Lenient(Some(pieces)), ..RawAnswer::default() },
            Err(_) => serde_json::from_str(json).unwrap_or_default(),
        };
        Ok(answer.into())
    }
}

impl From<RawAnswer> for Answer {
    fn from(raw: RawAnswer) -> Self {
        let pieces = raw.content.0.iter().flatten();
        let pieces = pieces.filter_map(|piece| piece.0.as_ref());
        let texts: Vec<_> = pieces.filter_map(|piece| piece.text.text()).collect();
        Self {
            text: texts.join("\n"),
            is_error: raw.is_error.0,
            exit_code: raw.structured_content.0.and_then(|it| it.exit_code.0),
        }
    }
}

impl<T> Outcome<T> {
    /// Whether it failed, given what the tool itself said.
    pub(super) fn failed(&self, said: Option<bool>) -> Option<bool> {
        match self.status.text() {
            Some("error") => Some(true),
            _ => said,
        }
    }
}

/// A request for leave to use a tool, which Goose writes in two ways.
pub(super) struct Asked<'a> {
    pub(super) id: &'a str,
    pub(super) tool: &'a str,
    pub(super) input: Option<&'a RawValue>,
    pub(super) prompt: Option<&'a str>,
}

impl<'a> Block<'a> {
    /// The request a block or its data holds.
    pub(super) fn as_request(&'a self) -> Asked<'a> {
        Asked {
            id: self.id.text().unwrap_or_default(),
            tool: self.tool_name.text().unwrap_or_default(),
            input: self.arguments,
            prompt: self.prompt.text(),
        }
    }

    fn is(&self, types: &[&str]) -> bool {
        self.r#type.text().is_some_and(|it| types.contains(&it))
    }

    /// The text of a text block.
    pub(super) fn said(&self) -> Option<&str> {
        self.text.text().filter(|_| self.is(&["text"]))
    }

    /// A person may have written it.
    pub(super) fn is_written(&self) -> bool {
        self.said().is_some() || self.is(&["image"])
    }

    /// Something must follow before the turn can end.
    pub(super) fn goes_on(&self) -> bool {
        self.is(&[
            "toolRequest",
            "frontendToolRequest",
            "toolConfirmationRequest",
            "actionRequired",
        ])
    }
}

impl<'a> Request<'a> {
    /// The request a block or its data holds.
    pub(super) fn as_request(&'a self) -> Asked<'a> {
        Asked {
            id: self.id.text().unwrap_or_default(),
            tool: self.tool_name.text().unwrap_or_default(),
            input: self.arguments,
            prompt: self.prompt.text(),
        }
    }
}
