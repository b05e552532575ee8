//! The diagram of the floors in ARCHITECTURE.md, drawn from the dependencies that cargo reports.

use super::Finding;
use super::files::Tree;
use super::floors::{floor_of, shipped};
use super::metadata::{self, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PAGE: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- floors: cargo xtask floors -->\n";
const END: &str = "<!-- end of floors -->\n";

/// Each crate by its short name, with its dependencies.
type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Draws the diagram into the page.
pub(crate) fn draw(root: &Path) -> Result<(), String> {
    let packages = metadata::load(root)?;
    let page = root.join(PAGE);
    let text = std::fs::read_to_string(&page).map_err(|error| format!("{PAGE}: {error}"))?;
    let (before, _, after) = parts(&text).ok_or_else(|| format!("{PAGE} has no `{BEGIN}`"))?;
    let drawn = format!("{before}{BEGIN}{}{END}{after}", picture(&packages));
    std::fs::write(page, drawn).map_err(|error| format!("{PAGE}: {error}"))
}

/// Checks that the page shows the current diagram.
pub(super) fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let Some(page) = tree.file(PAGE) else { return Vec::new() };
    let shown = parts(&page.text).map(|(_, picture, _)| picture);
    match shown == Some(picture(packages).as_str()) {
        true => Vec::new(),
        false => vec![Finding::new(PAGE, 0, "shows other floors: run `cargo xtask floors`")],
    }
}

fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (picture, after) = rest.split_once(END)?;
    Some((before, picture, after))
}

/// One line for each floor, the highest first: its crates, each with its direct dependencies.
/// Transitive ones are left out.
fn picture(packages: &[Package]) -> String {
    let arrows = arrows(packages);
    let mut floors: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for name in arrows.keys() {
        let below: Vec<_> = right_below(&arrows, name).into_iter().collect();
        let arrow = if below.is_empty() { "" } else { " -> " };
        floors.entry(floor(name)).or_default().push(format!("{name}{arrow}{}", below.join(" ")));
    }
    let lines = floors.iter().rev();
    let lines = lines.map(|(floor, crates)| format!("floor {floor:<3} {}\n", crates.join(" | ")));
    format!("```\n{}```\n", lines.collect::<String>())
}

fn arrows(packages: &[Package]) -> Arrows<'_> {
    let crates: BTreeMap<_, _> = shipped(packages).map(|it| (short(&it.name), it)).collect();
    let needs = |it: &Package| -> BTreeSet<&str> {
        let ours = crates.values().filter(|other| it.needs.contains(&other.name));
        ours.map(|it| short(&it.name)).collect()
    };
    crates.iter().map(|(name, it)| (*name, needs(it))).collect()
}

/// The dependencies of a crate that none of its other dependencies reaches.
fn right_below<'a>(arrows: &Arrows<'a>, name: &str) -> BTreeSet<&'a str> {
    let needs = arrows.get(name).cloned().unwrap_or_default();
    let reached: BTreeSet<_> = needs.iter().flat_map(|it| reach(arrows, it)).collect();
    needs.into_iter().filter(|it| !reached.contains(it)).collect()
}

fn reach<'a>(arrows: &Arrows<'a>, name: &str) -> BTreeSet<&'a str> {
    let needs = arrows.get(name).cloned().unwrap_or_default();
    needs.iter().flat_map(|it| reach(arrows, it)).chain(needs.clone()).collect()
}

fn short(name: &str) -> &str {
    name.strip_prefix("taffrail-").unwrap_or(name)
}

fn floor(short: &str) -> u8 {
    let full = format!("taffrail-{short}");
    floor_of(&full).or_else(|| floor_of(short)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_arrows_that_nothing_else_implies_are_drawn() {
        let package = |name: &str, needs: &[&str]| Package {
            name: name.to_owned(),
            ours: true,
            needs: needs.iter().map(|it| (*it).to_owned()).collect(),
            ..Package::default()
        };
        let all = [
            package("taffrail-redact", &["serde"]),
            package("taffrail-model", &["taffrail-redact"]),
            package("taffrail-store", &["taffrail-model", "taffrail-redact", "redact"]),
            package("xtask", &["taffrail-store"]),
        ];
        let expected =
            "```\nfloor 5   store -> model\nfloor 1   model -> redact\nfloor 0   redact\n```\n";
        assert_eq!(picture(&all), expected);
    }
}
