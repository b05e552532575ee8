//! The server behind one route of HTTP: each message comes alone, and since 2026-07-28 its headers
//! repeat what it says, so that what passes it on need not read it.

use crate::desk::Desk;
use crate::protocol::{Fault, INLINE, Request, Step, VERSIONS, parse, refused, unknown_version};
use serde_json::Value;

/// The header does not say what the message says.
const MISMATCH: i32 = -32020;
/// The method is not one of ours.
const UNKNOWN: i32 = -32601;

/// A message of a client, with the headers that count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Post<'a> {
    /// The message.
    pub body: &'a [u8],
    /// `MCP-Protocol-Version`.
    pub version: Option<&'a str>,
    /// `Mcp-Method`.
    pub method: Option<&'a str>,
    /// `Mcp-Name`.
    pub name: Option<&'a str>,
    /// `User-Agent`, for the log of look-ups if the message names no client.
    pub agent: Option<&'a str>,
}

/// What the client gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostReply {
    /// The status of HTTP.
    pub status: u16,
    /// A document of JSON; `None` for a message that has no answer.
    pub body: Option<String>,
}

impl Desk {
    /// Answers a message.
    #[must_use]
    pub fn post(&self, post: &Post<'_>) -> PostReply {
        let request = match parse(&String::from_utf8_lossy(post.body)) {
            Ok(request) => request,
            Err(fault) => return bad(&Value::Null, fault),
        };
        if let (Some(id), Err(fault)) = (&request.id, post.check(&request)) {
            return bad(id, fault);
        }
        let is_inline = request.version().is_some_and(|it| it >= INLINE);
        match self.connection().with_client(post.client()).answer(request) {
            Step::Silence => PostReply { status: 202, body: None },
            Step::Reply(line) => answer(200, line),
            Step::Refuse(UNKNOWN, line) if is_inline => answer(404, line),
            Step::Refuse(_, line) => answer(200, line),
            Step::Call(call) => answer(200, self.reply(call)),
        }
    }
}

impl Post<'_> {
    /// Checks that the headers say what the message says.
    fn check(&self, request: &Request) -> Result<(), Fault> {
        if let Some(version) = self.version.filter(|it| !VERSIONS.contains(it)) {
            return Err(unknown_version(version));
        }
        if !request.check_version()? {
            return Ok(());
        }
        same("MCP-Protocol-Version", self.version, request.version())?;
        same("Mcp-Method", self.method, Some(&request.method))?;
        match request.method.as_str() {
            "tools/call" => {
                same("Mcp-Name", self.name, request.params.get("name").and_then(Value::as_str))
            }
            _ => Ok(()),
        }
    }

    /// The name of the client's program.
    fn client(&self) -> Option<String> {
        let name = self.agent?.split(['/', ' ']).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    }
}

fn same(header: &str, said: Option<&str>, expected: Option<&str>) -> Result<(), Fault> {
    match said == expected {
        true => Ok(()),
        false => Err((MISMATCH, format!("{header} does not match the message"), Value::Null)),
    }
}

fn bad(id: &Value, fault: Fault) -> PostReply {
    answer(400, refused(id, fault))
}

fn answer(status: u16, body: String) -> PostReply {
    PostReply { status, body: Some(body) }
}

#[cfg(test)]
mod tests;
