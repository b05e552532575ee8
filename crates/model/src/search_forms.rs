//! Other forms of a word: a search for `hashes` also finds `hash` and `hashing`.

/// Shorter words have no other forms.
const SHORTEST: usize = 4;
/// The endings of a stem.
const ENDINGS: [&str; 14] =
    ["", "e", "s", "es", "ed", "ing", "er", "ers", "ion", "ions", "y", "ies", "ied", "ying"];

/// The other forms of an English word. Most of them are not words and cost nothing.
pub fn forms(word: &str) -> Vec<String> {
    if word.len() < SHORTEST || !word.bytes().all(|it| it.is_ascii_lowercase()) {
        return Vec::new();
    }
    let mut out: Vec<String> = Vec::new();
    for stem in stems(word) {
        let doubled = stem.chars().last().filter(|it| "bdglmnprt".contains(*it));
        let doubled = doubled.map(|last| format!("{stem}{last}"));
        for ending in ENDINGS {
            out.push(format!("{stem}{ending}"));
        }
        out.push(format!("{}ing", stem.strip_suffix('e').unwrap_or(&stem)));
        if let Some(doubled) = doubled {
            out.extend(["ed", "ing", "er"].map(|ending| format!("{doubled}{ending}")));
        }
    }
    out.sort();
    out.dedup();
    out.retain(|it| it != word && it.len() >= SHORTEST);
    out
}

/// The possible stems of a word.
fn stems(word: &str) -> Vec<String> {
    const LOST: [&str; 11] =
        ["ations", "ation", "ings", "ing", "ions", "ion", "ies", "ied", "ed", "es", "s"];
    let mut out = vec![word.strip_suffix(['e', 'y']).unwrap_or(word).to_owned(), word.to_owned()];
    for ending in LOST {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 3) else { continue };
        out.push(undoubled(stem).to_owned());
        out.push(stem.to_owned());
    }
    out.sort();
    out.dedup();
    out
}

/// Turns `stopp` into `stop`.
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b => stem.get(..stem.len() - 1).unwrap_or(stem),
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_its_other_forms() {
        let check = |word: &str, others: &[&str]| {
            let forms = forms(word);
            for other in others {
                assert!(forms.iter().any(|it| it == other), "{word}: {other} is not in {forms:?}");
            }
            assert!(!forms.iter().any(|it| it == word));
        };
        check("hashes", &["hash", "hashing", "hashed"]);
        check("stopping", &["stop", "stops", "stopped"]);
        check("cache", &["caches", "cached", "caching"]);
        check("caching", &["cache", "caches", "cached"]);
        check("retry", &["retries", "retried", "retrying"]);
        check("retries", &["retry", "retrying"]);
        check("migration", &["migrate", "migrations", "migrated", "migrating"]);
        check("fails", &["fail", "failed", "failing"]);
        assert!(forms("ios").is_empty() && forms("x86ed").is_empty() && forms("größe").is_empty());
    }
}
