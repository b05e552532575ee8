//! The open contracts through the program: documents are validated, exported and imported.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod checking;
mod ecc;
mod exporting;
use crate::cli::history;
mod importing;
mod kit;
mod living;
mod orchestrated;
mod recorded;
use crate::cli::steady;

use serde_json::Value;
use taffrail_testkit::Home;

/// Validates a document with the program.
fn faults(home: &Home, contract: &str, document: &Value) -> Vec<String> {
    home.write("document.json", document.to_string());
    let arguments = ["validate", "--contract", contract, "--strict", "--json", "document.json"];
    let output = home.run(&arguments);
    let told: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(output.status, if told["valid"] == true { 0 } else { 6 });
    let all = told["faults"].as_array().unwrap();
    all.iter().map(|it| format!("{} {}", it["pointer"], it["rule"])).collect()
}
