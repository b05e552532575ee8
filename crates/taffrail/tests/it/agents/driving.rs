//! What a person types and sees, agent by agent.

use taffrail_testkit::agents::Agent;

/// Arguments of every start: a person is asked before anything is changed.
pub(crate) fn usual(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Claude => &["--permission-mode", "default"],
        // Trust in hooks is a person's to give; on a machine of our own we may pass it over.
        Agent::Codex => &["-a", "on-request", "-s", "read-only", "--dangerously-bypass-hook-trust"],
    }
}

/// What a person types to start it.
pub(crate) fn program(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "claude",
        Agent::Codex => "codex",
    }
}

/// What stands on the screen when a prompt can be typed.
pub(crate) fn ready(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "manual mode on",
        Agent::Codex => "Ask Codex to do anything",
    }
}

/// What stands on the screen while a person is asked to allow a command.
pub(crate) fn dialog(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Do you want to proceed?",
        Agent::Codex => "Would you like to run the following command?",
    }
}

/// The key that allows it.
pub(crate) fn allow(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Enter",
        Agent::Codex => "y",
    }
}

/// What stands on the screen once a turn was broken off.
pub(crate) fn broken_off(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Interrupted",
        Agent::Codex => "Conversation interrupted",
    }
}

/// Leaves the agent.
pub(crate) fn quit(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "/exit",
        Agent::Codex => "/quit",
    }
}

/// Takes a session up again.
pub(crate) fn resume(agent: Agent, id: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["--resume", id],
        Agent::Codex => vec!["resume", id],
    }
}

/// Begins another session from where one stands.
pub(crate) fn fork(agent: Agent, id: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["--resume", id, "--fork-session"],
        Agent::Codex => vec!["fork", id],
    }
}

/// Runs one prompt and ends.
pub(crate) fn print(agent: Agent, prompt: &str) -> Vec<&str> {
    match agent {
        Agent::Claude => vec!["-p", prompt],
        Agent::Codex => {
            vec!["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt]
        }
    }
}

/// The file a person's own hooks stand in.
pub(crate) fn hooks_file(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
    }
}
