//! The id of a feature: a slug and its start date in UTC.

use taffrail_model::Timestamp;

/// The longest slug: an id is the name of a folder.
const SLUG_MAX: usize = 100;

/// Lower-case words joined by hyphens; `None` if a name has no usable letter or digit.
#[must_use]
pub fn slug(name: &str) -> Option<String> {
    let mut out = String::new();
    for character in name.chars() {
        let character = character.to_ascii_lowercase();
        if character.is_ascii_alphanumeric() {
            out.push(character);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= SLUG_MAX {
            break;
        }
    }
    let slug = out.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// The id of a feature with this name that starts now.
#[must_use]
pub fn feature_id(name: &str, now: Timestamp) -> Option<String> {
    let day = now.to_string();
    Some(format!("{}-{}", slug(name)?, day.get(..10)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai_session::is_feature_id;
    use proptest::prelude::*;

    #[test]
    fn a_name_becomes_a_slug() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(slug(name).as_deref(), expected, "{name}");
        };
        check("AI Orchestrator!", Some("ai-orchestrator"));
        check("  a  --  B_c/d ", Some("a-b-c-d"));
        check("../../etc/passwd", Some("etc-passwd"));
        check("Über 漢字 9", Some("ber-9"));
        check("漢字", None);
        check("", None);
        check("-", None);
        assert_eq!(slug(&"ab ".repeat(99)).unwrap().len(), 100);
        check(&"x".repeat(300), Some(&"x".repeat(100)));
    }

    #[test]
    fn the_day_is_that_of_utc() {
        let at = "2026-11-15T23:30:00-02:00".parse().unwrap();
        assert_eq!(feature_id("A b", at).as_deref(), Some("a-b-2026-11-16"));
    }

    proptest! {
        #[test]
        fn every_id_we_make_is_one(name in any::<String>()) {
            let id = feature_id(&name, "2026-11-15T00:00:00Z".parse().unwrap());
            prop_assert!(id.is_none_or(|id| is_feature_id(&id)));
        }
    }
}
