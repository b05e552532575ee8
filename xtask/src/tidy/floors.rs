//! Crates depend only on lower floors, and some dependencies are never allowed.

use super::Finding;
use super::metadata::Package;

/// The floor of every crate; crates of one floor never depend on each other.
const FLOORS: [(&str, u8); 34] = [
    ("taffrail-blame", 0),
    ("taffrail-meaning", 0),
    ("taffrail-redact", 0),
    ("taffrail-rules", 0),
    ("taffrail-setup", 0),
    ("taffrail-model", 1),
    ("taffrail-kit", 2),
    ("taffrail-contracts", 2),
    ("taffrail-exports", 2),
    ("taffrail-prices", 2),
    ("taffrail-agents", 3),
    ("taffrail-adapters", 4),
    ("taffrail-capture", 5),
    ("taffrail-store", 5),
    ("taffrail-sync", 5),
    ("taffrail-workspace", 5),
    ("taffrail-api", 5),
    ("taffrail-conformance", 6),
    ("taffrail-context", 6),
    ("taffrail-mcp", 6),
    ("taffrail-tui", 6),
    ("taffrail-config", 7),
    ("taffrail-hooks", 7),
    ("taffrail-ingest", 7),
    ("taffrail-run", 7),
    ("taffrail-team", 7),
    ("taffrail-notify", 8),
    ("taffrail-query", 8),
    ("taffrail-approvals", 9),
    ("taffrail-devices", 10),
    ("taffrail-daemon", 11),
    ("taffrail-env", 11),
    ("taffrail-server", 12),
    ("taffrail", 13),
];

/// Developer crates may depend on everything, and nothing shipped depends on them.
const DEVELOPERS: [&str; 2] = ["taffrail-testkit", "xtask"];

/// Dependencies that a crate must not have, though its floor would allow them.
const NEVER: [(&str, &[&str]); 22] = [
    ("taffrail-blame", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-meaning", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-redact", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-rules", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-model", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-prices", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-kit", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-agents", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-adapters", &["tokio", "rusqlite", "axum", "notify", "tracing"]),
    ("taffrail-contracts", &["tokio", "rusqlite", "axum", "tracing"]),
    ("taffrail-exports", &["tokio", "rusqlite", "axum", "tracing"]),
    ("taffrail-store", &["tokio", "axum", "taffrail-adapters", "taffrail-agents", "taffrail-kit"]),
    (
        "taffrail-sync",
        &["rusqlite", "axum", "taffrail-adapters", "taffrail-agents", "taffrail-kit"],
    ),
    ("taffrail-workspace", &["rusqlite", "axum"]),
    ("taffrail-api", &["axum", "rusqlite"]),
    (
        "taffrail-tui",
        &[
            "axum",
            "clap",
            "rusqlite",
            "taffrail-adapters",
            "taffrail-agents",
            "taffrail-kit",
            "taffrail-capture",
            "taffrail-contracts",
            "taffrail-store",
            "taffrail-sync",
            "taffrail-workspace",
        ],
    ),
    (
        "taffrail-mcp",
        &[
            "axum",
            "clap",
            "rusqlite",
            "tokio",
            "taffrail-capture",
            "taffrail-store",
            "taffrail-adapters",
        ],
    ),
    ("taffrail-query", &["axum", "rusqlite"]),
    ("taffrail-approvals", &["axum", "rusqlite"]),
    ("taffrail-devices", &["axum", "rusqlite"]),
    ("taffrail-daemon", &["axum", "rusqlite"]),
    ("taffrail", &["axum", "rusqlite", "taffrail-adapters", "taffrail-agents", "taffrail-kit"]),
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
             floor 5 sees only what is below, not floor 5",
        );
        check(
            "taffrail-model",
            "taffrail-adapters",
            "taffrail-model: may not depend on taffrail-adapters: \
             floor 1 sees only what is below, not floor 4",
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
             floor 6 sees only what is below, not floor 11",
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
