//! What other devices are told: nothing until the user says so, then all projects but those left out,
//! and texts only where they are asked for.

use taffrail_model::hash;

/// What other devices are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncSettings {
    /// Anything is told at all.
    pub enabled: bool,
    /// Texts are told too, without the secrets in them.
    pub bodies: bool,
    /// Projects that are told; none named stands for all.
    pub include: Vec<String>,
    /// Projects that are not told, whatever else is named.
    pub exclude: Vec<String>,
    /// Projects whose sessions the user's other devices may answer and write to; none named stands for
    /// none.
    pub remote: Vec<String>,
}

impl SyncSettings {
    /// Sessions of a project are told. Of a session without one nobody chose anything: it is told where
    /// all are.
    #[must_use]
    pub fn takes(&self, project: Option<&str>) -> bool {
        let Some(project) = project else { return self.enabled && self.include.is_empty() };
        let fits = |patterns: &[String]| patterns.iter().any(|it| fits(it, project));
        self.enabled && (self.include.is_empty() || fits(&self.include)) && !fits(&self.exclude)
    }

    /// The user's other devices may answer what sessions of a project ask, and write to them.
    #[must_use]
    pub fn takes_orders(&self, project: Option<&str>) -> bool {
        let is_named = project.is_some_and(|it| self.remote.iter().any(|one| fits(one, it)));
        is_named && self.takes(project)
    }

    /// A mark of the whole choice: another one means that everything is looked at again.
    #[must_use]
    pub fn mark(&self) -> String {
        let Self { enabled, bodies, include, exclude, remote: _ } = self;
        let text = format!("{enabled:?} {bodies:?} {include:?} {exclude:?}");
        hash::to_hex(&hash::digest("choice", &[text.as_bytes()]))
    }
}

/// The path fits the pattern, or is below one that does. `*` stands for anything within one name, `**`
/// for any names, `?` for one character.
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

/// Goes back to the last star only, so that no pattern costs more than its length times the name's.
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
