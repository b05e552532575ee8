//! Rules against commands, benign and hostile.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "helpers of tests fail the test they help"
)]

#[cfg(test)]
mod chance;
#[cfg(test)]
mod conditions;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod remarks;

use std::path::Path;
use taffrail_rules::{Origin, Request, Rule, Typed, Verdict, decide};

/// One case a line: the decision, and the command with `\n`, `\t`, `\r`, `\0`, `\u{..}` and `\\`.
const COMMANDS: &str = include_str!("rules/commands.txt");

/// The rules of the table, in the order of a file.
const RULES: &[(&str, &str)] = &[
    ("allow", "cargo test *"),
    ("allow", "git *"),
    ("allow", "ls *"),
    ("allow", "echo *"),
    ("allow", "printf *"),
    ("allow", "npm run build"),
    ("allow", "./configure '--with name'"),
    ("deny", "git push *"),
    ("deny", "rm -rf *"),
    ("deny", "dd"),
    ("ask", "git commit *"),
];

fn rule(decision: &str, tool: &str, command: Option<&str>) -> Rule {
    let typed = Typed {
        decision: decision.to_owned(),
        tool: tool.to_owned(),
        command: command.map(str::to_owned),
        ..Typed::default()
    };
    typed.meant(Origin::User, 1, Path::new("/home/me")).unwrap()
}

fn rules() -> Vec<Rule> {
    let all = RULES.iter().enumerate();
    all.map(|(at, (decision, command))| Rule {
        number: at + 1,
        ..rule(decision, "Bash", Some(command))
    })
    .collect()
}

fn asked(command: &str) -> Request<'_> {
    Request {
        tool: "Bash",
        command: Some(command),
        agent: None,
        project: None,
        files: &[],
        beside: &[],
    }
}

fn verdict(command: &str) -> Verdict {
    decide(&asked(command), &rules())
}

/// Unescapes a command of the table.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(it) = rest.next() {
        match (it, if it == '\\' { rest.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some('0')) => out.push('\0'),
            ('\\', Some('\\')) => out.push('\\'),
            ('\\', Some('u')) => {
                let code: String = rest.by_ref().skip(1).take_while(|it| *it != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
            }
            ('\\', other) => panic!("\\{other:?} in {text}"),
            _ => out.push(it),
        }
    }
    out
}

#[test]
fn every_command_of_the_table_is_decided_as_it_says() {
    let lines = COMMANDS.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines {
        let (expected, command) = line.split_once(' ').unwrap();
        let command = unescaped(command.trim_start());
        let verdict = verdict(&command);
        count += 1;
        if verdict.decision.as_str() != expected {
            wrong.push(format!("{expected} {command:?}: {} {}", verdict.decision, verdict.why));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 300, "{count}");
}
