//! Paths in commands, compared as text.

/// Whether a path is this name, ends in it or passes through it.
pub(super) fn goes_through(path: &str, name: &str) -> bool {
    path.match_indices(name).any(|(at, _)| {
        let (before, after) = (path.get(..at), path.get(at + name.len()..));
        before.is_some_and(|it| it.is_empty() || it.ends_with('/'))
            && after.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_as_a_whole_part_only() {
        let check = |path: &str, expected: bool| {
            assert_eq!(goes_through(path, ".aws/credentials"), expected, "{path}");
        };
        check(".aws/credentials", true);
        check("/home/ann/.aws/credentials", true);
        check(".aws/credentials/x", true);
        check("~/.aws/credentials/x", true);
        check("x.aws/credentials", false);
        check(".aws/credentials2/.aws/credentials", true);
        check(".aws/credentials.bak", false);
        check("", false);
    }
}
