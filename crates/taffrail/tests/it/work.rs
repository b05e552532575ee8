//! `taffrail work` as a person and as many concurrent programs use it.
//!
//! `TAFFRAIL_FULL=1` runs the promised numbers: 8 processes with 1,000 lines each, 8 with 200
//! updates each, and 1,000 kills. `INSTA_UPDATE=always` rewrites the snapshots.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod conversion;
mod failures;
mod many;
mod screens;

use taffrail_testkit::Home;

/// A home that is a project with one feature and one task in progress.
fn project() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    home.ok(&["work", "new", "Dark mode", "--description", "a theme for the night"]);
    let add = ["work", "task", "add", "t1", "--phase", "build", "--agent", "a1", "--description"];
    home.ok(&[&add[..], &["a switch"]].concat());
    home.ok(&["work", "task", "start", "t1"]);
    home
}

/// The id of the feature.
fn id(home: &Home) -> String {
    home.json(&["work", "show", "--json"])["feature_id"].as_str().unwrap().to_owned()
}
