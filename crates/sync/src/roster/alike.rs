//! Names that people would confuse.
//!
//! The program checks this when it admits a device or shows names, but never when it reads a
//! roster: tables of look-alikes grow, and two versions of the program must agree on who is in the
//! team.

use std::collections::BTreeMap;
use unicode_security::confusable_detection::skeleton;

/// Whether two different names look the same, or nearly so.
#[must_use]
pub fn looks_like(one: &str, other: &str) -> bool {
    one != other && face(one) == face(other)
}

/// Two names of a list that look the same, if there are any.
#[must_use]
pub fn alike<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<(&'n str, &'n str)> {
    let mut faces = BTreeMap::new();
    names.into_iter().find_map(|name| {
        let known = *faces.entry(face(name)).or_insert(name);
        (known != name).then_some((known, name))
    })
}

/// The outline of a name at a glance.
fn face(name: &str) -> String {
    let lower = skeleton(&name.to_lowercase()).collect::<String>().to_lowercase();
    skeleton(&lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_of_a_list_that_look_the_same_are_found() {
        assert_eq!(alike(["tower", "laptop", "desk", "1aptop"]), Some(("laptop", "1aptop")));
        assert_eq!(alike(["tower", "laptop", "tower"]), None);
    }

    #[test]
    fn names_that_look_like_another_are_found() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(looks_like(one, other), expected, "{one} {other}");
            assert_eq!(looks_like(other, one), expected, "{other} {one}");
        };
        check("bob@x.org", "bob@x.org", false);
        check("bob@x.org", "Bob@x.org", true);
        check("bob@x.org", "b0b@x.org", true);
        check("bob@x.org", "bоb@x.org", true); // a Cyrillic o
        check("laptop", "1aptop", true);
        check("tower", "tοwer", true); // a Greek o
        check("modern", "modem", true);
        check("tower-1", "tower-2", false);
        check("desk", "desk-2", false);
        check("Büro", "Buro", false);
        check("東京", "京都", false);
    }
}
