//! The arguments of `cargo xtask dist`.

use std::path::PathBuf;

/// What is packed when nobody names a target.
const DEFAULT: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// Targets that packages exist for. `packaging/dist/release.py` has their names in each format.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) targets: Vec<(String, Source)>,
    /// Relative to the root of the workspace.
    pub(super) out: PathBuf,
    pub(super) changes: Changes,
    pub(super) compression: Compression,
}

/// Where the program of a target comes from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    Build,
    File(PathBuf),
}

/// What to do with changes that are not in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    Refused,
    Packed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Best,
    /// None, for tests.
    Fast,
}

impl Arguments {
    pub(super) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut out = Self {
            targets: Vec::new(),
            out: PathBuf::from("target/dist"),
            changes: Changes::Refused,
            compression: Compression::Best,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match *word {
                "--target" => out.add(value()?, Source::Build)?,
                "--binary" => {
                    let pair = value()?.split_once('=');
                    let (target, file) = pair.ok_or("--binary needs TARGET=FILE")?;
                    out.add(target, Source::File(PathBuf::from(file)))?;
                }
                "--out" => out.out = PathBuf::from(value()?),
                "--dirty" => out.changes = Changes::Packed,
                "--fast" => out.compression = Compression::Fast,
                _ => return Err(format!("dist does not know {word}")),
            }
        }
        if out.targets.is_empty() {
            out.targets = DEFAULT.map(|it| (it.to_owned(), Source::Build)).into();
        }
        Ok(out)
    }

    fn add(&mut self, target: &str, source: Source) -> Result<(), String> {
        if !TARGETS.contains(&target) {
            let known = TARGETS.join(", ");
            return Err(format!("there are no packages for {target}. Targets: {known}"));
        }
        if self.targets.iter().any(|(it, _)| it == target) {
            return Err(format!("{target} is named twice"));
        }
        self.targets.push((target.to_owned(), source));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_built_or_taken_from_files() {
        let check = |words: &str, expected: &[(&str, Source)]| {
            let words: Vec<&str> = words.split_whitespace().collect();
            let got = Arguments::parse(&words).unwrap().targets;
            let got: Vec<_> =
                got.iter().map(|(target, source)| (target.as_str(), source)).collect();
            let expected: Vec<_> =
                expected.iter().map(|(target, source)| (*target, source)).collect();
            assert_eq!(got, expected, "{words:?}");
        };
        let [intel, arm] = DEFAULT;
        let file = |path: &str| Source::File(PathBuf::from(path));
        check("", &[(intel, Source::Build), (arm, Source::Build)]);
        check("--dirty --fast", &[(intel, Source::Build), (arm, Source::Build)]);
        check(&format!("--target {arm}"), &[(arm, Source::Build)]);
        check(&format!("--binary {intel}=a/b=c"), &[(intel, file("a/b=c"))]);
        check(
            &format!("--binary {intel}=p --target {arm}"),
            &[(intel, file("p")), (arm, Source::Build)],
        );
    }

    #[test]
    fn the_default_is_the_best_that_can_be_published() {
        let got = Arguments::parse(&[]).unwrap();
        assert_eq!(
            (got.out, got.changes, got.compression),
            (PathBuf::from("target/dist"), Changes::Refused, Compression::Best)
        );
        let got = Arguments::parse(&["--dirty", "--fast", "--out", "elsewhere"]).unwrap();
        assert_eq!(
            (got.out, got.changes, got.compression),
            (PathBuf::from("elsewhere"), Changes::Packed, Compression::Fast)
        );
    }

    #[test]
    fn mistakes_are_named() {
        let check = |words: &str, expected: &str| {
            let words: Vec<&str> = words.split_whitespace().collect();
            let got = Arguments::parse(&words).unwrap_err();
            assert!(got.contains(expected), "{words:?}: {got}");
        };
        let [intel, _] = DEFAULT;
        check("--keep-going", "dist does not know --keep-going");
        check("--target", "--target needs a value");
        check("--target x86_64-pc-windows-gnu", "no packages for x86_64-pc-windows-gnu");
        check(&format!("--binary {intel}"), "--binary needs TARGET=FILE");
        check(&format!("--target {intel} --binary {intel}=p"), "is named twice");
    }
}
