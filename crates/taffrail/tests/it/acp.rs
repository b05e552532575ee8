//! The pipe between an editor and an agent: every byte passes, whatever happens to the daemon, and a
//! request gets one answer.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;
use taffrail_testkit::{Background, Home, Run, Scale, claude, until, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// The interval between two polls of the program.
const LOOK: Duration = Duration::from_millis(50);

/// An agent that asks for permission, and keeps what it is told in the file `heard`.
const ASKS: &str = r#"
echo '{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t1","title":"npm test","kind":"execute","rawInput":{"command":"npm test"}},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}'
cat > heard
"#;

/// An editor, and an agent behind our pipe.
struct Editor {
    pipe: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Editor {
    fn starts(home: &Home, words: &[&str]) -> Self {
        Self::starts_with(home, &[&["--"], words].concat())
    }

    fn starts_with(home: &Home, words: &[&str]) -> Self {
        let mut command = home.command(&[&["acp"], words].concat());
        let pipe = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut pipe = pipe.spawn().unwrap();
        let (input, output) = (pipe.stdin.take(), pipe.stdout.take());
        Self { pipe, input, output: output.map(BufReader::new) }
    }

    fn says(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Closes the agent's input, and returns the exit code and what else the agent said.
    fn ends(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.as_mut().unwrap().read_to_string(&mut rest).unwrap();
        (self.pipe.wait().unwrap().code(), rest)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // The pipe may have ended already.
        self.pipe.kill().ok();
        self.pipe.wait().ok();
    }
}

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        let status = home.json(&["daemon", "status", "--json"]);
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

fn requests(home: &Home, state: &str) -> Vec<Value> {
    let mut all = home.json(&["approvals", "--json", "--all"]);
    let mut all: Vec<Value> = serde_json::from_value(all["approvals"].take()).unwrap();
    all.retain(|it| it["state"] == state);
    all
}

fn pending(home: &Home) -> Value {
    until_every(LOOK, "the request to be pending", || requests(home, "pending").pop())
}

/// What the agent was told, once it is this many lines.
fn heard(home: &Home, lines: usize) -> Vec<Value> {
    let path = home.path("heard");
    let text = until("the agent to hear", || {
        let text = std::fs::read_to_string(&path).ok()?;
        (text.lines().count() >= lines && text.ends_with('\n')).then_some(text)
    });
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn chose(option: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 5, "result": {"outcome": {"outcome": "selected", "optionId": option}}})
}

/// Lines of every kind, and a last one without an end.
fn lines(count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..count {
        let method = ["session/prompt", "session/update", "x/unknown"][number % 3];
        let line = match number % 500 {
            10 => b"{\"id\":1,\"id\":2,\"method\":\"x\",\"params\":{\"big\":18446744073709551616}}".into(),
            20 => b"this is no JSON \xff\xfe".to_vec(),
            30 => [&b"{\"method\":\"x\",\"params\":\""[..], &[b'a'; 300_000], b"\"}"].concat(),
            40 => Vec::new(),
            _ => format!("{{ \"id\":{number} ,\"method\": \"{method}\",\"params\":{{\"sessionId\":\"s1\",\"text\":\"ä\u{2028}\"}}}}")
                .into_bytes(),
        };
        out.extend(line);
        out.extend_from_slice(if number % 50 == 0 { b"\r\n" } else { b"\n" });
    }
    out.extend_from_slice(b"no end");
    out
}

/// Sends bytes through an agent that repeats them, in pieces, and returns what came back and the exit
/// code.
fn through(home: &Home, bytes: &[u8], mut between: impl FnMut(usize)) -> (Vec<u8>, Option<i32>) {
    let mut editor = Editor::starts(home, &["sh", "-c", "cat; exit 7"]);
    let mut output = editor.output.take().unwrap();
    let reader: JoinHandle<Vec<u8>> = spawn(move || {
        let mut all = Vec::new();
        output.read_to_end(&mut all).unwrap();
        all
    });
    for (number, piece) in bytes.chunks(bytes.len() / 10 + 1).enumerate() {
        between(number);
        editor.input.as_mut().unwrap().write_all(piece).unwrap();
    }
    drop(editor.input.take());
    (reader.join().unwrap(), editor.pipe.wait().unwrap().code())
}

#[test]
fn every_byte_passes_without_a_daemon_and_with_one() {
    let home = Home::new(PROGRAM);
    let bytes = lines(10_000);
    let check = |what: &str| {
        let (back, code) = through(&home, &bytes, |_| {});
        assert!(back == bytes, "{what}: {} of {} bytes", back.len(), bytes.len());
        assert_eq!(code, Some(7), "{what}");
    };
    check("without a daemon");
    let _daemon = Background::start(&home);
    check("with a daemon");
}

#[test]
fn no_byte_is_lost_when_the_daemon_is_killed() {
    let home = Home::new(PROGRAM);
    let bytes = lines(600);
    for round in 0..Scale::from_env().pick(3, 100) {
        let mut run = daemon(&home);
        let (back, code) = through(&home, &bytes, |piece| {
            if piece == round % 10 {
                run.kill();
            }
        });
        assert!(back == bytes, "round {round}: {} of {} bytes", back.len(), bytes.len());
        assert_eq!(code, Some(7), "round {round}");
    }
}

#[test]
fn the_exit_code_is_the_agents() {
    let home = Home::new(PROGRAM);
    let check = |words: &[&str], expected: i32| {
        let (code, _) = Editor::starts(&home, words).ends();
        assert_eq!(code, Some(expected), "{words:?}");
    };
    check(&["true"], 0);
    check(&["sh", "-c", "exit 3"], 3);
    check(&["sh", "-c", "kill -TERM $$"], 143);
    check(&["no-such-program"], 127);
    check(&["/"], 126);
}

#[test]
fn a_configuration_that_cannot_be_read_stops_no_agent() {
    let home = Home::new(PROGRAM);
    home.write(".config/taffrail/config.toml", "this is no TOML");
    let (back, code) = through(&home, b"{\"id\":1}\n", |_| {});
    assert_eq!((&*back, code), (&b"{\"id\":1}\n"[..], Some(7)));
}

#[test]
fn a_request_is_answered_from_the_desk_and_the_editor_comes_late() {
    let home = Home::new(PROGRAM);
    let _daemon = daemon(&home);
    let check = |command: &str, option: &str| {
        home.write("heard", "");
        let mut editor = Editor::starts(&home, &["sh", "-c", ASKS]);
        assert_eq!(editor.hears()["method"], "session/request_permission");
        let asked = pending(&home);
        let shown = ["agent", "tool", "command", "state", "sources"].map(|it| asked[it].clone());
        let expected = [json!("acp"), json!("execute"), json!("npm test")];
        assert_eq!(shown[..3], expected);
        assert_eq!(shown[3..], [json!("pending"), json!(["acp"])]);
        home.ok(&[command, asked["id"].as_str().unwrap()]);
        assert_eq!(heard(&home, 1), [chose(option)]);
        // The editor is told that its answer is not needed, and what it still says is left out.
        let cancels =
            json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 5}});
        assert_eq!(editor.hears(), cancels);
        let late = if option == "yes" { "no" } else { "yes" };
        editor.says(&format!("{}\n{{\"id\":9}}\n", chose(late)));
        assert_eq!(heard(&home, 2), [chose(option), json!({"id": 9})]);
        assert_eq!(editor.ends(), (Some(0), String::new()));
        let all = requests(&home, "decided");
        assert_eq!(all[0]["outcome"], "unconfirmed");
    };
    check("approve", "yes");
    check("deny", "no");
}

