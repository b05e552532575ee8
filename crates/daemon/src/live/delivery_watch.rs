//! Passes changes of sessions to message delivery.

use crate::delivery::Delivery;
use taffrail_api::EventLine;
use taffrail_context::Error;
use taffrail_model::{Kind, Origin, Signal};
use taffrail_query::SessionChange;
use taffrail_store::EventRow;

/// Passes prompts that a session's agent took to delivery, if it waits for any.
pub(super) fn watch_delivery(delivery: &Delivery, change: &SessionChange<'_>) -> Result<(), Error> {
    let session = change.row().id;
    if !delivery.has(session) {
        return Ok(());
    }
    for (at, _) in change.events().iter().enumerate().filter(|(_, it)| is_prompt(it)) {
        if let Some(EventLine::Event(event)) = change.line(at) {
            let text = event.text.unwrap_or_default();
            delivery.picked_up(session, (event.id, &text))?;
        }
    }
    Ok(())
}

fn is_prompt(event: &EventRow) -> bool {
    match event.origin {
        // The hook's own event, not the prompt that it carries beside it.
        Origin::Hook => event.signal == Some(Signal::Prompted),
        _ => event.kind == Kind::UserPrompt,
    }
}
