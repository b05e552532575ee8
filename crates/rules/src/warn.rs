//! Warnings before an allow rule: some programs run code from their arguments, so allowing them
//! with any words allows anything.

use super::decision::Decision;
use super::permissive_parser::{program, runs};
use super::rule::{ANY_TOOL, Rule};

/// Programs that run code, or another program, given as an argument.
const RUNNERS: &str = "\
    sh bash zsh dash ksh mksh ash fish csh tcsh pwsh powershell busybox toybox eval source . \
    python python2 python3 node nodejs deno bun perl ruby php lua luajit tclsh expect Rscript julia elixir erl ghci \
    osascript groovy jshell scala \
    awk gawk mawk nawk sed ed ex vi vim nvim emacs less more man \
    env sudo doas su pkexec xargs find fd parallel watch timeout gtimeout nohup nice ionice stdbuf setsid time exec \
    command chroot unshare nsenter strace ltrace gdb lldb flock script taskset chrt caffeinate systemd-run \
    ssh scp sftp rsync socat nc ncat tmux screen at crontab \
    make gmake just task rake cmake ninja gradle mvn ant bazel tox nox \
    npx npm pnpm pnpx yarn bunx uv uvx pipx pip pip3 poetry pipenv conda cargo go dotnet gem bundle \
    git docker podman kubectl helm terraform ansible ansible-playbook vagrant tar zip \
    sqlite3 psql mysql gh jq yq";

/// The same for a program with a subcommand.
const RUNS_AFTER: &[(&str, &str)] = &[
    ("git", "bisect"),
    ("git", "config"),
    ("git", "difftool"),
    ("git", "filter-branch"),
    ("git", "grep"),
    ("git", "rebase"),
    ("git", "submodule"),
    ("git", "clone"),
    ("git", "fetch"),
    ("git", "pull"),
    ("npm", "exec"),
    ("npm", "run"),
    ("npm", "install"),
    ("yarn", "dlx"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("uv", "run"),
    ("poetry", "run"),
    ("pip", "install"),
    ("pip3", "install"),
    ("cargo", "run"),
    ("cargo", "install"),
    ("go", "run"),
    ("go", "generate"),
    ("docker", "run"),
    ("docker", "exec"),
    ("podman", "run"),
    ("kubectl", "exec"),
    ("bundle", "exec"),
];

/// Warnings for the author of a rule. Only rules that allow get warnings.
#[must_use]
pub fn warnings(rule: &Rule) -> Vec<String> {
    if rule.decision != Decision::Allow {
        return Vec::new();
    }
    let Some(pattern) = &rule.command else {
        let all = "every tool that runs no command is allowed, also those that write files";
        return (rule.tool == ANY_TOOL).then(|| all.to_owned()).into_iter().collect();
    };
    if pattern.words().is_empty() {
        return vec!["every plain command is allowed, whatever it does".to_owned()];
    }
    let (found, _) = runs(pattern.words());
    let told = found.iter().filter_map(|it| of_command(it, pattern.is_open()));
    told.collect()
}

/// Warns about a command if any words may follow where it takes code.
fn of_command(words: &[String], is_open: bool) -> Option<String> {
    let name = program(words.first()?);
    let rest = || words.iter().skip(1).filter(|it| !it.starts_with('-'));
    let moves = ["cd", "pushd", "chdir"].contains(&name);
    match (rest().next(), is_open) {
        (_, true) if moves => {
            Some(format!("what is allowed beside `{name}` then runs in any folder"))
        }
        (_, _) if name == "taffrail" => {
            Some("an agent could answer its own approvals, or write rules".to_owned())
        }
        (None, true) if is_runner(name) => Some(format!(
            "`{name}` runs code or programs given as an argument: this may allow anything"
        )),
        (Some(word), true) if RUNS_AFTER.contains(&(name, word.as_str())) => {
            Some(format!("`{name} {word}` can run programs given as an argument or by the project"))
        }
        _ => None,
    }
}

fn is_runner(name: &str) -> bool {
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    RUNNERS.split_ascii_whitespace().any(|it| it == name || (it == stem && !stem.is_empty()))
}
