//! ECC's own code, from npm, beside ours: it accepts our snapshots, we accept its, and of one session
//! both say the same.

use super::orchestrated::Stage;
use crate::contracts::faults;
use crate::contracts::history::PROGRAM;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_testkit::Home;
use taffrail_testkit::agents::{Package, program_of};

const REGISTRY: &str = "node_modules/ecc-universal/scripts/lib/session-adapters/registry.js";
const ECC: Package = Package {
    name: "ecc-universal",
    version: "2.0.0",
    programs: &[("x86_64", REGISTRY), ("aarch64", REGISTRY)],
};

/// Exits with 0 if ECC accepts the snapshot in the file.
const CHECK: &str = "const [, folder, file] = process.argv;
const { validateCanonicalSnapshot } = require(folder + '/canonical-session.js');
validateCanonicalSnapshot(JSON.parse(require('fs').readFileSync(file, 'utf8')));";

/// Prints ECC's snapshot of a target.
const INSPECT: &str = "const [, folder, target] = process.argv;
const { inspectSessionTarget } = require(folder + '/registry.js');
const context = { cwd: process.cwd(), persistSnapshots: false };
console.log(JSON.stringify(inspectSessionTarget(target, context)));";

/// Documents on which ECC's validator decides otherwise than the kit, and what it says. It refuses
/// empty texts, of which we only warn, and documents without `health`, which the contract did not
/// have at first. It does not count again, and does not look at a field that the contract adds.
const OTHERWISE: [(&str, &str); 18] = [
    ("ecc/bad/aggregates.healths.derived.json", "valid"),
    ("ecc/bad/aggregates.states.derived.json", "valid"),
    ("ecc/bad/workers.runtime.pid.type.json", "valid"),
    ("ecc/good/no-workers.json", "invalid"),
    ("ecc/good/optional-fields-absent.json", "invalid"),
    ("ecc/good/unknown-state-and-nested-fields.json", "invalid"),
    ("ecc/lenient/top-level-field-of-another-producer.json", "invalid"),
    ("ecc/warned/adapterId.empty.json", "invalid"),
    ("ecc/warned/session.id.empty.json", "invalid"),
    ("ecc/warned/session.kind.empty.json", "invalid"),
    ("ecc/warned/session.sourceTarget.type.empty.json", "invalid"),
    ("ecc/warned/session.sourceTarget.value.empty.json", "invalid"),
    ("ecc/warned/session.state.empty.json", "invalid"),
    ("ecc/warned/workers.health.empty.json", "invalid"),
    ("ecc/warned/workers.id.empty.json", "invalid"),
    ("ecc/warned/workers.label.empty.json", "invalid"),
    ("ecc/warned/workers.runtime.kind.empty.json", "invalid"),
    ("ecc/warned/workers.state.empty.json", "invalid"),
];

fn adapters() -> PathBuf {
    program_of(&ECC).parent().unwrap().to_owned()
}

fn node(home: &Home, folder: &Path, script: &str, argument: &Path) -> Command {
    let mut command = home.any_command(Path::new("node"), folder);
    command.args(["-e", script]).arg(adapters()).arg(argument);
    // Without UTF-8 tmux prints the tabs between its fields as other characters, and ECC reads none.
    command.env("LC_ALL", "C.UTF-8");
    command
}

/// Fails unless ECC accepts a snapshot of ours.
fn accepted(home: &Home, snapshot: &Value) {
    home.write("ours.json", snapshot.to_string());
    let output = node(home, home.root(), CHECK, &home.path("ours.json")).output().unwrap();
    assert!(output.status.success(), "{output:?} {snapshot:#}");
}

fn inspected(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn ecc_judges_the_kit_as_the_manifest_does_but_for_what_is_named() {
    let home = Home::new(PROGRAM);
    home.write("check.js", CHECK.replace("[, folder, file]", "[, , folder, file]"));
    let (script, adapters) = (home.path("check.js"), adapters());
    let command = format!("node '{}' '{}' {{}}", script.display(), adapters.display());
    let ran = home.run(&["conformance", "run", "--contract", "ecc", "--json", "--cmd", &command]);
    let got: Value = serde_json::from_str(&ran.stdout).unwrap();
    let disagreed = got["disagreed"].as_array().unwrap().iter();
    let disagreed: Vec<_> = disagreed.map(|it| json!([it["document"], it["got"]])).collect();
    assert_eq!(disagreed, OTHERWISE.map(|it| json!([it.0, it.1])));
    assert_eq!(got["agreed"], json!(got["run"].as_u64().unwrap() - OTHERWISE.len() as u64));
}

#[test]
fn ecc_says_of_a_session_in_tmux_what_we_say() {
    let stage = Stage::new();
    stage.home.write("app/plan.json", json!({ "sessionName": "mend" }).to_string());
    let folder = stage.repository();
    std::fs::create_dir(folder.join(".claude")).unwrap();
    let copied = folder.join(".claude/orchestration");
    let check = |target: &str| {
        let mut command = node(&stage.home, &folder, INSPECT, Path::new(target));
        let theirs = inspected(command.env("TMUX_TMPDIR", stage.sockets.path()));
        assert_eq!(stage.snapshot(&[target]), theirs, "{target}");
        assert_eq!(faults(&stage.home, "ecc", &theirs), [""; 0]);
    };
    check("plan.json");
    accepted(&stage.home, &stage.snapshot(&["mend"]));
    // By name it looks in another folder than by a plan.
    std::fs::rename(folder.join(".orchestration"), copied).unwrap();
    check("mend");
}

#[test]
fn ecc_says_of_a_session_file_what_we_say() {
    let home = super::recorded::home();
    let check = |target: &str| {
        let mut command = node(&home, home.root(), INSPECT, Path::new(target));
        let (ours, theirs) = (home.json(&["snapshot", target]), inspected(&mut command));
        assert_eq!(ours, theirs, "{target}");
        accepted(&home, &ours);
    };
    check("claude:latest");
    check("claude:bbbb2222");
    check("claude:lexing");
}
