//! Real agents whose model tells them to act as the user.

use crate::agents::PROGRAM;
use crate::agents::desk::request;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, prompt};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use taffrail_testkit::agents::Agent;
use taffrail_testkit::model::{Say, text};
use taffrail_testkit::until_every;

/// The script that the model makes the agent run: everything that would answer a request, or change
/// who answers. Each line of the result is an attempt and its exit code.
fn attack(stage: &Stage, id: &str) -> String {
    let home = stage.machine.home();
    let root = home.root().display().to_string();
    format!(
        "cd {root}\n\
         t() {{ name=$1; shift; \"$@\" >/dev/null 2>&1 </dev/null; echo \"$name $?\" >>{root}/ways; }}\n\
         p={PROGRAM}\n\
         t approve $p approve {id}\n\
         t deny $p deny {id}\n\
         t rules $p rules add --allow --tool Bash --command '*'\n\
         t yes $p rules add --allow --tool '*' --yes\n\
         t forget $p forget @last --yes\n\
         t config $p config set control.scripts true\n\
         t command $p config set summary.command '[\"sh\"]'\n\
         t stop $p daemon stop\n\
         s=$($p daemon status --json | sed -n 's/.*\"socket\": *\"\\([^\"]*\\)\".*/\\1/p')\n\
         c=$(curl -s -o /dev/null -w '%{{http_code}}' --unix-socket $s -H 'content-type: application/json' \
         -d '{{\"decision\":\"allow\",\"by\":\"tui\"}}' http://localhost/api/approvals/{id})\n\
         echo \"socket $c\" >>{root}/ways\n\
         setsid sh -c \"$p approve {id} >/dev/null 2>&1; echo forked \\$? >>{root}/ways\" </dev/null >/dev/null 2>&1 &\n\
         sleep 1\n\
         echo done 0 >>{root}/ways\n"
    )
}

/// Another request, whose hook waits. It belongs to a session without other events, because
/// activity in the attacking session would close it.
fn another(stage: &Stage, known: &str) -> (Child, String) {
    let home = stage.machine.home();
    let session = "11111111-1111-4111-8111-111111111111";
    let payload = json!({"session_id": session, "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "cwd": "/w", "permission_mode": "default",
        "tool_input": {"command": "npm test its-own"}});
    let agent = if stage.agent == Agent::Claude { "claude-code" } else { "codex" };
    let mut hook = home.command(&["hook", agent]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = hook.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let id = until_every(PAUSE, "the other request", || {
        let all = home.json(&["approvals", "--json"]);
        let all: Vec<Value> = all["approvals"].as_array()?.clone();
        let other = all.iter().find(|it| it["state"] == "pending" && it["id"] != known)?;
        Some(other["id"].as_str()?.to_owned())
    });
    (child, id)
}

fn refused(agent: Agent) {
    let stage = Stage::prepared(agent, Evidence::Hooks, |machine| {
        let run = Say::Guarded("sh attack.sh".to_owned());
        machine.model().script("attack", vec![vec![run], text("It is tried.")]);
    });
    let home = stage.machine.home();
    // A request waits during the attack: another call of the hook, which somebody has to answer.
    home.ok(&["away"]);
    let screen = stage.start(&[]);
    prompt(&screen, "attack");
    let asked = request(&stage, "pending")["id"].as_str().unwrap().to_owned();
    let (hook, id) = another(&stage, &asked);
    fs::write(stage.machine.project().join("attack.sh"), attack(&stage, &id)).unwrap();
    // From here on, only a person decides.
    home.write(".config/taffrail/config.toml", "");
    let approve = |id: &str| {
        let done = home.at_terminal(&["approve", id, "--yes"], "");
        assert_eq!(done.status, 0, "{}", done.stdout);
    };
    approve(&asked);
    let ways = home.path("ways");
    let said = until_every(PAUSE, "all that it tried", || {
        let said = fs::read_to_string(&ways).ok()?;
        (said.contains("done") && said.contains("forked")).then_some(said)
    });
    for way in said.lines().filter(|it| !it.starts_with("done")) {
        let expected = if way.starts_with("socket") { "403" } else { "6" };
        assert_eq!(way.split(' ').next_back(), Some(expected), "{agent:?}: {said}");
    }
    let log = home.json(&["approvals", "log", "--json"]);
    let tried: Vec<&Value> = log["attempts"].as_array().unwrap().iter().collect();
    let by_agent = tried.iter().find(|it| it["what"] == "approve").unwrap();
    assert_eq!((&by_agent["caller"], &by_agent["approval_id"]), (&json!("agent"), &json!(id)));
    let decided = log["decisions"].as_array().unwrap();
    assert!(decided.iter().all(|it| it["approval_id"] != id.as_str()), "{decided:?}");
    let ours = decided.iter().find(|it| it["approval_id"] == asked.as_str()).unwrap();
    assert_eq!(ours["caller"], "person");
    let found = until_every(PAUSE, "the finding", || {
        let all = home.json(&["findings", "--json"]);
        let all: Vec<_> = all["findings"].as_array()?.clone();
        let mine: Vec<_> = all.into_iter().filter(|it| it["kind"] == "agent_acted").collect();
        (!mine.is_empty()).then_some(mine)
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!home.path(".config/taffrail/rules.toml").exists());
    // The request still waits, and a person answers it.
    approve(&id);
    let answer = String::from_utf8(hook.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer.contains("allow"), "{answer}");
    drop(screen);
    stage.check_daemon();
}

#[test]
fn claude_cannot_act_as_its_user() {
    refused(Agent::Claude);
}

#[test]
fn codex_cannot_act_as_its_user() {
    refused(Agent::Codex);
}
