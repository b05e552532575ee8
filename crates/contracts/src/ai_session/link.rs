//! Which feature a session works for: the one that is active in the project it runs in.

use super::documents::ActiveFeature;
use super::moves::FeatureStatus;
use std::path::{Path, PathBuf};
use taffrail_model::Timestamp;

/// A project with an `.ai-session` directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linkable {
    /// The folder the directory is in.
    pub project: PathBuf,
    /// The features it lists.
    pub features: Vec<ActiveFeature>,
}

/// The feature of a session in this folder with this latest activity: the only feature of the nearest
/// project above that had started and was not finished by then. `None` if several match.
#[must_use]
pub fn feature_of<'f>(
    folder: &Path,
    last_event: Timestamp,
    all: &'f [Linkable],
) -> Option<&'f ActiveFeature> {
    let above = all.iter().filter(|it| folder.starts_with(&it.project));
    let nearest = above.max_by_key(|it| it.project.components().count())?;
    let had_begun = |it: &&ActiveFeature| it.started_at <= last_event;
    let goes_on = |it: &&ActiveFeature| match it.status {
        FeatureStatus::Active => true,
        FeatureStatus::Paused | FeatureStatus::Completed => last_event <= it.last_active,
    };
    let mut those = nearest.features.iter().filter(had_begun).filter(goes_on);
    let only = those.next()?;
    those.next().is_none().then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(id: &str, status: FeatureStatus, from: i64, to: i64) -> ActiveFeature {
        let at = |second| Timestamp::from_second(second).unwrap();
        ActiveFeature {
            feature_id: id.to_owned(),
            started_at: at(from),
            last_active: at(to),
            status,
        }
    }

    #[test]
    fn a_session_belongs_to_the_feature_of_its_project() {
        use FeatureStatus::{Active, Completed};
        let project = |path: &str, features: Vec<_>| Linkable { project: path.into(), features };
        let all = [
            project("/w", vec![feature("outer", Active, 0, 5)]),
            project(
                "/w/app",
                vec![feature("old", Completed, 0, 10), feature("new", Active, 20, 30)],
            ),
            project("/two", vec![feature("a", Active, 0, 5), feature("b", Active, 0, 5)]),
        ];
        let check = |folder: &str, second: i64, expected: Option<&str>| {
            let last_event = Timestamp::from_second(second).unwrap();
            let found = feature_of(Path::new(folder), last_event, &all);
            assert_eq!(found.map(|it| it.feature_id.as_str()), expected, "{folder} {second}");
        };
        check("/w", 3, Some("outer"));
        check("/w/other", 9, Some("outer"));
        check("/w/app", 25, Some("new"));
        check("/w/app/deep", 99, Some("new"));
        check("/w/app", 5, Some("old"));
        check("/w/app", 15, None);
        check("/w/application", 3, Some("outer"));
        check("/two", 3, None);
        check("/elsewhere", 3, None);
    }
}
