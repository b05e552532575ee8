//! Agents from PyPI.

use super::{Case, Id, Program, Project, RESUME, Tools};
use taffrail_testkit::agents::packages;

/// The agents.
pub(super) const CASES: &[Case] = &[
    Case {
        agent: "gptme",
        program: Program::Python(packages::GPTME),
        files: &[(".config/gptme/config.toml", GPTME)],
        environment: &[("OPENAI_BASE_URL", "{url}/v1"), ("OPENAI_API_KEY", "sk-test-0000")],
        arguments: &[
            RESUME,
            "--non-interactive",
            "--tool-format",
            "tool",
            "--model",
            "local/fake-model",
            "{prompt}",
        ],
        tools: Tools::ShellAndEnd(
            ("shell", r#"{"command": "echo it-ran"}"#),
            ("complete", r#"{"content": ""}"#),
        ),
        model: "local/fake-model",
        project: Project::Unnamed,
        id: Id::File(".local/share/gptme/logs/{id}/conversation.jsonl"),
    },
    Case {
        agent: "mini-swe-agent",
        program: Program::Python(packages::MINI_SWE_AGENT),
        files: &[],
        environment: &[
            ("OPENAI_API_KEY", "sk-test-0000"),
            ("OPENAI_API_BASE", "{url}/v1"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
            ("MSWEA_CONFIGURED", "true"),
            ("MSWEA_COST_TRACKING", "ignore_errors"),
        ],
        arguments: &[
            "--yolo",
            "--exit-immediately",
            "--model",
            "openai/fake-model",
            "--config",
            "mini.yaml",
            "--config",
            "environment.cwd={project}",
            "--task",
            "{prompt}",
        ],
        tools: Tools::ShellAndEnd(
            ("bash", r#"{"command": "echo it-ran"}"#),
            ("bash", r#"{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}"#),
        ),
        model: "openai/fake-model",
        project: Project::Named,
        id: Id::Time(".config/mini-swe-agent/last_mini_run.traj.json"),
    },
    Case {
        agent: "aider",
        program: Program::Python(packages::AIDER),
        files: &[(".claude/projects/app/beside.jsonl", CLAUDE)],
        environment: &[
            ("OPENAI_API_KEY", "sk-test-0000"),
            ("OPENAI_API_BASE", "{url}/v1"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
        ],
        arguments: &[
            "--model",
            "openai/fake-model",
            "--no-show-model-warnings",
            "--no-check-update",
            "--no-show-release-notes",
            "--analytics-disable",
            "--no-pretty",
            "--no-fancy-input",
            "--no-git",
            // An answer in one piece has its tokens.
            "--no-stream",
            "--map-tokens",
            "0",
            "--yes-always",
            "--message",
            "{prompt}",
        ],
        tools: Tools::Nothing,
        model: "openai/fake-model",
        project: Project::Holds,
        id: Id::Time("app/.aider.chat.history.md"),
    },
];

const GPTME: &str = r#"[user]
name = "Dev"
[prompt]
[env]
OPENAI_BASE_URL = "{url}/v1"
OPENAI_API_KEY = "sk-test-0000"
"#;

/// A session in the project, which leads to the history inside it.
const CLAUDE: &str = r#"{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "beside", "cwd": "{project}", "timestamp": "2026-11-18T00:00:00.000Z", "message": {"role": "user", "content": "Look."}}
"#;
