//! MCP over lines of JSON: what a message asks, and how it is answered in the words of its era.
//!
//! Until 2025-11-25 a client first sends `initialize`; since 2026-07-28 every request names its
//! version in `_meta`. Seven methods do not need a library with a runtime of its own.

use serde_json::{Map, Value, json};

/// The versions we speak, the latest first.
pub(crate) const VERSIONS: [&str; 5] =
    ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The first version without `initialize`.
pub(crate) const INLINE: &str = "2026-07-28";
/// The latest version with `initialize`.
const LATEST_SESSION: &str = "2025-11-25";

const META: &str = "io.modelcontextprotocol/";
/// The name under which a client says which of its tool calls this is.
const CALL: &str = "claudecode/toolUseId";
const INSTRUCTIONS: &str = "Taffrail remembers what every coding agent on this machine did. Ask it \
    before you work out again what was done, decided or fixed before.";

/// A request of a client.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Request {
    /// The client's number for it; `None` for a notification, which has no answer.
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
    meta: Map<String, Value>,
}

/// What is to be done about a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Send this line.
    Reply(String),
    /// Send this line, which is an error with this code.
    Refuse(i32, String),
    /// Answer this call of a tool.
    Call(ToolCall),
    /// Nothing.
    Silence,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    id: Value,
    is_inline: bool,
    /// The name of the tool.
    pub(crate) name: String,
    /// What is given to it.
    pub(crate) arguments: Map<String, Value>,
    /// The name of the client; `None` if it did not say.
    pub(crate) client: Option<String>,
    /// The client's own id of the call.
    pub(crate) call: Option<String>,
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Our version.
    version: &'static str,
    tools: Value,
    /// The name that the client gave in `initialize`.
    client: Option<String>,
}

/// An error of the protocol: its code, its words and its data.
pub(crate) type Fault = (i32, String, Value);

impl Connection {
    /// A connection that nothing was said on; `tools` are the definitions.
    pub(crate) fn new(version: &'static str, tools: Value) -> Self {
        Self { version, tools, client: None }
    }

    /// The same, with a client that introduced itself elsewhere.
    pub(crate) fn with_client(self, client: Option<String>) -> Self {
        Self { client, ..self }
    }

    /// What follows from a line of the client.
    pub(crate) fn hear(&mut self, line: &str) -> Step {
        match parse(line) {
            Ok(request) => self.answer(request),
            Err(fault) => Step::Refuse(fault.0, refused(&Value::Null, fault)),
        }
    }

    /// What follows from a request.
    pub(crate) fn answer(&mut self, request: Request) -> Step {
        // A notification asks for nothing, and an answer is to a question that we never ask.
        let Some(id) = request.id.clone() else { return Step::Silence };
        if request.method == "tools/call" {
            return match self.call(id.clone(), request) {
                Ok(call) => Step::Call(call),
                Err(fault) => Step::Refuse(fault.0, refused(&id, fault)),
            };
        }
        match self.result(&request) {
            Ok(result) => Step::Reply(replied(&id, &result)),
            Err(fault) => Step::Refuse(fault.0, refused(&id, fault)),
        }
    }

    fn result(&mut self, request: &Request) -> Result<Value, Fault> {
        let is_inline = request.check_version()?;
        match request.method.as_str() {
            "initialize" => Ok(self.initialized(request)),
            "server/discover" => Ok(self.discovered()),
            "ping" if !is_inline => Ok(json!({})),
            "tools/list" if is_inline => Ok(json!({
                "resultType": "complete", "tools": self.tools, "ttlMs": 0, "cacheScope": "private",
            })),
            "tools/list" => Ok(json!({"tools": self.tools})),
            other => Err((-32601, format!("unknown method: {other}"), Value::Null)),
        }
    }

    fn initialized(&mut self, request: &Request) -> Value {
        let wanted = request.params.get("protocolVersion").and_then(Value::as_str);
        let known = VERSIONS.into_iter().find(|it| Some(*it) == wanted && *it != INLINE);
        self.client = name_of(request.params.get("clientInfo"));
        json!({
            "protocolVersion": known.unwrap_or(LATEST_SESSION), "capabilities": {"tools": {}},
            "serverInfo": self.us(), "instructions": INSTRUCTIONS,
        })
    }

