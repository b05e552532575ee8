//! Crates depend only on lower floors, and some dependencies are never allowed.

use super::Finding;
use super::metadata::Package;

/// The floor of every crate; crates of one floor never depend on each other.
const FLOORS: [(&str, u8); 26] = [
    ("taffrail-redact", 0),
    ("taffrail-rules", 0),
    ("taffrail-setup", 0),
    ("taffrail-model", 1),
    ("taffrail-adapters", 2),
    ("taffrail-contracts", 2),
    ("taffrail-capture", 3),
    ("taffrail-store", 3),
    ("taffrail-sync", 3),
    ("taffrail-workspace", 3),
    ("taffrail-api", 3),
    ("taffrail-conformance", 4),
    ("taffrail-context", 4),
    ("taffrail-tui", 4),
    ("taffrail-config", 5),
    ("taffrail-hooks", 5),
    ("taffrail-ingest", 5),
    ("taffrail-run", 5),
    ("taffrail-team", 5),
    ("taffrail-notify", 6),
    ("taffrail-query", 6),
    ("taffrail-approvals", 7),
    ("taffrail-devices", 8),
    ("taffrail-daemon", 9),
    ("taffrail-server", 10),
    ("taffrail", 11),
];

/// Developer crates may depend on everything, and nothing shipped depends on them.
const DEVELOPERS: [&str; 2] = ["taffrail-testkit", "xtask"];

/// Dependencies that a crate must not have, though its floor would allow them.
const NEVER: [(&str, &[&str]); 15] = [
    ("taffrail-redact", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-rules", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-model", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-adapters", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-contracts", &["tokio", "rusqlite", "axum", "tracing"]),
    ("taffrail-store", &["tokio", "axum", "taffrail-adapters"]),
    ("taffrail-sync", &["rusqlite", "axum", "taffrail-adapters"]),
    ("taffrail-workspace", &["rusqlite", "axum"]),
    ("taffrail-api", &["axum", "rusqlite"]),
    (
        "taffrail-tui",
        &[
            "axum",
            "clap",
            "rusqlite",
            "taffrail-adapters",
            "taffrail-capture",
            "taffrail-contracts",
            "taffrail-store",
            "taffrail-sync",
            "taffrail-workspace",
        ],
    ),
    ("taffrail-query", &["axum", "rusqlite"]),
    ("taffrail-approvals", &["axum", "rusqlite"]),
    ("taffrail-devices", &["axum", "rusqlite"]),
    ("taffrail-daemon", &["axum", "rusqlite"]),
    ("taffrail", &["axum", "rusqlite", "taffrail-adapters"]),
];

/// Every dependency that does not go down.
pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    shipped(packages).flat_map(check_crate).collect()
}

/// Our crates that are shipped.
pub(super) fn shipped(packages: &[Package]) -> impl Iterator<Item = &Package> {
    let ours = packages.iter().filter(|package| package.ours);
    ours.filter(|package| !DEVELOPERS.contains(&package.name.as_str()))
}

fn check_crate(package: &Package) -> Vec<Finding> {
    let name = package.name.as_str();
    let Some(floor) = floor_of(name) else {
        return vec![Finding::new(name, 0, "has no floor in xtask/src/tidy/floors.rs")];
    };
    let complaints = package.needs.iter().filter_map(|need| {
        let why = complaint(name, floor, need)?;
        Some(Finding::new(name, 0, format!("may not depend on {need}: {why}")))
    });
    complaints.collect()
}

fn complaint(name: &str, floor: u8, need: &str) -> Option<String> {
    if DEVELOPERS.contains(&need) {
        return Some("it is for developers and is not shipped".to_owned());
    }
    if never(name).contains(&need) {
        return Some("see the table of crates in ARCHITECTURE.md".to_owned());
    }
    let below = floor_of(need)?;
    (below >= floor).then(|| format!("floor {floor} sees only what is below, not floor {below}"))
}

/// The floor of a crate.
pub(super) fn floor_of(name: &str) -> Option<u8> {
    let entry = FLOORS.iter().find(|(known, _)| *known == name);
    entry.map(|(_, floor)| *floor)
}

fn never(name: &str) -> &'static [&'static str] {
    let entry = NEVER.iter().find(|(known, _)| *known == name);
    entry.map_or(&[], |(_, needs)| needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_down_only() {
        let check = |name: &str, need: &str, expected: &str| {
            let package = Package {
                name: name.to_owned(),
                ours: true,
                needs: vec![need.to_owned()],
                ..Package::default()
            };
            let got: Vec<_> = check(&[package]).iter().map(ToString::to_string).collect();
            assert_eq!(got.join("\n"), expected);
        };
        check("taffrail-daemon", "taffrail-store", "");
        check("taffrail", "taffrail-model", "");
        check("taffrail", "taffrail-tui", "");
        check("taffrail-tui", "taffrail-api", "");
        check("taffrail-store", "serde", "");
        check("taffrail-testkit", "taffrail", "");
        check("xtask", "taffrail-testkit", "");
        check(
            "taffrail-store",
            "taffrail-capture",
            "taffrail-store: may not depend on taffrail-capture: \
             floor 3 sees only what is below, not floor 3",
        );
        check(
            "taffrail-model",
            "taffrail-adapters",
            "taffrail-model: may not depend on taffrail-adapters: \
             floor 1 sees only what is below, not floor 2",
        );
        check(
            "taffrail-daemon",
            "taffrail-testkit",
            "taffrail-daemon: may not depend on taffrail-testkit: \
             it is for developers and is not shipped",
        );
        check(
            "taffrail-store",
            "taffrail-adapters",
            "taffrail-store: may not depend on taffrail-adapters: \
             see the table of crates in ARCHITECTURE.md",
        );
        check("taffrail-store", "tracing", "");
        check(
            "taffrail-model",
            "tracing",
            "taffrail-model: may not depend on tracing: see the table of crates in ARCHITECTURE.md",
        );
        check(
            "taffrail-tui",
            "taffrail-daemon",
            "taffrail-tui: may not depend on taffrail-daemon: \
             floor 4 sees only what is below, not floor 9",
        );
        check(
            "taffrail-tui",
            "taffrail-store",
            "taffrail-tui: may not depend on taffrail-store: \
             see the table of crates in ARCHITECTURE.md",
        );
        check(
            "taffrail-attic",
            "serde",
            "taffrail-attic: has no floor in xtask/src/tidy/floors.rs",
        );
    }
}
