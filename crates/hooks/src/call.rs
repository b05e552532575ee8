//! The entry in an agent's settings: one call of our own program.

use std::path::Path;
use taffrail_adapters::HookCall;

/// The file name of our program.
const PROGRAM: &str = "taffrail";
/// The argument that makes our program a hook.
const WORD: &str = "hook";

/// A call of our program by an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The absolute path of the program.
    pub(crate) program: String,
    /// The agent that calls.
    pub(crate) agent: String,
    /// As an argument list, or as a shell command line.
    pub(crate) form: HookCall,
    /// The agent's timeout, in the unit of its settings.
    pub(crate) timeout: Option<u64>,
}

impl Call {
    /// The arguments.
    pub(crate) fn arguments(&self) -> [&str; 2] {
        [WORD, &self.agent]
    }

    /// The program alone, or the whole shell command line.
    pub(crate) fn command(&self) -> String {
        match self.form {
            HookCall::Arguments => self.program.clone(),
            HookCall::ShellLine => format!("{} {WORD} {}", quoted(&self.program), self.agent),
        }
    }
}

/// Identifies our own calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ours<'a> {
    /// The agent whose settings these are.
    pub(crate) agent: &'a str,
    /// The current path of our program.
    pub(crate) program: &'a str,
    /// The path it had when the hooks were installed.
    pub(crate) before: Option<&'a str>,
}

impl Ours<'_> {
    /// Parses a command, if it is one of our calls.
    pub(crate) fn recognised(
        &self,
        command: &str,
        arguments: Option<&[String]>,
        timeout: Option<u64>,
    ) -> Option<Call> {
        let (program, form) = match arguments {
            Some([word, agent]) if word == WORD && agent == self.agent => {
                (command.to_owned(), HookCall::Arguments)
            }
            Some(_) => return None,
            None => {
                let rest = command.strip_suffix(self.agent)?.strip_suffix(' ')?;
                let program = unquoted(rest.strip_suffix(WORD)?.strip_suffix(' ')?)?;
                (program, HookCall::ShellLine)
            }
        };
        let is_known = program == self.program || Some(program.as_str()) == self.before;
        let is_named = Path::new(&program).file_name().is_some_and(|name| name == PROGRAM);
        let agent = self.agent.to_owned();
        (is_known || is_named).then_some(Call { program, agent, form, timeout })
    }
}

/// Quotes a path as one shell word, if it needs quotes.
pub(crate) fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    if !path.is_empty() && path.chars().all(is_plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Unquotes a shell word, if it is quoted as we do it.
fn unquoted(word: &str) -> Option<String> {
    let inside = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let path = inside.map_or_else(|| word.to_owned(), |inside| inside.replace(r"'\''", "'"));
    (quoted(&path) == word).then_some(path)
}

/// Whether a path may be written into an agent's settings. In a shell command line a backslash
/// means different things to different shells, and a control character is not allowed in either
/// form.
pub(crate) fn is_writable(program: &str, form: HookCall) -> bool {
    let has_backslash = program.contains('\\') && form == HookCall::ShellLine;
    program.starts_with('/') && !program.contains(char::is_control) && !has_backslash
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    fn line(program: &str) -> Call {
        let (program, agent) = (program.to_owned(), "codex".to_owned());
        Call { program, agent, form: HookCall::ShellLine, timeout: Some(2) }
    }

    const OURS: Ours<'_> = Ours { agent: "codex", program: "/opt/t", before: Some("/old/t") };

    #[test]
    fn ours_are_told_from_others() {
        let check = |command: &str, arguments: Option<&[&str]>, expected: Option<&str>| {
            let arguments: Option<Vec<_>> =
                arguments.map(|it| it.iter().map(|word| (*word).to_owned()).collect());
            let got = OURS.recognised(command, arguments.as_deref(), None);
            assert_eq!(got.map(|it| it.program).as_deref(), expected, "{command}");
        };
        check("/usr/bin/taffrail", Some(&["hook", "codex"]), Some("/usr/bin/taffrail"));
        check("/opt/t", Some(&["hook", "codex"]), Some("/opt/t"));
        check("/old/t", Some(&["hook", "codex"]), Some("/old/t"));
        check("/opt/other", Some(&["hook", "codex"]), None);
        check("/usr/bin/taffrail", Some(&["hook", "pi"]), None);
        check("/usr/bin/taffrail", Some(&["hook", "codex", "x"]), None);
        check("/usr/bin/taffrail", Some(&[]), None);
        check("/usr/bin/taffrail hook codex", None, Some("/usr/bin/taffrail"));
        check("'/a b/taffrail' hook codex", None, Some("/a b/taffrail"));
        check(r"'/it'\''s/taffrail' hook codex", None, Some("/it's/taffrail"));
        check("/a b/taffrail hook codex", None, None);
        check("/usr/bin/taffrail hook codex; rm -r /", None, None);
        check("rm -r /; /usr/bin/taffrail hook codex", None, None);
        check("x=1 /usr/bin/taffrail hook codex", None, None);
        check("say hook codex", None, None);
        check("hook codex", None, None);
    }

    #[test]
    fn some_paths_are_not_written() {
        let check = |path: &str, arguments: bool, shell: bool| {
            let got = [HookCall::Arguments, HookCall::ShellLine].map(|it| is_writable(path, it));
            assert_eq!(got, [arguments, shell], "{path:?}");
        };
        check("/a b/it's \"$(x)\"/taffrail", true, true);
        check("/a\\b/taffrail", true, false);
        check("/a\nb/taffrail", false, false);
        check("taffrail", false, false);
        check("", false, false);
    }

    /// Prints the first word of the line as a shell parses it.
    fn first_word(command: &str) -> String {
        let script = format!("set -- {command}; printf '%s|' \"$@\"");
        let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_shell_reads_the_path_and_nothing_else() {
        for path in [
            "/bin/taffrail",
            "/a b/t",
            "/it's/t",
            "/$(id)/`id`/t;id",
            "/\"x\"/*?[a]~{b,c}/t",
            "/ü/#t",
        ] {
            assert_eq!(first_word(&line(path).command()), format!("{path}|hook|codex|"));
        }
    }

    proptest! {
        #[test]
        fn quoting_can_be_undone(path in "/[ -~ü]{0,20}") {
            prop_assert_eq!(unquoted(&quoted(&path)), Some(path));
        }
    }
}
