//! What this device publishes to other devices: nothing until the user turns it on, then all
//! projects except the excluded ones, and texts only on request.

use taffrail_model::hash;

/// What this device publishes to other devices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncSettings {
    /// Publishing is on.
    pub enabled: bool,
    /// Texts are published too, with secrets redacted.
    pub bodies: bool,
    /// Projects to publish; empty means all.
    pub include: Vec<String>,
    /// Projects not to publish, even if `include` names them.
    pub exclude: Vec<String>,
    /// Projects whose sessions the user's other devices may answer and write to; empty means none.
    pub remote: Vec<String>,
}

impl SyncSettings {
    /// Whether sessions of a project are published. A session without a project is published only
    /// if all projects are.
    #[must_use]
    pub fn takes(&self, project: Option<&str>) -> bool {
        let Some(project) = project else { return self.enabled && self.include.is_empty() };
        let fits = |patterns: &[String]| patterns.iter().any(|it| fits(it, project));
        self.enabled && (self.include.is_empty() || fits(&self.include)) && !fits(&self.exclude)
    }

    /// Whether the user's other devices may answer requests of a project's sessions, and write to
    /// them.
    #[must_use]
    pub fn takes_orders(&self, project: Option<&str>) -> bool {
        let is_named = project.is_some_and(|it| self.remote.iter().any(|one| fits(one, it)));
        is_named && self.takes(project)
    }

    /// A digest of the choice: a change means that everything is checked again.
    #[must_use]
    pub fn mark(&self) -> String {
        let Self { enabled, bodies, include, exclude, remote: _ } = self;
        let text = format!("{enabled:?} {bodies:?} {include:?} {exclude:?}");
        hash::to_hex(&hash::digest("choice", &[text.as_bytes()]))
    }
}

/// Whether the path or one of its ancestors matches the pattern. `*` matches anything within one
/// name, `**` any names, `?` one character.
///
/// Not `globset`: its `?` is one byte and its brackets are classes, so a project the user left out could be published.
fn fits(pattern: &str, path: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        text.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    fits_parts(&parts(pattern), &parts(path))
}

fn fits_parts(pattern: &[String], path: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return true };
    if first == "**" {
        return (0..=path.len()).any(|at| fits_parts(rest, path.get(at..).unwrap_or_default()));
    }
    path.split_first()
        .is_some_and(|(name, below)| fits_name(first, name) && fits_parts(rest, below))
}

/// Backtracks to the last star only, so that matching costs at most the product of both lengths.
fn fits_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(c) if *c == '?' || name.get(of) == Some(c) => (at, of) = (at + 1, of + 1),
            Some(_) | None => {
                let Some((back, from)) = star else { return false };
                star = Some((back, from + 1));
                (at, of) = (back + 1, from + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|it| *it == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_folders_and_all_below_them() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        };
        check("/a/b", "/a/b", true);
        check("/a/b/", "/a/b/c", true);
        check("/a/b", "/a/bc", false);
        check("/a/*", "/a/b/c", true);
        check("/a/*/c", "/a/b/c", true);
        check("/a/*/c", "/a/c", false);
        check("/a/**/c", "/a/c", true);
        check("/a/**/c", "/a/x/y/c", true);
        check("/a/secret-*", "/a/secret-api", true);
        check("/a/?b*d", "/a/xbccd", true);
        check("/a/?b*d", "/a/xbcc", false);
        check("/a/?", "/a/ä", true);
        check("/a/[id]", "/a/[id]", true);
        check("/a/{b,c}", "/a/b", false);
        check(&format!("/{}b", "*a".repeat(40)), &format!("/{}", "a".repeat(200)), false);
    }

    #[test]
    fn what_is_left_out_counts_for_more() {
        let check = |include: &[&str], exclude: &[&str], project: Option<&str>, expected| {
            let texts = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
            let (include, exclude) = (texts(include), texts(exclude));
            let choice =
                SyncSettings { enabled: true, include, exclude, ..SyncSettings::default() };
            assert_eq!(choice.takes(project), expected, "{choice:?} {project:?}");
            assert!(!choice.takes_orders(project), "nobody allowed that");
            assert!(!SyncSettings { enabled: false, ..choice }.takes(project));
        };
        check(&[], &[], Some("/w/api"), true);
        check(&[], &[], None, true);
        check(&["/w"], &[], None, false);
        check(&["/w"], &["/w/api"], Some("/w/api"), false);
        check(&["/w"], &["/w/api"], Some("/w/web"), true);
        check(&["/w"], &[], Some("/x"), false);
    }

    #[test]
    fn orders_are_taken_only_where_that_was_said() {
        let check = |remote: &str, exclude: &[&str], project: Option<&str>, expected| {
            let exclude = exclude.iter().map(|it| (*it).to_owned()).collect();
            let remote = vec![remote.to_owned()];
            let choice = SyncSettings { enabled: true, exclude, remote, ..SyncSettings::default() };
            assert_eq!(choice.takes_orders(project), expected, "{choice:?} {project:?}");
            assert!(!SyncSettings { enabled: false, ..choice }.takes_orders(project));
        };
        check("/w/api", &[], Some("/w/api"), true);
        check("/w/*", &[], Some("/w/api/src"), true);
        check("/w/api", &[], Some("/w/web"), false);
        check("/w/api", &["/w"], Some("/w/api"), false);
        check("/**", &[], None, false);
    }
}
