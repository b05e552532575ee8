//! An agent that is about to be started.

use crate::state::input::Input;

/// What was typed, and the commands that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewAgent {
    /// The folder, if it is another one than the board's own.
    pub(crate) folder: Option<String>,
    pub(crate) input: Input,
    /// The commands, once they are known for this text.
    pub(crate) commands: Option<Vec<String>>,
}

/// Whether commands are only shown or also run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Go {
    Show,
    Start,
}

/// The arguments of `taffrail` for a text: an agent, `--worktree NAME` where that follows, and a
/// prompt; `None` if there is no agent.
pub(crate) fn arguments(text: &str, folder: Option<&str>) -> Option<Vec<String>> {
    let (agent, rest) = word(text);
    let mut out = vec!["new".to_owned(), "--tmux".to_owned()];
    out.extend(folder.iter().flat_map(|it| ["--in".to_owned(), (*it).to_owned()]));
    let mut prompt = rest;
    if let ("--worktree", rest) = word(rest) {
        let (name, rest) = word(rest);
        out.extend(["--worktree".to_owned(), name.to_owned()]);
        prompt = rest;
    }
    out.extend(["--".to_owned(), agent.to_owned()]);
    out.extend((!prompt.is_empty()).then(|| prompt.to_owned()));
    (!agent.is_empty()).then_some(out)
}

/// The first word of a text, and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_an_agent_and_its_prompt() {
        let check = |text: &str, folder: Option<&str>, expected: Option<&str>| {
            let found = arguments(text, folder).map(|it| it.join("|"));
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("claude", None, Some("new|--tmux|--|claude"));
        check("codex fix the  test", Some("/w"), Some("new|--tmux|--in|/w|--|codex|fix the  test"));
        let tree = "new|--tmux|--worktree|try-it|--|claude|go on";
        check(" claude --worktree try-it go on ", None, Some(tree));
        check("claude --tmux", None, Some("new|--tmux|--|claude|--tmux"));
        check("  ", None, None);
    }
}
