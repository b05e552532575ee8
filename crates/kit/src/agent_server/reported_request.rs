//! An approval request as a server reports it, made into ours.

use super::report::{ASKS, ServerReport};
use super::{OpenRequest, ServerMessage, ServerRequest, ServerState, request_nonce};
use crate::records::{LONGEST_ID, time_ms};
use crate::tool_input::file_in;
use crate::{Request, gist};
use serde_json::Value;
use taffrail_model::approval::input_mark;
use taffrail_model::{AgentId, RuntimeIdentity};

/// What a server says about a request.
#[derive(Debug, Default)]
pub struct ReportedRequest<'a> {
    /// The agent's id in this program.
    pub agent: &'static str,
    /// The agent's id of the session.
    pub session: &'a str,
    /// The server's id of the request.
    pub id: &'a str,
    /// What `answer` needs to name the request.
    pub key: String,
    /// The agent's own id of the call.
    pub call: Option<&'a str>,
    /// The tool, as the agent names it.
    pub tool: &'a str,
    /// Its input, as far as the server shows it.
    pub input: Value,
    /// The shell command, if the tool runs one.
    pub command: Option<String>,
    /// The request in one line, if it is not the command.
    pub text: Option<&'a str>,
    /// The folder it works in.
    pub cwd: Option<&'a str>,
    /// When the agent asked, in milliseconds.
    pub at_ms: Option<u64>,
}

impl ReportedRequest<'_> {
    /// The message about a request that is open and not known yet.
    pub fn into_message(self, state: &mut ServerState) -> Option<ServerMessage> {
        let is_id = |it: &str| !it.is_empty() && it.len() <= LONGEST_ID;
        if !is_id(self.session) || !is_id(self.id) {
            return None;
        }
        let request = self.request();
        let status = self.report(&request).into_payload(state.process)?;
        let at = self.at_ms.and_then(|it| i64::try_from(it).ok()).and_then(time_ms);
        let nonce = request_nonce(&[self.agent, self.session, self.id]);
        let call = self.call.filter(|it| is_id(it)).map(str::to_owned);
        let open = OpenRequest { session: self.session.to_owned(), mark: request.mark.clone() };
        let is_new = state.open_request(self.id, open);
        // The next report of the session is news, whatever the last one was.
        state.is_new_status(self.session, ASKS);
        let message = ServerRequest { key: self.key, nonce, at, call, request, status };
        is_new.then(|| ServerMessage::Request(Box::new(message)))
    }

    fn request(&self) -> Request {
        let raw = serde_json::value::to_raw_value(&self.input).ok();
        let gist = raw.as_deref().map(gist::of).unwrap_or_default();
        let text = format!("{} {}", self.tool, self.text.unwrap_or(&gist));
        Request {
            who: RuntimeIdentity::new(AgentId::new(self.agent), "", self.session),
            tool: self.tool.to_owned(),
            command: self.command.clone(),
            says: self.command.clone().unwrap_or_else(|| text.trim().to_owned()),
            mark: input_mark(self.tool, self.input.clone()),
            project: self.cwd.map(str::to_owned),
            files: raw.and_then(|it| file_in(it.get())).into_iter().collect(),
            input: Some(self.input.clone()),
        }
    }

    fn report<'r>(&'r self, request: &'r Request) -> ServerReport<'r> {
        ServerReport {
            session: Some(self.session.into()),
            status: Some(ASKS.into()),
            event: Some(self.id.into()),
            asks: Some(request.says.as_str().into()),
            mark: Some(request.mark.as_str().into()),
            cwd: self.cwd.map(Into::into),
            at_ms: self.at_ms,
            ..ServerReport::default()
        }
    }
}
