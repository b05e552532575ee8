//! What can be done with an agent, each with the test that shows it.
//!
//! The tests are made from the same lists as the table: a claim without its test cannot be printed.

use crate::folder_of;
use std::borrow::Cow;
use taffrail_kit::Adapter;

/// What can be done with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Its sessions are read.
    Read,
    /// What it does now is known without its screen, above all that it waits for a person.
    Live,
    /// Its requests are answered.
    Answers,
    /// Its sessions are resumed by their id.
    Resumes,
    /// Its sessions are carried to another machine.
    Carries,
}

impl Level {
    /// Every level, the first one first.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::Live, Self::Answers, Self::Resumes, Self::Carries];

    /// The word in tables and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Live => "live",
            Self::Answers => "answers",
            Self::Resumes => "resumes",
            Self::Carries => "carries",
        }
    }
}

/// Agents that write to disk that they wait for an approval. `maturity::live` replays each: while it asks, and after
/// it was answered.
pub const ASK_ON_DISK: &[&str] = &[
    "cline",
    "continue",
    "copilot-cli",
    "grok-build",
    "junie",
    "kimi-cli",
    "kimi-code",
    "mistral-vibe",
    "openhands",
    "vscode-copilot-chat",
];

/// What the real programs have shown: the agent, the level, and the test that runs the program.
pub const RUN: &[(&str, Level, &str)] = &[
    ("claude-code", Level::Live, "agents::plays::a_person_allows"),
    ("claude-code", Level::Answers, "agents::desk::claude_is_allowed_from_the_desk"),
    ("claude-code", Level::Resumes, "agents::plays::a_session_taken_up_again"),
    (
        "claude-code",
        Level::Carries,
        "agents::carrying::a_session_of_claude_goes_on_at_another_machine_and_comes_back",
    ),
    ("codex", Level::Live, "agents::plays::a_person_allows"),
    (
        "codex",
        Level::Answers,
        "agents::servers::codex_is_answered_through_its_own_server_while_its_dialog_is_open",
    ),
    ("codex", Level::Resumes, "agents::plays::a_session_taken_up_again"),
    (
        "codex",
        Level::Carries,
        "agents::carrying::a_thread_of_codex_goes_on_at_another_machine_and_comes_back",
    ),
    (
        "opencode",
        Level::Live,
        "agents::served::opencode_is_allowed_through_its_own_server_while_its_dialog_is_open",
    ),
    (
        "opencode",
        Level::Answers,
        "agents::served::opencode_is_allowed_through_its_own_server_while_its_dialog_is_open",
    ),
    ("gemini-cli", Level::Live, "agents::others::a_person_allows_another_agent"),
    ("goose", Level::Live, "agents::others::a_turn_of_another_agent"),
    ("copilot-cli", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("gptme", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("grok-build", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("kilo", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("opencode", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("pi", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("qwen-code", Level::Resumes, "agents::headless::a_turn_of_each_is_read"),
    ("kimi-code", Level::Answers, "agents::served::kimi_code_is_answered_through_its_server"),
];

/// What recordings of the real programs have shown: the agent, the level, and the test of `agents` that replays them.
pub const REPLAYED: &[(&str, Level, &str)] = &[
    (
        "copilot-cli",
        Level::Live,
        "copilot_cli::hooks::tests::it_waits_for_an_approval_exactly_while_its_dialog_is_open",
    ),
    (
        "copilot-cli",
        Level::Answers,
        "copilot_cli::approvals::tests::a_request_is_answered_in_the_words_that_the_program_reads",
    ),
    (
        "cline",
        Level::Answers,
        "cline::server::tests::a_request_is_answered_in_the_words_that_the_hub_reads",
    ),
    (
        "qwen-code",
        Level::Live,
        "qwen_code::hooks::tests::it_waits_for_an_approval_exactly_while_its_dialog_is_open",
    ),
    (
        "qwen-code",
        Level::Answers,
        "qwen_code::approvals::tests::a_request_is_answered_in_the_words_that_the_program_reads",
    ),
];

/// The test that shows that an agent reaches a level; `None` if none does.
#[must_use]
pub fn test_of(adapter: &dyn Adapter, level: Level) -> Option<Cow<'static, str>> {
    let id = adapter.descriptor().id;
    let mut shown = RUN.iter().chain(REPLAYED);
    if let Some((_, _, test)) = shown.find(|(agent, it, _)| *agent == id && *it == level) {
        return Some(Cow::Borrowed(test));
    }
    // An agent that a user described is read as far as its file is right: `agents check` is its test.
    let Some(folder) = folder_of(id) else {
        return (level == Level::Read).then_some(Cow::Borrowed("agents check"));
    };
    let is_reached = match level {
        Level::Read => true,
        Level::Live => ASK_ON_DISK.contains(&id),
        Level::Resumes => adapter.start_plan().is_some(),
        Level::Answers | Level::Carries => false,
    };
    is_reached.then(|| {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        Cow::Owned(format!("maturity::{}::{name}", level.as_str()))
    })
}
