//! Classifies tool calls: testing, building, installing, reading, waiting, changing.

use serde_json::Value;

/// The purpose of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// Runs tests.
    Test,
    /// Compiles or checks.
    Check,
    /// Installs something.
    Install,
    /// Joins or moves Git histories.
    Merge,
    /// Reads and changes nothing.
    Look,
    /// Waits for something that runs by itself.
    Wait,
    /// Changes files.
    Change,
    /// Runs something else.
    Run,
    /// Not a command, and not known to change anything.
    Other,
}

/// Words of test commands, matched as whole words.
const TESTS: [&str; 15] = [
    "test",
    "tests",
    "nextest",
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "ctest",
    "rspec",
    "phpunit",
    "mocha",
    "tox",
    "nox",
    "playwright",
    "gotestsum",
];
/// Words of check commands.
const CHECKS: [&str; 18] = [
    "check",
    "clippy",
    "tsc",
    "typecheck",
    "mypy",
    "pyright",
    "build",
    "vet",
    "compile",
    "javac",
    "rustc",
    "gcc",
    "clang",
    "make",
    "ninja",
    "lint",
    "eslint",
    "gradle",
];
/// Programs that only read.
const LOOKS: [&str; 28] = [
    "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "wc", "pwd", "echo", "which", "type",
    "file", "stat", "tree", "less", "nl", "diff", "env", "printenv", "date", "whoami", "ps", "du",
    "df", "jq", "true",
];
/// Git subcommands that change nothing.
const GIT_LOOKS: [&str; 9] =
    ["status", "log", "diff", "show", "branch", "blame", "ls-files", "rev-parse", "remote"];
/// Git subcommands that may cause or end a conflict.
const GIT_MERGES: [&str; 9] =
    ["merge", "rebase", "pull", "cherry-pick", "stash", "am", "revert", "commit", "checkout"];
/// Words of install commands.
const INSTALLS: [&str; 5] = ["install", "add", "ci", "sync", "get"];
/// Programs that install.
const INSTALLERS: [&str; 20] = [
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "conda", "cargo", "go",
    "apt", "apt-get", "brew", "dnf", "apk", "gem", "bundle", "composer",
];
/// Name fragments of tools that change files.
const CHANGING: [&str; 6] = ["edit", "write", "patch", "replace", "create", "notebook"];
/// Name fragments of tools that wait for earlier work.
const WAITING: [&str; 8] =
    ["output", "wait", "stdin", "poll", "sleep", "monitor", "status", "watch"];
/// Name fragments of tools that read.
const LOOKING: [&str; 7] = ["read", "grep", "glob", "search", "list", "view", "fetch"];
/// Words that may precede the program.
const BEFORE: [&str; 8] = ["sudo", "env", "time", "nice", "timeout", "command", "exec", "npx"];

/// The command line a call runs.
pub(super) fn command_of(input: &Value) -> Option<String> {
    match input.get("command").or_else(|| input.get("cmd"))? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
            // A shell with a command string only passes it on.
            match words.as_slice() {
                [_, flag, line] if matches!(*flag, "-c" | "-lc") => Some((*line).to_owned()),
                _ => Some(words.join(" ")),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// The purpose of a call, by its command line if it has one, else by its tool.
pub(super) fn purpose(tool: &str, command: Option<&str>) -> Purpose {
    let tool = tool.to_ascii_lowercase();
    let named = |parts: &[&str]| parts.iter().any(|part| tool.contains(part));
    match command {
        Some(command) if !named(&CHANGING) => of_command(command),
        _ if named(&WAITING) => Purpose::Wait,
        _ if named(&CHANGING) => Purpose::Change,
        _ if named(&LOOKING) => Purpose::Look,
        _ => Purpose::Other,
    }
}

/// The most significant purpose among the parts of a command line.
fn of_command(command: &str) -> Purpose {
    let all: Vec<Purpose> = parts(command).into_iter().map(|it| of_part(&it)).collect();
    let weight = [
        Purpose::Test,
        Purpose::Check,
        Purpose::Merge,
        Purpose::Install,
        Purpose::Wait,
        Purpose::Run,
        Purpose::Look,
    ];
    weight.into_iter().find(|it| all.contains(it)).unwrap_or(Purpose::Run)
}

/// The simple commands of a line, each as its words; a quoted string stays one word.
fn parts(command: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut end = |words: &mut Vec<String>, word: &mut String, whole: bool| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
        if whole && !words.is_empty() {
            out.push(std::mem::take(words));
        }
    };
    for it in command.chars() {
        match (quote, it) {
            (Some(open), it) if it == open => quote = None,
            (Some(_), it) => word.push(it),
            (None, '"' | '\'') => quote = Some(it),
            (None, ';' | '|' | '&' | '\n' | '(' | ')') => end(&mut words, &mut word, true),
            (None, it) if it.is_whitespace() => end(&mut words, &mut word, false),
            (None, it) => word.push(it),
        }
    }
    end(&mut words, &mut word, true);
    out
}

fn of_part(words: &[String]) -> Purpose {
    let mut words = words.iter().map(String::as_str);
    let is_before =
        |it: &str| BEFORE.contains(&it) || it.contains('=') || it.starts_with('-') || is_number(it);
    let Some(first) = words.by_ref().find(|it| !is_before(it)) else { return Purpose::Look };
    let program = first.rsplit('/').next().unwrap_or(first);
    let rest: Vec<&str> = words.filter(|it| !it.starts_with('-')).collect();
    let verb = rest.first().copied().unwrap_or_default();
    let said = |words: &[&str]| {
        words.contains(&program) || rest.iter().take(3).any(|it| is_one_of(it, words))
    };
    match program {
        "cd" | "set" | "export" | "source" => Purpose::Look,
        "git" if GIT_LOOKS.contains(&verb) => Purpose::Look,
        "git" if GIT_MERGES.contains(&verb) => Purpose::Merge,
        "git" => Purpose::Run,
        "sleep" | "wait" | "watch" => Purpose::Wait,
        "gh" | "kubectl" | "docker" | "curl" | "systemctl" => Purpose::Wait,
        "sed" if !rest.is_empty() && !words_have(&rest, "-i") => Purpose::Look,
        _ if LOOKS.contains(&program) => Purpose::Look,
        _ if INSTALLERS.contains(&program) && INSTALLS.contains(&verb) => Purpose::Install,
        _ if said(&TESTS) => Purpose::Test,
        _ if said(&CHECKS) => Purpose::Check,
        _ => Purpose::Run,
    }
}

fn words_have(words: &[&str], word: &str) -> bool {
    words.iter().any(|it| it.starts_with(word))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|it: char| it.is_ascii_digit())
        && word.trim_end_matches(['s', 'm']).bytes().all(|it| it.is_ascii_digit())
}

