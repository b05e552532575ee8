//! What a person types and sees, per agent.

use taffrail_testkit::agents::Agent;

/// Arguments of every start: the agent asks a person before it changes anything.
pub(crate) fn usual(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Claude => &["--permission-mode", "default"],
        // Only a person can trust hooks; on a machine of our own we may bypass that.
        Agent::Codex => &["-a", "on-request", "-s", "read-only", "--dangerously-bypass-hook-trust"],
        Agent::Gemini => &["-m", "gemini-2.5-pro"],
        Agent::Goose => &["session"],
    }
}

/// The program that a person starts.
pub(crate) fn program(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "claude",
        Agent::Codex => "codex",
        Agent::Gemini => "gemini",
        Agent::Goose => "goose",
    }
}

/// The text on the screen when a prompt can be typed.
pub(crate) fn ready(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "manual mode on",
        Agent::Codex => "Ask Codex to do anything",
        Agent::Gemini => "Type your message",
        Agent::Goose => "Enter to send",
    }
}

/// The text on the screen while a person is asked to allow a command.
pub(crate) fn dialog(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Do you want to proceed?",
        Agent::Codex => "Would you like to run the following command?",
        Agent::Gemini => "Allow execution of",
        // An answered dialog has another mark.
        Agent::Goose => "◆  Goose would like to call",
    }
}

/// The key that allows it.
pub(crate) fn allow(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Enter",
        Agent::Codex => "y",
        Agent::Gemini => "1",
        Agent::Goose => "Enter",
    }
}

/// The text on the screen after a turn was interrupted.
pub(crate) fn broken_off(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Interrupted",
        Agent::Codex => "Conversation interrupted",
        Agent::Gemini => "Request cancelled.",
        Agent::Goose => "Interrupted, what should goose",
    }
}

/// The key that interrupts a turn.
pub(crate) fn interrupt(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude | Agent::Codex | Agent::Gemini => "Escape",
        Agent::Goose => "C-c",
    }
}

/// The input that quits the agent.
pub(crate) fn quit(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "/exit",
        Agent::Codex => "/quit",
        Agent::Gemini => "/quit",
        Agent::Goose => "/exit",
    }
}

/// The arguments that resume a session.
pub(crate) fn resume(agent: Agent, id: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["--resume", id],
        Agent::Codex => vec!["resume", id],
        Agent::Gemini => vec!["--resume", id],
        Agent::Goose => vec!["session", "--resume", "--session-id", id],
    }
}

/// The arguments that fork a session.
pub(crate) fn fork(agent: Agent, id: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["--resume", id, "--fork-session"],
        Agent::Codex => vec!["fork", id],
        Agent::Gemini | Agent::Goose => panic!("{agent:?} has no fork"),
    }
}

/// The arguments that run one prompt and exit.
pub(crate) fn print(agent: Agent, prompt: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["-p", prompt],
        Agent::Codex => {
            vec!["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt]
        }
        Agent::Gemini => vec!["-p", prompt],
        Agent::Goose => vec!["run", "-t", prompt],
    }
}

/// The file with a person's own hooks.
pub(crate) fn hooks_file(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
        Agent::Gemini => ".gemini/settings.json",
        Agent::Goose => ".agents/plugins/taffrail/hooks/hooks.json",
    }
}
