//! Answers that repeat a call that failed.

use std::collections::HashSet;
use taffrail_model::Kind;
use taffrail_model::answer::Step;
use taffrail_model::hash::Digest16;

/// The calls that failed since the latest prompt and did not succeed after that.
#[derive(Debug, Default)]
pub(super) struct Failed(HashSet<Digest16>);

impl Failed {
    /// Whether one of these events repeats a failed call: the same tool with the same input.
    pub(super) fn take(&mut self, steps: &[Step<'_>]) -> bool {
        let mut is_retry = false;
        for step in steps {
            match (step.kind, step.call) {
                (Kind::UserPrompt, _) => self.0.clear(),
                (Kind::ToolCall, Some(call)) => is_retry |= self.0.contains(&call),
                (Kind::ToolResult, Some(call)) if step.is_failed => {
                    self.0.insert(call);
                }
                (Kind::ToolResult, Some(call)) => {
                    self.0.remove(&call);
                }
                _ => {}
            }
        }
        is_retry
    }
}