/// Whether a word, or a part of a script's name such as `test:unit`, is in the list. A path never
/// is.
fn is_one_of(word: &str, words: &[&str]) -> bool {
    !word.contains(['/', '.']) && word.split([':', '-', '_']).any(|it| words.contains(&it))
}

/// Identifies a check: the part of the line that checks, without what follows it.
pub(super) fn key_of(command: &str) -> String {
    let parts = parts(command);
    let is_check = |it: &&Vec<String>| matches!(of_part(it), Purpose::Test | Purpose::Check);
    let part = parts.iter().find(is_check).or_else(|| parts.last());
    let words = part.into_iter().flatten().filter(|it| !it.contains('>'));
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Whether a part of a line commits to Git.
pub(super) fn commits(command: &str) -> bool {
    parts(command).iter().any(|words| {
        let mut words = words.iter().map(String::as_str).skip_while(|it| it.contains('='));
        // The options of Git itself come first; `-C` and `-c` have a value.
        let mut is_value = false;
        words.next() == Some("git")
            && words.find(|it| {
                let is_word = !is_value && !it.starts_with('-');
                is_value = matches!(*it, "-C" | "-c");
                is_word
            }) == Some("commit")
    })
}

/// The program and subcommand of the last part of a line.
pub(super) fn verb_of(command: &str) -> String {
    let parts = parts(command);
    let words = parts.last().into_iter().flatten().filter(|it| !it.starts_with('-'));
    words.take(2).map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_commit_is_found_in_any_part_of_a_line() {
        let check = |line: &str, expected: bool| assert_eq!(commits(line), expected, "{line}");
        check("git commit -m x", true);
        check("cd api && git add -A && git -C . -c a.b=c --no-pager commit -m 'y'", true);
        check("GIT_EDITOR=true git commit --amend", true);
        check("git log --grep commit", false);
        check("git -C commit status", false);
        check("echo 'git commit'", false);
    }

    #[test]
    fn a_command_says_what_it_is_for() {
        let check = |command: &str, expected: Purpose| {
            assert_eq!(purpose("Bash", Some(command)), expected, "{command}");
        };
        check("cargo test -p model", Purpose::Test);
        check("cd api && npm run test:unit 2>&1 | tail -20", Purpose::Test);
        check("python -m pytest tests/test_a.py", Purpose::Test);
        check("RUST_LOG=debug timeout 60s cargo nextest run", Purpose::Test);
        check("npx tsc --noEmit", Purpose::Check);
        check("make -j4", Purpose::Check);
        check("cargo clippy --all-targets", Purpose::Check);
        check("cat tests/test_a.py", Purpose::Look);
        check("ls test", Purpose::Look);
        check("grep -rn 'cargo test' .", Purpose::Look);
        check("git status --short", Purpose::Look);
        check("git merge main", Purpose::Merge);
        check("git push origin main", Purpose::Run);
        check("pip install requests", Purpose::Install);
        check("cargo add serde", Purpose::Install);
        check("sleep 30; gh run view 12", Purpose::Wait);
        check("python build/x.py", Purpose::Run);
        check("sed -n 1,20p a.rs", Purpose::Look);
        check("", Purpose::Run);
    }

    #[test]
    fn a_tool_without_a_command_says_it_by_its_name() {
        let check = |tool: &str, expected: Purpose| {
            assert_eq!(purpose(tool, None), expected, "{tool}");
        };
        check("Edit", Purpose::Change);
        check("apply_patch", Purpose::Change);
        check("write_stdin", Purpose::Wait);
        check("BashOutput", Purpose::Wait);
        check("Read", Purpose::Look);
        check("WebFetch", Purpose::Look);
        check("Task", Purpose::Other);
    }

    #[test]
    fn a_check_is_told_by_its_own_part() {
        let check = |command: &str, expected: &str| assert_eq!(key_of(command), expected);
        check("cd api && cargo test -p x 2>&1 | tail -5", "cargo test -p x");
        check("cargo test -p x", "cargo test -p x");
        assert_eq!(verb_of("cd x && git push --force origin"), "git push");
    }

    #[test]
    fn a_command_may_be_a_line_or_words() {
        let check = |input: Value, expected: Option<&str>| {
            assert_eq!(command_of(&input).as_deref(), expected, "{input}");
        };
        check(json!({"command": "ls -l"}), Some("ls -l"));
        check(json!({"command": ["bash", "-lc", "ls -l"]}), Some("ls -l"));
        check(json!({"cmd": ["ls", "-l"]}), Some("ls -l"));
        check(json!({"file_path": "a"}), None);
        check(json!({"command": 5}), None);
    }
}