#[test]
fn an_editor_that_answers_first_settles_the_request() {
    let home = Home::new(PROGRAM);
    let _daemon = daemon(&home);
    let mut editor = Editor::starts(&home, &["sh", "-c", ASKS]);
    let asked = pending(&home);
    editor.says(&format!("{}\n", chose("no")));
    assert_eq!(heard(&home, 1), [chose("no")]);
    let settled =
        until_every(LOOK, "the request to be settled", || requests(&home, "decided").pop());
    assert_eq!((&settled["id"], &settled["outcome"]), (&asked["id"], &json!("overtaken")));
    let late = home.run(&["approve", asked["id"].as_str().unwrap()]);
    assert_eq!(late.status, 6, "{}", late.stderr);
    assert!(late.stderr.contains("decided by editor"), "{}", late.stderr);
    let (_, rest) = editor.ends();
    assert!(rest.contains("session/request_permission") && !rest.contains("cancel"), "{rest}");
    assert_eq!(heard(&home, 1).len(), 1);
}

#[test]
fn a_request_outlives_the_daemon_and_ends_with_its_agent() {
    let home = Home::new(PROGRAM);
    let mut editor = Editor::starts(&home, &["sh", "-c", ASKS]);
    assert_eq!(editor.hears()["id"], 5);
    // The daemon starts after the request, dies, and comes back.
    let mut first = daemon(&home);
    let asked = pending(&home);
    first.kill();
    let _second = daemon(&home);
    assert_eq!(pending(&home)["id"], asked["id"]);
    assert_eq!(editor.ends().0, Some(0));
    let over = until_every(LOOK, "the request to end", || requests(&home, "expired").pop());
    assert_eq!(over["id"], asked["id"]);
    assert_eq!(std::fs::read_to_string(home.path("heard")).unwrap(), "");
}

#[test]
fn a_pipe_that_is_killed_leaves_no_open_request() {
    let home = Home::new(PROGRAM);
    let _daemon = daemon(&home);
    let mut editor = Editor::starts(&home, &["sh", "-c", &format!("{ASKS}echo over >> ended\n")]);
    pending(&home);
    editor.pipe.kill().unwrap();
    editor.pipe.wait().unwrap();
    // The agent sees the end of its input.
    let ended: PathBuf = home.path("ended");
    until("the agent to end", || ended.exists().then_some(()));
    until_every(LOOK, "the request to end", || requests(&home, "expired").pop());
}

#[test]
fn a_rule_answers_and_only_as_it_is_written() {
    let home = Home::new(PROGRAM);
    let _daemon = daemon(&home);
    home.ok(&["rules", "add", "--deny", "--tool", "*", "--command", "npm *"]);
    let mut editor = Editor::starts(&home, &["sh", "-c", ASKS]);
    assert_eq!(editor.hears()["id"], 5);
    assert_eq!(heard(&home, 1), [chose("no")]);
    drop(editor.ends());
}

#[test]
fn a_request_of_a_known_agent_is_at_its_session() {
    const SESSION: &str = "8f3a0000-0000-4000-8000-000000000001";
    let home = Home::new(PROGRAM);
    home.write(&claude::path(SESSION), claude::talk(SESSION, 0, 2));
    let _daemon = daemon(&home);
    let script = ASKS.replace("\"s1\"", &format!("\"{SESSION}\""));
    let words = ["--agent", "claude-code", "--", "sh", "-c", &*script];
    let editor = Editor::starts_with(&home, &words);
    let asked = pending(&home);
    assert_eq!(asked["session_id"], home.session(SESSION)["id"]);
    let status = until_every(LOOK, "the session to wait", || {
        let session = home.session(SESSION);
        (session["status"] == "waiting_approval").then_some(session)
    });
    assert_eq!(status["runtime_session_id"], SESSION);
    drop(editor.ends());
}
