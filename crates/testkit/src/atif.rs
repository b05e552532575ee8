//! The validator of the Agent Trajectory Interchange Format, by those who define it.

use crate::python::environment_with;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

const CACHE: &str = "taffrail-validators";
const PACKAGE: &str = "atif==1.8.0";

/// Prints one line for each document on standard input: `ok`, or what is wrong.
const PROGRAM: &str = "\
import json, sys
from atif import Trajectory
for line in sys.stdin:
    try:
        Trajectory.model_validate(json.loads(line))
        print('ok')
    except Exception as fault:
        print(' '.join(str(fault).split()))
";

/// What the validator says about each document: `ok`, or its faults.
#[must_use]
pub fn verdicts(documents: &[Value]) -> Vec<String> {
    let python = environment_with(CACHE, &[PACKAGE]).join("bin/python");
    let mut command = Command::new(python);
    command.args(["-I", "-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = documents.iter().map(|it| format!("{it}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "the validator ended with {}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
