//! Lexical paths: joined and normalized without reading the disk.

/// An absolute path without dots. A relative path is resolved against the folder. `None` if it leads
/// above the root or there is no folder.
pub(super) fn absolute(folder: Option<&str>, path: &str) -> Option<String> {
    let whole = match (path.starts_with('/'), folder) {
        (true, _) => path.to_owned(),
        (false, Some(folder)) if folder.starts_with('/') => format!("{folder}/{path}"),
        (false, _) => return None,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// The path below the project; `None` for a path outside it, and for the project itself.
pub(super) fn below(project: &str, path: &str) -> Option<String> {
    let project = absolute(None, project)?;
    let rest = path.strip_prefix(project.trim_end_matches('/'))?;
    rest.strip_prefix('/').filter(|rest| !rest.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        let check = |folder: Option<&str>, path: &str, expected: Option<&str>| {
            assert_eq!(absolute(folder, path).as_deref(), expected, "{folder:?} {path}");
        };
        check(None, "/w//a/./b/../c", Some("/w/a/c"));
        check(Some("/w/a"), "b.rs", Some("/w/a/b.rs"));
        check(Some("/w/a"), "../b.rs", Some("/w/b.rs"));
        check(Some("/w"), "../../b.rs", None);
        check(None, "b.rs", None);
        check(Some("w"), "b.rs", None);
    }

    #[test]
    fn what_is_outside_is_told_apart() {
        let check = |project: &str, path: &str, expected: Option<&str>| {
            assert_eq!(below(project, path).as_deref(), expected, "{project} {path}");
        };
        check("/w/app", "/w/app/src/a.rs", Some("src/a.rs"));
        check("/w/app/", "/w/app/a", Some("a"));
        check("/w/app", "/w/apple/a", None);
        check("/w/app", "/w/app", None);
        check("/", "/etc/a", Some("etc/a"));
    }
}
