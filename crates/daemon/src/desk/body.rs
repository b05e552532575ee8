//! A request, as the desk is told of it.

use taffrail_adapters::Request;
use taffrail_api::DeskBody;
use taffrail_model::Timestamp;

/// The longest command that is told; rules believe no longer one.
const COMMAND: usize = 64 * 1024 + 1;

/// What the desk is told of a request of this name and time, with somebody at the agent.
pub(crate) fn body_of(request: Request, nonce: &str, asked_at: Timestamp) -> DeskBody {
    DeskBody {
        nonce: nonce.to_owned(),
        asked_at,
        agent: request.who.agent.as_str().to_owned(),
        session: request.who.id.as_str().to_owned(),
        scope: request.who.scope,
        tool: request.tool,
        command: request.command.map(|it| cut(it, COMMAND)),
        says: cut(request.says, COMMAND),
        input_hash: request.mark,
        project: request.project,
        files: request.files,
        unattended: false,
    }
}

fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}
