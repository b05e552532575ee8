//! The blocks a message is made of, as Goose writes them in `content_json`.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use std::borrow::Cow;
use taffrail_kit::lenient::{
    Lenient, Raw, Text, filled, joined, lenient, made_of_objects, or_default,
};

/// One block; its type decides which fields are present.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Block<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) r#type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) text: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) thinking: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool_call: Option<Outcome<'a, Call<'a>>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool_result: Option<Outcome<'a, Answer<'a>>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) data: Option<Request<'a>>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) tool_name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) notification_type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) msg: Text<'a>,
}

/// A success with a value, or a failure with an error.
#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "T: Lenient<'de> + Default"))]
pub(super) struct Outcome<'a, T> {
    #[serde(borrow, deserialize_with = "filled")]
    status: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) value: Option<T>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) error: Text<'a>,
}

/// The tool the model wants to use.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
}

/// A tool result.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    content: Vec<Option<Piece<'a>>>,
    #[serde(deserialize_with = "lenient")]
    structured_content: Option<Structured>,
    /// The tool reported a failure.
    #[serde(deserialize_with = "lenient")]
    pub(super) is_error: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Piece<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    text: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Structured {
    #[serde(deserialize_with = "lenient")]
    exit_code: Option<i64>,
}

/// A request to the user: for permission to use a tool, or for an answer.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Request<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) action_type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) tool_name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) message: Text<'a>,
}

made_of_objects! {
    Block<'de>, Outcome<'de, Call<'de>>, Outcome<'de, Answer<'de>>, Call<'de>, Piece<'de>, Structured,
    Request<'de>,
}

impl<'de> Lenient<'de> for Answer<'de> {
    /// Older versions wrote the bare list of pieces.
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        let content = Vec::of_list(list)?.unwrap_or_default();
        Ok(Some(Self { content, ..Self::default() }))
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

impl Answer<'_> {
    /// The texts of all pieces of its content, each on a line of its own.
    pub(super) fn text(&self) -> Text<'_> {
        let texts = self.content.iter().flatten().map(|piece| piece.text.as_deref());
        texts.fold(None, |all, text| joined(all, text.map(Cow::Borrowed)))
    }

    /// The exit code of a command.
    pub(super) fn exit_code(&self) -> Option<i64> {
        self.structured_content.as_ref()?.exit_code
    }
}

impl<T> Outcome<'_, T> {
    /// Whether it failed, given the tool's own report.
    pub(super) fn failed(&self, said: Option<bool>) -> Option<bool> {
        match self.status.as_deref() {
            Some("error") => Some(true),
            _ => said,
        }
    }
}

/// A request for permission to use a tool, which Goose writes in two forms.
pub(super) struct ApprovalRequest<'a> {
    pub(super) id: &'a str,
    pub(super) tool: &'a str,
    pub(super) input: Raw<'a>,
    pub(super) prompt: Option<&'a str>,
}

impl<'a> Block<'a> {
    /// The request in a block or its data.
    pub(super) fn as_request(&'a self) -> ApprovalRequest<'a> {
        ApprovalRequest {
            id: self.id.as_deref().unwrap_or_default(),
            tool: self.tool_name.as_deref().unwrap_or_default(),
            input: self.arguments,
            prompt: self.prompt.as_deref(),
        }
    }

    /// Its own id.
    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    fn is(&self, types: &[&str]) -> bool {
        self.r#type.as_deref().is_some_and(|it| types.contains(&it))
    }

    /// The text of a text block.
    pub(super) fn said(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| self.is(&["text"]))
    }

    /// Whether a person may have written it.
    pub(super) fn is_written(&self) -> bool {
        self.said().is_some() || self.is(&["image"])
    }

    /// Whether something must follow before the turn can end.
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
    /// The request in a block or its data.
    pub(super) fn as_request(&'a self) -> ApprovalRequest<'a> {
        ApprovalRequest {
            id: self.id.as_deref().unwrap_or_default(),
            tool: self.tool_name.as_deref().unwrap_or_default(),
            input: self.arguments,
            prompt: self.prompt.as_deref(),
        }
    }
}
