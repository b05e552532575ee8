//! A session with worktrees in a real tmux: three panes, one of which dies.

use crate::contracts::faults;
use crate::contracts::history::PROGRAM;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use taffrail_testkit::Home;

const WORKERS: [&str; 3] = ["docs", "lexer", "parser"];
const PATIENCE: Duration = Duration::from_secs(30);

/// A repository with a worktree and a pane for each worker. The server ends with it.
pub(super) struct Stage {
    pub(super) home: Home,
    pub(super) sockets: tempfile::TempDir,
}

impl Stage {
    pub(super) fn new() -> Self {
        // The path of a socket must be short.
        let sockets = tempfile::Builder::new().prefix("tt").tempdir_in("/tmp").unwrap();
        let stage = Self { home: Home::new(PROGRAM), sockets };
        std::fs::create_dir(stage.repository()).unwrap();
        stage.git(&["init", "-q", "-b", "main"]);
        stage.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        for worker in WORKERS {
            stage.add(worker);
        }
        stage
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.home.path("app")
    }

    fn worktree(&self, worker: &str) -> String {
        self.home.path(&format!("app-{worker}")).to_str().unwrap().to_owned()
    }

    fn git(&self, words: &[&str]) {
        let mut command = self.home.any_command(Path::new("git"), &self.repository());
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
        assert!(command.status().unwrap().success(), "{words:?}");
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = self.home.any_command(Path::new("tmux"), &self.repository());
        command.env("TMUX_TMPDIR", self.sockets.path()).arg("-f").arg("/dev/null").args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A worktree, a pane in it that runs `cat`, and the files of a worker.
    fn add(&self, worker: &str) {
        let (worktree, branch) = (self.worktree(worker), format!("mend-{worker}"));
        self.git(&["worktree", "add", "-q", "-b", &branch, &worktree]);
        let show = ["-P", "-F", "#{pane_id}", "-c", &worktree, "cat"];
        let pane = match worker {
            first if first == WORKERS[0] => {
                let begin = ["start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"];
                let new = ["new-session", "-d", "-s", "mend"];
                self.tmux(&[&begin[..], &new, &show].concat())
            }
            _ => self.tmux(&[&["split-window", "-t", "mend"], &show[..]].concat()),
        };
        self.tmux(&["select-pane", "-t", &pane, "-T", worker]);
        let file = |name: &str| format!("app/.orchestration/mend/{worker}/{name}");
        let status = format!("- State: running\n- Branch: `{branch}`\n- Worktree: `{worktree}`\n");
        self.home.write(&file("status.md"), status);
        self.home.write(
            &file("task.md"),
            format!(
                "## Seeded Local Overlays\n- `src/{worker}.rs`\n\n## Objective\nMend {worker}.\n"
            ),
        );
        self.home
            .write(&file("handoff.md"), "## Summary\n- Reads\n\n## Validation\n- cargo test\n");
    }

    pub(super) fn snapshot(&self, arguments: &[&str]) -> Value {
        let mut command = self.home.command(&[&["snapshot"], arguments].concat());
        command.env("TMUX_TMPDIR", self.sockets.path()).current_dir(self.repository());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let snapshot = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(faults(&self.home, "ecc", &snapshot), [""; 0]);
        snapshot
    }

    /// Polls until a condition holds.
    fn until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let snapshot = self.snapshot(&["mend"]);
            if is_so(&snapshot) {
                return snapshot;
            }
            assert!(Instant::now() < end, "it never was so: {snapshot:#}");
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        command.env("TMUX_TMPDIR", self.sockets.path()).env_remove("TMUX").arg("kill-server");
        command.output().ok();
    }
}

fn dead(snapshot: &Value) -> Vec<bool> {
    let workers = snapshot["workers"].as_array().unwrap();
    workers.iter().map(|it| it["runtime"]["dead"].as_bool().unwrap()).collect()
}

#[test]
fn three_panes_in_three_worktrees_one_of_which_dies() {
    let stage = Stage::new();
    let snapshot = stage.until(|it| it["workers"][1]["runtime"]["command"] == "cat");
    let repository = stage.repository().canonicalize().unwrap();
    assert_eq!(
        snapshot["session"],
        json!({
            "id": "mend", "kind": "orchestrated", "state": "active",
            "repoRoot": repository.to_str().unwrap(),
            "sourceTarget": { "type": "session", "value": "mend" },
        })
    );
    assert_eq!(
        snapshot["aggregates"],
        json!({ "workerCount": 3, "states": { "running": 3 }, "healths": { "stale": 3 } })
    );
    assert_eq!(dead(&snapshot), [false; 3]);
    let mut lexer = snapshot["workers"][1].clone();
    let pid = lexer["runtime"]["pid"].take().as_u64().unwrap();
    let folder = repository.join(".orchestration/mend/lexer");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let expected = json!({
        "id": "lexer", "label": "lexer", "state": "running", "health": "stale", "branch": "mend-lexer",
        "worktree": stage.worktree("lexer"),
        "runtime": {
            "kind": "tmux-pane", "command": "cat", "pid": null, "active": false, "dead": false,
        },
        "intent": { "objective": "Mend lexer.", "seedPaths": ["src/lexer.rs"] },
        "outputs": { "summary": ["Reads"], "validation": ["cargo test"], "remainingRisks": [] },
        "artifacts": {
            "statusFile": file("status.md"), "taskFile": file("task.md"),
            "handoffFile": file("handoff.md"),
        },
    });
    assert_eq!(lexer, expected);
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let after = stage.until(|it| dead(it) == [false, true, false]);
    assert_eq!(after["session"]["state"], "active");
    // Without their server all of them are over; the contents of their files still count.
    stage.tmux(&["kill-server"]);
    let after = stage.until(|it| dead(it) == [true; 3]);
    assert_eq!(
        (&after["session"]["state"], &after["workers"][0]["state"]),
        (&json!("idle"), &json!("running"))
    );
}

#[test]
fn a_plan_leads_there_and_names_who_has_not_begun() {
    let stage = Stage::new();
    let plan = json!({
        "sessionName": "mend", "repoRoot": ".",
        "workers": [{ "name": "parser", "task": "Mend." }, { "name": "later", "task": "Wait." }],
    });
    stage.home.write("app/plan.json", plan.to_string());
    let snapshot = stage.snapshot(&["plan.json"]);
    assert_eq!(snapshot["session"]["sourceTarget"]["type"], "plan");
    let ids: Vec<_> =
        snapshot["workers"].as_array().unwrap().iter().map(|it| it["id"].as_str()).collect();
    assert_eq!(ids, [Some("docs"), Some("later"), Some("lexer"), Some("parser")]);
    assert_eq!(snapshot["workers"][1]["intent"]["objective"], "Wait.");
    let gone = stage.snapshot(&["nobody", "--adapter", "dmux-tmux"]);
    assert_eq!(gone["session"]["state"], "missing");
}
