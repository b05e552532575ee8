//! Snapshots without values that differ from run to run.

use insta::Settings;
use serde_json::Value;
use taffrail_testkit::Home;

/// Fields that differ in every run.
const UNSTEADY: [&str; 5] =
    ["elapsed_ms", "generation", "observedAt", "observed_at", "observed_by_peer_id"];

/// Compares a document, or a list of lines, with its snapshot.
pub(crate) fn check_json(name: &str, mut value: Value) {
    blank(&mut value);
    settings().bind(|| insta::assert_json_snapshot!(name, value));
}

/// Compares the full output of a command with its snapshot.
pub(crate) fn check_text(home: &Home, name: &str, arguments: &[&str]) {
    let output = home.run(arguments);
    let text = format!(
        "$ taffrail {}\n{}--- stderr\n{}--- exit code {}\n",
        arguments.join(" "),
        output.stdout,
        output.stderr,
        output.status
    );
    settings().bind(|| insta::assert_snapshot!(name, text));
}

fn settings() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../../snapshots");
    // Values that depend on the folder of the test, the clock, or the random device name.
    settings.add_filter(r"/tmp/[^/\s]*taffrail-test-\w+", "[HOME]");
    settings.add_filter(r"\b[0-9a-f]{8} goose ", "[goose]  goose ");
    let age =
        r"(claude|codex|gemini|goose) +(\d+[smhdw]|\d+ [A-Z][a-z]{2}|[A-Z][a-z]{2}('\d\d)?)\b";
    settings.add_filter(age, "$1 [age]");
    // Whether the kernel confines threads.
    let confined = r"[✓!] (ok     |warning) confinement: [^\n]*\n( +fix: [^\n]*\n)?";
    settings.add_filter(confined, "✓ ok      confinement: [kernel]\n");
    settings.add_filter(r" in \d+\.\d s", " in [time]");
    settings.add_filter(
        r"( · goose · [^\n]*\n(?:[^\n]+\n){1,3}?)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n",
        "$1[id]\n",
    );
    settings
}

fn blank(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("id").is_some_and(|it| it == "confinement") {
                fields.retain(|name, _| name == "id");
            }
            let is_scoped = fields.get("agent").is_some_and(|agent| agent == "goose");
            for (name, field) in fields {
                if UNSTEADY.contains(&name.as_str()) || (is_scoped && name == "id") {
                    *field = Value::from(format!("[{name}]"));
                } else {
                    blank(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
