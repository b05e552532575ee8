//! Arrows between crates go down only, and some go nowhere at all.

use super::Finding;
use super::metadata::Package;

/// The floor of every crate of the house; those of one floor never see each other.
const FLOORS: [(&str, u8); 10] = [
    ("taffrail-model", 0),
    ("taffrail-adapters", 1),
    ("taffrail-contracts", 1),
    ("taffrail-capture", 2),
    ("taffrail-store", 2),
    ("taffrail-sync", 2),
    ("taffrail-workspace", 2),
    ("taffrail-api", 2),
    ("taffrail-daemon", 3),
    ("taffrail", 4),
];

/// Developer crates see everything and are seen by nothing that is shipped.
const DEVELOPERS: [&str; 2] = ["taffrail-testkit", "xtask"];

/// What a crate must do without, though its floor would allow it.
const NEVER: [(&str, &[&str]); 8] = [
    ("taffrail-model", &["tokio", "rusqlite", "axum", "notify"]),
    ("taffrail-adapters", &["tokio", "rusqlite", "axum", "notify"]),
    ("taffrail-contracts", &["tokio", "rusqlite", "axum"]),
    ("taffrail-store", &["tokio", "axum", "taffrail-adapters"]),
    ("taffrail-sync", &["rusqlite", "axum", "taffrail-adapters"]),
    ("taffrail-workspace", &["rusqlite", "axum"]),
    ("taffrail-api", &["axum", "rusqlite"]),
    ("taffrail", &["rusqlite", "taffrail-adapters"]),
];

/// Every arrow that does not go down.
pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    let ours = packages.iter().filter(|package| package.ours);
    let shipped = ours.filter(|package| !DEVELOPERS.contains(&package.name.as_str()));
    shipped.flat_map(check_crate).collect()
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

fn floor_of(name: &str) -> Option<u8> {
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
        check("taffrail-store", "serde", "");
        check("taffrail-testkit", "taffrail", "");
        check("xtask", "taffrail-testkit", "");
        check(
            "taffrail-store",
            "taffrail-capture",
            "taffrail-store: may not depend on taffrail-capture: \
             floor 2 sees only what is below, not floor 2",
        );
        check(
            "taffrail-model",
            "taffrail-adapters",
            "taffrail-model: may not depend on taffrail-adapters: \
             floor 0 sees only what is below, not floor 1",
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
        check(
            "taffrail-attic",
            "serde",
            "taffrail-attic: has no floor in xtask/src/tidy/floors.rs",
        );
    }
}