    fn discovered(&self) -> Value {
        json!({
            "resultType": "complete", "supportedVersions": VERSIONS, "capabilities": {"tools": {}},
            "instructions": INSTRUCTIONS, "ttlMs": 0, "cacheScope": "private",
            "serverInfo": self.us(), "_meta": {format!("{META}serverInfo"): self.us()},
        })
    }

    fn us(&self) -> Value {
        json!({"name": "taffrail", "version": self.version})
    }

    fn call(&self, id: Value, mut request: Request) -> Result<ToolCall, Fault> {
        let is_inline = request.check_version()?;
        let Some(Value::String(name)) = request.params.remove("name") else {
            return Err((-32602, "the name of the tool is missing".to_owned(), Value::Null));
        };
        let arguments = match request.params.remove("arguments") {
            Some(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let client = name_of(request.meta.get(&format!("{META}clientInfo")));
        let client = client.or_else(|| self.client.clone());
        let call = request.meta.get(CALL).and_then(Value::as_str).map(str::to_owned);
        Ok(ToolCall { id, is_inline, name, arguments, client, call })
    }
}

impl Request {
    /// The version that the request names.
    pub(crate) fn version(&self) -> Option<&str> {
        self.meta.get(&format!("{META}protocolVersion")).and_then(Value::as_str)
    }

    /// Whether the request is of the era without `initialize`.
    pub(crate) fn check_version(&self) -> Result<bool, Fault> {
        let version = self.version();
        let is_inline = version.is_some_and(|it| it >= INLINE) || self.method == "server/discover";
        if let Some(requested) = version.filter(|it| !VERSIONS.contains(it)) {
            return Err(unknown_version(requested));
        }
        let key = format!("{META}clientCapabilities");
        if is_inline && (version.is_none() || !self.meta.get(&key).is_some_and(Value::is_object)) {
            let text = format!("_meta needs {META}protocolVersion and {key}");
            return Err((-32602, text, Value::Null));
        }
        Ok(is_inline)
    }
}

impl ToolCall {
    /// The answer: a text, or why there is none in words for the agent.
    pub(crate) fn answered(&self, answer: Result<String, String>) -> String {
        let is_error = answer.is_err();
        let text = answer.unwrap_or_else(|it| it);
        let mut result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        if let (true, Some(fields)) = (self.is_inline, result.as_object_mut()) {
            fields.insert("resultType".to_owned(), json!("complete"));
        }
        replied(&self.id, &result)
    }

    /// The answer for a tool that we do not have.
    pub(crate) fn unknown(&self) -> String {
        refused(&self.id, (-32602, "unknown tool".to_owned(), Value::Null))
    }
}

/// The error for a version that we do not speak.
pub(crate) fn unknown_version(requested: &str) -> Fault {
    let data = json!({"requested": requested, "supported": VERSIONS});
    (-32022, "Unsupported protocol version".to_owned(), data)
}

pub(crate) fn parse(line: &str) -> Result<Request, Fault> {
    let fault = |code, text: &str| (code, text.to_owned(), Value::Null);
    let message: Value = serde_json::from_str(line).map_err(|_| fault(-32700, "not JSON"))?;
    let Value::Object(mut message) = message else { return Err(fault(-32600, "not a message")) };
    let object = |it: Option<Value>| match it {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let id = message.remove("id").filter(|it| it.is_string() || it.is_number());
    let Some(Value::String(method)) = message.remove("method") else {
        // The answer to a question: we ask none.
        return Ok(Request::default());
    };
    let mut params = object(message.remove("params"));
    let meta = object(params.remove("_meta"));
    Ok(Request { id, method, params, meta })
}

fn name_of(client: Option<&Value>) -> Option<String> {
    Some(client?.get("name")?.as_str()?.to_owned())
}

fn replied(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

pub(crate) fn refused(id: &Value, (code, message, data): Fault) -> String {
    let mut error = json!({"code": code, "message": message});
    if let (false, Some(fields)) = (data.is_null(), error.as_object_mut()) {
        fields.insert("data".to_owned(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

#[cfg(test)]
mod tests;
