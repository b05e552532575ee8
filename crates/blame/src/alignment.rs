//! Finds the lines of a replayed text in a file.
//!
//! A line that says enough and that both have exactly once is an anchor. Equal lines next to an
//! anchor belong to its run, so a common line counts only with its neighbours.

use crate::Claim;
use crate::text::{Known, Text};
use crate::weight;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The letters and digits of a line that is not a coincidence.
pub(crate) const ENOUGH: usize = 12;

/// The claims of a text on the lines of a file, by line.
pub(crate) fn aligned(text: &Text, file: &[&str]) -> Vec<(usize, Claim)> {
    let pairs = pairs(&text.lines, file);
    let origin = |at: usize| text.lines.get(at).and_then(|it| it.origin);
    pairs.into_iter().filter_map(|(own, line)| Some((line, origin(own)?))).collect()
}

/// Places of equal lines in a text and a file, in order. A place that fits two others is left out.
pub(crate) fn pairs(text: &[Known], file: &[&str]) -> Vec<(usize, usize)> {
    let own: Vec<&str> = text.iter().map(|it| it.text.as_str()).collect();
    let anchors = anchors(&own, file);
    let mut all: BTreeSet<(usize, usize)> = BTreeSet::new();
    for anchor in &anchors {
        // The run of an anchor is that of every anchor in it.
        if !all.contains(anchor) {
            all.extend(run((&own, file), *anchor, &anchors));
        }
    }
    single(all)
}

/// The places of lines that are in both exactly once.
fn anchors(own: &[&str], file: &[&str]) -> HashSet<(usize, usize)> {
    let (mine, theirs) = (once(own), once(file));
    let tells = |line: &&&str| weight(line) >= ENOUGH;
    let both = own.iter().filter(tells).filter_map(|line| {
        let place = mine.get(line).copied().flatten()?;
        Some((place, theirs.get(line).copied().flatten()?))
    });
    both.collect()
}

/// The place of each line; `None` if it has several.
fn once<'l>(lines: &[&'l str]) -> HashMap<&'l str, Option<usize>> {
    let mut out: HashMap<&str, Option<usize>> = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        out.entry(line).and_modify(|it| *it = None).or_insert(Some(place));
    }
    out
}

/// The equal lines around an anchor, up to the farthest anchors or the ends of the text. A common
/// line at the edge of a run may be one that somebody else wrote.
fn run(
    (own, file): (&[&str], &[&str]),
    (mine, theirs): (usize, usize),
    anchors: &HashSet<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let is_equal = |(one, two): &(usize, usize)| match (own.get(*one), file.get(*two)) {
        (Some(one), Some(two)) => one == two,
        _ => false,
    };
    let down = (0..).map(|step| (mine + step, theirs + step)).take_while(is_equal);
    let up = (1..).map_while(|step| Some((mine.checked_sub(step)?, theirs.checked_sub(step)?)));
    let (down, up) = (down.collect::<Vec<_>>(), up.take_while(is_equal).collect::<Vec<_>>());
    let enclosed = |side: Vec<(usize, usize)>, end: usize| {
        let is_edge = |it: &(usize, usize)| it.0 == end || anchors.contains(it);
        let kept = side.iter().rposition(is_edge).map_or(0, |it| it + 1);
        side.into_iter().take(kept)
    };
    enclosed(down, own.len().saturating_sub(1)).chain(enclosed(up, 0)).collect()
}

/// The pairs whose two places are in no other pair.
fn single(all: BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let (mut mine, mut theirs) = (HashMap::new(), HashMap::new());
    for (one, two) in &all {
        *mine.entry(*one).or_insert(0_usize) += 1;
        *theirs.entry(*two).or_insert(0_usize) += 1;
    }
    let is_single =
        |it: &(usize, usize)| mine.get(&it.0) == Some(&1) && theirs.get(&it.1) == Some(&1);
    all.into_iter().filter(is_single).collect()
}
