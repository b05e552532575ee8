//! Record types that the reader knows and skips on purpose.

/// Bookkeeping that may be very long and always begins with its type.
const BULKY: &[&[u8]] = &[br#"{"type":"api-request"#, br#"{"type":"file-history-snapshot""#];

/// Whether the line is bookkeeping, by its first bytes alone.
pub(super) fn is_bulky_bookkeeping(line: &[u8]) -> bool {
    BULKY.iter().any(|beginning| line.starts_with(beginning))
}

/// Whether records of this type carry nothing about the session.
pub(super) fn is_silent_type(kind: &str) -> bool {
    matches!(
        kind,
        "agent-color"
            | "agent-name"
            | "agent-setting"
            | "api-request"
            | "api-request-blob"
            | "api-request-shape"
            | "atis-latch"
            | "attribution-snapshot"
            | "content-replacement"
            | "file-history-snapshot"
            | "last-prompt"
            | "marble-origami-commit"
            | "marble-origami-snapshot"
            | "mode"
            | "permission-mode"
            | "pr-link"
            | "progress"
            | "queue-operation"
            | "speculation-accept"
            | "tag"
            | "task-summary"
            | "tools-used"
            | "worktree-state"
    )
}

/// Whether system records of this subtype are skipped.
pub(super) fn is_silent_subtype(subtype: &str) -> bool {
    matches!(
        subtype,
        "agents_killed"
            | "api_metrics"
            | "bridge_status"
            | "file_snapshot"
            | "microcompact_boundary"
            | "permission_retry"
            | "snip_boundary"
            | "snip_marker"
            | "stop_hook_summary"
            | "thinking"
    )
}

/// Whether an attachment of this type is context for the model and not part of the conversation.
pub(super) fn is_context(kind: &str) -> bool {
    CONTEXT.binary_search(&kind).is_ok()
}

/// Sorted, for binary search.
const CONTEXT: &[&str] = &[
    "agent_listing_delta",
    "agent_mention",
    "already_read_file",
    "async_hook_response",
    "auto_mode",
    "auto_mode_exit",
    "bagel_console",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "compaction_reminder",
    "companion_intro",
    "context_budget_warning",
    "context_efficiency",
    "critical_system_reminder",
    "current_session_memory",
    "date",
    "date_change",
    "deferred_tools_delta",
    "diagnostics",
    "directory",
    "dynamic_skill",
    "edited_image_file",
    "edited_text_file",
    "environment",
    "file",
    "hook_additional_context",
    "hook_blocking_error",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_stopped_continuation",
    "hook_success",
    "hook_system_message",
    "instructions",
    "invoked_skills",
    "max_turns_reached",
    "mcp_instructions_delta",
    "mcp_resource",
    "model",
    "nested_memory",
    "opened_file_in_ide",
    "output_style",
    "output_token_usage",
    "pdf_reference",
    "plan_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "prompt_snapshot",
    "relevant_memories",
    "remote_session_change",
    "selected_lines_in_ide",
    "session_context",
    "skill_discovery",
    "skill_listing",
    "structured_output",
    "task_reminder",
    "task_status",
    "team_context",
    "teammate_mailbox",
    "teammate_shutdown_batch",
    "todo",
    "todo_reminder",
    "token_usage",
    "ultramemory",
    "ultrathink_effort",
    "verify_plan_reminder",
    "workflow_reminder",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_can_be_searched() {
        assert!(CONTEXT.is_sorted());
        assert!(is_context("prompt_snapshot") && !is_context("queued_command"));
    }
}
