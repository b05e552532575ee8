//! Lines as commands: decided, and looked at for what they risk.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::hint::black_box;
use std::path::Path;
use taffrail_model::rules::{Decision, Origin, Request, Rule, Typed, decide, plain_commands, risk};

const RULES: [(&str, &str); 4] = [
    ("allow", "cargo test *"),
    ("allow", "git *"),
    ("deny", "git push *"),
    ("ask", "git commit *"),
];

fn rule((decision, command): (&str, &str)) -> Option<Rule> {
    let (decision, tool) = (decision.to_owned(), "Bash".to_owned());
    let typed = Typed { decision, tool, command: Some(command.to_owned()), ..Typed::default() };
    typed.meant(Origin::User, 1, Path::new("/")).ok()
}

fn asked(command: &str) -> Request<'_> {
    Request { tool: "Bash", command: Some(command), ..Request::default() }
}

fuzz_target!(|input: &[u8]| {
    let rules: Vec<Rule> = RULES.into_iter().filter_map(rule).collect();
    let text = String::from_utf8_lossy(input);
    for line in text.lines() {
        let verdict = decide(&asked(line), &rules);
        assert!(verdict.decision != Decision::Allow || plain_commands(line).is_ok());
        let behind = decide(&asked(&format!("git push\n{line}")), &rules).decision;
        assert!(behind != Decision::Allow);
        black_box(risk(&asked(line)));
    }
});
