//! What the log says about permissions: the hook that is asked first, the dialog, the decision.

use super::hooks;
use serde_json::Value;
use taffrail_kit::json::{flag, text};
use taffrail_kit::{Speaker, ToolUse};
use taffrail_model::Signal;

/// A hook that may decide a request begins to run. Hooks that overlap are rare: only the last is remembered.
pub(super) fn hook_starts(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let is_asked = text(data, "/hookType") == Some("permissionRequest");
    let mark = data.get("input").filter(|_| is_asked).and_then(hooks::mark_in_log);
    if let (Some(mark), Some(id)) = (mark, text(data, "/hookInvocationId")) {
        speaker.note("hook", &format!("{id} {mark}"));
    }
}

/// Such a hook ended. Its request is over, unless the dialog opens next.
pub(super) fn hook_ends(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let known = speaker.noted("hook").unwrap_or_default();
    if let Some((id, mark)) = known.split_once(' ')
        && text(data, "/hookInvocationId") == Some(id)
    {
        speaker.signalled("hook", settled(mark.to_owned()));
    }
}

/// What the requests and decisions of one dialog have in common for the status.
fn dialog(data: &Value) -> String {
    format!("dialog/{}", text(data, "/requestId").unwrap_or_default())
}

fn settled(input: String) -> Signal {
    Signal::Settled { call: String::new(), input }
}

pub(super) fn requested(data: &Value, speaker: &mut Speaker<'_, '_>) {
    if flag(data, "/resolvedByHook") {
        // Nobody is asked, and the decision that follows does not name the call.
        return speaker.note("by hook", text(data, "/requestId").unwrap_or_default());
    }
    let field = |name: &str| text(data, &format!("/permissionRequest/{name}"));
    let subject = ["fullCommandText", "fileName", "path", "url", "toolTitle", "toolName"];
    speaker.signal(Some(Signal::AskedApproval { input: dialog(data) }));
    speaker.asked(&ToolUse {
        call: field("toolCallId").unwrap_or_default(),
        tool: field("kind").unwrap_or_default(),
        input: None,
        text: subject.into_iter().find_map(field).or(field("intention")),
    });
}

pub(super) fn completed(data: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.noted("by hook").as_deref() != text(data, "/requestId") {
        let call = text(data, "/toolCallId").unwrap_or_default();
        speaker.signal(Some(settled(dialog(data))));
        speaker.decided(call, text(data, "/result/kind").unwrap_or_default());
    }
}
