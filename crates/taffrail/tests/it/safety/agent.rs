//! A process with the name of an agent, whose children are what an agent's tools start.

use super::{LOOK, pending};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};
use taffrail_testkit::{Home, claude, until_every};

pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// The payload that an agent passes to its hook.
pub(crate) fn request(folder: &str, hook: &str, tool: &str, input: &Value) -> String {
    json!({"session_id": SESSION, "hook_event_name": hook, "tool_name": tool,
        "tool_input": input, "cwd": folder, "permission_mode": "default"})
    .to_string()
}

/// A shell with the name of an agent. It never outlives the test.
pub(crate) struct Agent<'h> {
    home: &'h Home,
    child: Child,
    stdin: ChildStdin,
    count: u32,
}

impl<'h> Agent<'h> {
    pub(crate) fn start(home: &'h Home, name: &str) -> Self {
        let program = home.path(&format!("bin/{name}"));
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::copy(fs::canonicalize("/bin/bash").unwrap(), &program).unwrap();
        home.write(&claude::path(SESSION), claude::talk(SESSION, 0, 2));
        let mut command = home.any_command(&program, home.root());
        command.arg("--norc").env("CLAUDE_CODE_ENTRYPOINT", "cli");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        Self { home, child, stdin, count: 0 }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
        self.stdin.flush().unwrap();
    }

    /// Runs a command below the agent and waits for its end: the exit code and the output.
    pub(crate) fn run(&mut self, line: &str) -> (i32, String) {
        self.count += 1;
        let said = self.home.path(&format!("said-{}", self.count));
        let file = said.display();
        self.say(&format!(
            "( {line} ) </dev/null >{file} 2>&1; echo $? >{file}.code; mv {file}.code {file}.end"
        ));
        let end = said.with_extension("end");
        let code =
            until_every(LOOK, line, || fs::read_to_string(&end).ok()?.trim().parse::<i32>().ok());
        (code, fs::read_to_string(&said).unwrap())
    }

    /// Asks for approval of a command, as its hook does; returns the request once it waits.
    pub(crate) fn asks(&mut self, program: &str, command: &str) -> String {
        self.asks_for(program, "Bash", &json!({"command": command}))
    }

    /// The same for any tool.
    pub(crate) fn asks_for(&mut self, program: &str, tool: &str, input: &Value) -> String {
        let known: Vec<Value> = pending(self.home).iter().map(|it| it["id"].clone()).collect();
        self.home.write("payload", request("/w/app", "PermissionRequest", tool, input));
        // An earlier answer does not count.
        fs::remove_file(self.home.path("answer")).ok();
        let (payload, answer) = (self.home.path("payload"), self.home.path("answer"));
        let (payload, answer) = (payload.display(), answer.display());
        self.say(&format!("{program} hook claude-code <{payload} >{answer} 2>/dev/null &"));
        until_every(LOOK, "the request to wait", || {
            let all = pending(self.home);
            let it = all.iter().find(|it| !known.contains(&it["id"]))?;
            Some(it["id"].as_str()?.to_owned())
        })
    }

    /// The answer to its hook.
    pub(crate) fn answer(&self) -> String {
        let path = self.home.path("answer");
        until_every(LOOK, "the hook's answer", || {
            fs::read_to_string(&path).ok().filter(|it| !it.trim().is_empty())
        })
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
